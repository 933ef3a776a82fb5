"""The replay of a training: its Python side, and its JavaScript against it."""

import json
import math

import pytest
import torch

from qlearn.course.digits.qat import recorded_training
from qlearn.course.widgets import TrainingReplay
from qlearn.course.widgets.bundle import STATIC
from tests.course.widgets.javascript import broken, compare, wrong

MODULE = "replay_math.js"


def replay(positions: torch.Tensor, **options) -> TrainingReplay:
    frames = len(positions)
    given = {
        "steps": list(range(frames)),
        "losses": [1.0] * frames,
        "right": [3] * frames,
        "images": 9,
        "quant_min": -2,
        "quant_max": 1,
        "frozen": frames - 1,
    }
    return TrainingReplay(positions, **given | options)


@pytest.fixture
def positions():
    return torch.tensor([[0.2, 0.6, -2.9, 1.9], [0.55, 0.45, -1.4, 1.0], [0.0, 1.0, -2.05, -1.3]])


def test_what_changed_and_what_is_near(positions):
    widget = replay(positions)
    assert (widget.changed, widget.near_boundary, widget.near_code) == (0, 0.0, 0.0)
    widget.frame = 1  # 1, 0, −1, 1 after 0, 1, −2, 1
    assert (widget.changed, widget.near_boundary, widget.near_code) == (3, 0.5, 0.25)
    widget.frame = 2  # 0, 1, −2, −1
    assert (widget.changed, widget.near_boundary, widget.near_code) == (4, 0.0, 0.75)


def test_beyond_the_last_code_there_is_no_boundary():
    assert replay(torch.tensor([[1.5, -2.5, 2.0, -3.0]])).near_boundary == 0.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"frame": 3}, "frame is 3, but the frames are 0 to 2"),
        ({"frozen": -1}, "frozen is -1, but the frames are 0 to 2"),
        ({"losses": [1.0]}, "losses has 1 entries and positions 3 frames"),
    ],
)
def test_bad_options_are_named(positions, options, message):
    with pytest.raises(ValueError, match=message):
        replay(positions, **options)


@pytest.mark.parametrize(
    ("positions", "error", "message"),
    [
        (torch.zeros(3), ValueError, "shape \\(3,\\)"),
        (torch.zeros(0, 3), ValueError, "shape \\(0, 3\\)"),
        (torch.zeros(101, 100), ValueError, "10100 numbers, more than the 10000"),
        (torch.tensor([[math.nan]]), ValueError, "infinities or NaN"),
        (torch.zeros(2, 2, dtype=torch.float64), TypeError, "float64"),
    ],
    ids=["flat", "none", "many", "nan", "float64"],
)
def test_bad_positions_are_named(positions, error, message):
    with pytest.raises(error, match=message):
        replay(positions)


@pytest.fixture(scope="module")
def vectors(tmp_path_factory):
    """The recorded training, and weights at boundaries and codes, with the Python side's facts."""
    folder = tmp_path_factory.mktemp("frames")
    recorded = recorded_training().positions
    generator = torch.Generator().manual_seed(0)
    hard = torch.randint(-12, 9, (20, recorded.shape[1]), generator=generator) / 4
    hard[10:] += 0.2 * torch.rand(10, recorded.shape[1], generator=generator)
    positions = torch.cat([recorded, hard])
    widget = replay(positions)
    frames = []
    for widget.frame in range(len(positions)):
        facts = (widget.changed, widget.near_boundary, widget.near_code)
        frames.append(dict(zip(("changed", "nearBoundary", "nearCode"), facts, strict=True)))
    content = {"weights": widget.weights, "codes": {"quantMin": -2, "quantMax": 1}}
    (folder / "frames.json").write_text(json.dumps(content | {"frames": frames}))
    (folder / "positions").write_bytes(widget.positions)
    return folder


def test_facts_equal_pythons(node, vectors):
    report = compare(node, "compare_training.mjs", STATIC / MODULE, vectors)
    assert report["values"] > 9_000
    assert wrong(report) == {}


@pytest.mark.parametrize(
    ("file", "right", "replacement"),
    [
        (MODULE, "clamp(rint(position)", "clamp(Math.round(position)"),
        (MODULE, "quantMax - 1) + 0.5", "quantMax) + 0.5"),
        (MODULE, "Math.max(frame - 1, 0)", "frame"),
        ("quantmath.js", "i * length, (i", "0, (i"),
        (MODULE, "< Math.fround(NEAR)", "<= 2 * NEAR"),
    ],
    ids=["half-up", "last-edge", "before", "frames", "near"],
)
def test_broken_arithmetic_is_seen(node, tmp_path, vectors, file, right, replacement):
    broken(tmp_path, file, right, replacement)
    assert wrong(compare(node, "compare_training.mjs", tmp_path / MODULE, vectors))
