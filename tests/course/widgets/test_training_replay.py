"""The replay of a training: its arithmetic against Python's, its view and changes, its traits."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor
from traitlets import TraitError

from qlearn.course.digits.qat import recorded_training
from qlearn.course.widgets import TrainingReplay
from tests.course.widgets.figures import call, markup, with_other

ENTRY = TrainingReplay.entry()
NEARNESS = ENTRY.with_name("nearness.js")
POSITIONS = torch.tensor([[0.2, 0.6, -2.9, 1.9], [0.55, 0.45, -1.4, 1.0], [0.0, 1.0, -2.05, -1.3]])


def replay(positions: Tensor = POSITIONS, **record: Any) -> TrainingReplay:
    frames = len(positions)
    given = {
        "steps": [6 * frame for frame in range(frames)],
        "losses": [1.0] * frames,
        "right": [3] * frames,
        "images": 9,
        "quant_min": -2,
        "quant_max": 1,
        "frozen": frames - 1,
    }
    return TrainingReplay(positions, **given | record)


# ------------------------------------------------------------------ the arithmetic


def facts_that_differ(node: str, module: Path) -> int:
    """Return for how many frames the module counts otherwise than Python: real ones, and hard."""
    recorded = recorded_training().positions
    generator = torch.Generator().manual_seed(0)
    hard = torch.randint(-12, 9, (20, recorded.shape[1]), generator=generator) / 4
    hard[10:] += 0.2 * torch.rand(10, recorded.shape[1], generator=generator)
    widget = replay(torch.cat([recorded, hard]))
    rows = widget.rows.tolist()
    codes = {"quantMin": -2, "quantMax": 1}
    pairs = zip(rows, [rows[0], *rows], strict=False)
    found = call(node, module, [["frameFacts", now, before, codes] for now, before in pairs])
    differing = 0
    for widget.frame, facts in enumerate(found):
        shares = pytest.approx([widget.near_boundary, widget.near_code], abs=1e-12)
        same = [facts["nearBoundary"], facts["nearCode"]] == shares
        differing += not (same and facts["changed"] == widget.changed)
    return differing


def test_facts_equal_pythons(node: str) -> None:
    assert facts_that_differ(node, NEARNESS) == 0


def test_a_frame_compared_with_itself_is_seen(node: str, tmp_path: Path) -> None:
    still = "(now, before, codes) => right.frameFacts(now, now, codes)"
    assert facts_that_differ(node, with_other(tmp_path, NEARNESS, "frameFacts", still)) > 10


def test_what_changed_and_what_is_near() -> None:
    widget = replay()
    assert (widget.changed, widget.near_boundary, widget.near_code) == (0, 0.0, 0.0)
    widget.frame = 1  # 1, 0, −1, 1 after 0, 1, −2, 1
    assert (widget.changed, widget.near_boundary, widget.near_code) == (3, 0.5, 0.25)
    widget.frame = 2  # 0, 1, −2, −1
    assert (widget.changed, widget.near_boundary, widget.near_code) == (4, 0.0, 0.75)


def test_beyond_the_last_code_there_is_no_boundary() -> None:
    assert replay(torch.tensor([[1.5, -2.5, 2.0, -3.0]])).near_boundary == 0.0


# ------------------------------------------------------------------ view and changes


def test_the_view_tells_of_the_frame(node: str) -> None:
    first, last = markup(node, ENTRY, replay().state(), replay(frame=2).state())
    assert "Step <b>0</b>" in first and "Codes changed <b>0</b>" in first
    assert "Step <b>12, grid frozen</b>" in last and "Near a code <b>75.0 %</b>" in last
    assert "Test images right <b>3 of 9</b>" in last and "Codes changed <b>4</b>" in last
    assert 'aria-valuetext="12"' in last and "direction: ltr" in last  # its time runs downwards


def test_who_asked_for_less_motion_goes_record_by_record(node: str) -> None:
    (drawn,) = markup(node, ENTRY, replay().state() | {"still": True})
    assert ">Next record</button>" in drawn and ">Play</button>" not in drawn


def test_the_task_is_done_where_the_recorded_codes_first_rest(node: str) -> None:
    record = recorded_training()
    widget = replay(record.positions, frozen=record.frozen)
    changes = []
    for widget.frame in range(len(record.positions)):
        changes.append(widget.changed)
    rest = changes.index(0, 1)
    frames = [widget.state() | {"frame": frame} for frame in range(len(changes))]
    *shown, passing = markup(node, ENTRY, *frames, frames[rest] | {"playing": True})
    assert [i for i, text in enumerate(shown) if "✓ Done:" in text] == [rest]
    assert "✓ Done:" not in passing
    assert record.frozen < rest < len(changes) - 1 and changes[-1] == 0


def test_a_bar_for_each_record_so_far_says_how_many_codes_changed(node: str) -> None:
    record = recorded_training()
    widget = replay(record.positions, frozen=record.frozen)
    counts = []
    for widget.frame in range(len(record.positions)):
        counts.append(widget.changed)
    for frame in (0, record.frozen, len(counts) - 1):
        (drawn,) = markup(node, ENTRY, widget.state() | {"frame": frame})
        places = [float(y) for y, _ in re.findall(r"M84,([\d.]+)h([\d.]+)", drawn)]
        widths = [float(width) for _, width in re.findall(r"M84,([\d.]+)h([\d.]+)", drawn)]
        assert widths == pytest.approx([16 * n / max(counts) for n in counts[: frame + 1]])
        assert places == sorted(places) and len(set(places)) == len(places)


@pytest.mark.parametrize(
    ("state", "name", "value", "change"),
    [
        ({}, "play", "", {"frame": 1, "playing": True}),
        ({"frame": 1, "playing": True}, "play", "", {"frame": 1, "playing": False}),
        ({"playing": True, "frame": 1}, "tick", None, {"frame": 2, "playing": False}),
        ({"frame": 2}, "play", "", {"frame": 0, "playing": True}),
        ({"frame": 2}, "go", -1, {"frame": 1, "playing": False}),
        ({"playing": True}, "frame", 2, {"frame": 2, "playing": False}),
        ({"playing": True}, "speed", 4, {"speed": 4}),
    ],
    ids=["play", "stop", "the end", "again", "back", "the mark", "faster"],
)
def test_what_an_input_changes(
    node: str, state: dict, name: str, value: object, change: dict
) -> None:
    now = {"frame": 0, "steps": [0, 6, 12], "playing": False, "still": False}
    assert call(node, ENTRY, [["changed", now | state, name, value]]) == [change]


# ------------------------------------------------------------------ Python


@pytest.mark.parametrize(
    ("record", "error", "message"),
    [
        ({"frame": 3}, ValueError, "frame is 3, but the 3 frames count from 0"),
        ({"frozen": -1}, TraitError, "not be less than 0, but a value of -1"),
        ({"frozen": 3}, ValueError, "frozen is 3, but the 3 frames"),
        ({"losses": [1.0]}, ValueError, "losses has 1 entries, but positions 3 frames"),
        ({"right": [3, 4.5, 5]}, TraitError, "right"),
        ({"image": 9}, TypeError, "takes no image: it has .*images"),
    ],
)
def test_bad_records_are_named(record: dict, error: type, message: str) -> None:
    with pytest.raises(error, match=message):
        replay(**record)


@pytest.mark.parametrize(
    ("positions", "error", "message"),
    [
        (torch.zeros(3), ValueError, r"positions has shape \(3,\)"),
        (torch.zeros(0, 3), ValueError, "positions have 0 values"),
        (torch.zeros(101, 100), ValueError, "positions have 10100 values"),
        (torch.tensor([[math.nan]]), ValueError, "infinite, NaN"),
        (torch.zeros(2, 2, dtype=torch.float64), TypeError, "float64"),
    ],
    ids=["flat", "none", "many", "nan", "float64"],
)
def test_bad_positions_are_named(positions: Tensor, error: type, message: str) -> None:
    with pytest.raises(error, match=message):
        replay(positions)


def test_a_record_without_a_part_is_refused() -> None:
    with pytest.raises(TypeError, match="also needs frozen, images, .*, right"):
        TrainingReplay(POSITIONS, steps=[0, 1, 2], losses=[1.0] * 3)


def test_a_frame_that_is_not_there_changes_nothing() -> None:
    widget = replay(frame=1)
    with pytest.raises(ValueError, match="frame is 3"):
        widget.frame = 3
    assert widget.frame == 1
