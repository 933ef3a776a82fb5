"""The observers in JavaScript against qlearn's: the range after every batch, in every bit."""

import json
from pathlib import Path

import pytest
import torch

from proofs.draw import Draw
from qlearn import HistogramObserver, MinMaxObserver, MovingAverageMinMaxObserver
from qlearn.course.widgets.bundle import STATIC
from tests.course.widgets.javascript import broken, compare, wrong

BATCHES = 10


def stream(seed: int) -> list[torch.Tensor]:
    """Return batches: one-sided, of several sizes, with outliers, at first all the same."""
    draw = Draw(seed)
    batches = []
    for i in range(BATCHES):
        x = draw.normal(draw.integer(1, 300))
        if seed % 4 == 3:
            x *= 10.0 ** draw.integer(-2, 1)
        if seed % 3 == 1:
            x = x.relu()
        if seed % 2 and i == 4:
            x[0] = 50.0
        if seed % 10 == 9 and i < 2:
            x[:] = x[0]
        batches.append(x)
    return batches


def chosen(observer: MinMaxObserver) -> list[float]:
    if isinstance(observer, HistogramObserver):
        return [end.item() for end in observer.best_range()]
    return [observer.min_val.item(), observer.max_val.item()]


def write_streams(path: Path, seeds: range) -> None:
    cases = []
    for seed in seeds:
        constant = [0.01, 0.05, 0.3, 1.0][seed % 4]
        observers = {
            "minmax": MinMaxObserver(),
            "moving_average": MovingAverageMinMaxObserver(averaging_constant=constant),
            "histogram": HistogramObserver(),
        }
        batches = stream(seed)
        for name, observer in observers.items():
            ranges = [chosen(observer) for x in batches if observer(x) is x]
            values = [x.tolist() for x in batches]
            case = {"observer": name, "averagingConstant": constant}
            cases.append(case | {"batches": values, "ranges": ranges})
    path.write_text(json.dumps(cases))


@pytest.fixture(scope="module")
def streams(tmp_path_factory):
    path = tmp_path_factory.mktemp("streams") / "streams.json"
    write_streams(path, range(60))
    return path


def test_every_range_equals_qlearns(node, streams):
    report = compare(node, "compare_ranges.mjs", STATIC / "observer_math.js", streams)
    assert report["ranges"] == 60 * 3 * BATCHES
    assert report["differing"] == {"minmax": 0, "moving_average": 0, "histogram": 0}


@pytest.mark.parametrize(
    ("right", "replacement", "seen_in"),
    [
        ("Math.min(range[0], seen[0])", "seen[0]", "minmax"),
        ("Math.fround(share * Math.fround(seen - old))", "share * (seen - old)", "moving_average"),
        ("range = range === null ? seen", "range = range === null ? [0, 0]", "moving_average"),
        ("const PARTS = 16", "const PARTS = 1", "histogram"),
        ("const STEP = 1e-5", "const STEP = 1e-3", "histogram"),
        ("const CODES = 256", "const CODES = 16", "histogram"),
        ("let least = Infinity", "let least = expectedError(counts, range, best)", "histogram"),
        ("if (low === high) [low, high]", "if (false) [low, high]", "histogram"),
    ],
    ids=[
        "forgets",
        "float64",
        "starts-at-0",
        "one-part",
        "long-step",
        "few-codes",
        "first-step-tested",
        "one-value",
    ],
)
def test_a_broken_observer_is_seen(node, tmp_path, streams, right, replacement, seen_in):
    module = broken(tmp_path, "observer_math.js", right, replacement)
    assert seen_in in wrong(compare(node, "compare_ranges.mjs", module, streams))
