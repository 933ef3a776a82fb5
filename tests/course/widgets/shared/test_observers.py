"""The observers in JavaScript against qlearn's: range and qparams after each batch, in all bits."""

from __future__ import annotations

from pathlib import Path

import pytest
from torch import Tensor

from proofs.draw import Draw
from qlearn import HistogramObserver, MinMaxObserver, MovingAverageMinMaxObserver
from qlearn.course.widgets.shared import figure
from tests.course.widgets.figures import call, with_other

OBSERVERS = figure.SHARED / "observers.js"
SEEDS = range(40)
BATCHES = 10
RANGES = """(name, constant, batches) => {
  const after = right.watched(name, constant, batches);
  after(3); // and then go on
  return after(batches.length).map(({ range, qparams: { scale, zeroPoint } }) => [
    ...range,
    scale,
    zeroPoint,
  ]);
}"""


def stream(seed: int) -> list[Tensor]:
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


def ranges(observer: MinMaxObserver, batches: list[Tensor]) -> list[list[float]]:
    """Return the range that the observer's qparams follow from after each batch, and those."""
    found = []
    for batch in batches:
        observer(batch)
        ends = (observer.min_val, observer.max_val)
        if isinstance(observer, HistogramObserver):
            ends = observer.best_range()
        qparams = observer.qparams()
        parts = (*ends, qparams.scale, qparams.zero_point)
        found.append([part.item() for part in parts if part is not None])
    return found


@pytest.fixture(scope="module")
def cases() -> list[tuple[str, float, list[Tensor], list[list[float]]]]:
    """Return observers, averaging constants, batches, and what qlearn finds after each batch."""
    made = []
    for seed in SEEDS:
        batches, constant = stream(seed), [0.01, 0.05, 0.3, 1.0][seed % 4]
        for name, observer in {
            "minmax": MinMaxObserver(),
            "moving_average": MovingAverageMinMaxObserver(averaging_constant=constant),
            "histogram": HistogramObserver(),
        }.items():
            made.append((name, constant, batches, ranges(observer, batches)))
    return made


def differing(node: str, folder: Path, module: Path, cases: list) -> set[str]:
    """Return the observers that the module gives any other range or qparams than qlearn's."""
    with_ranges = with_other(folder, module, "ranges", RANGES)
    calls = [["ranges", name, c, [x.tolist() for x in batches]] for name, c, batches, _ in cases]
    found = call(node, with_ranges, calls)
    return {name for (name, *_, wanted), got in zip(cases, found, strict=True) if got != wanted}


def test_every_range_equals_qlearns(node: str, tmp_path: Path, cases: list) -> None:
    assert differing(node, tmp_path, OBSERVERS, cases) == set()


def test_an_observer_that_forgets_is_seen(node: str, tmp_path: Path, cases: list) -> None:
    forgetful = """(name, constant, batches) => (count) =>
      batches.slice(0, count).map((batch) => right.watched(name, constant, [batch])(1)[0])"""
    broken = with_other(tmp_path, OBSERVERS, "watched", forgetful)
    every = {"minmax", "moving_average", "histogram"}
    assert differing(node, tmp_path, broken, cases) == every
