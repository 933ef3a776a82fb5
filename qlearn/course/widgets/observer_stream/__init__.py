"""Observers watching a stream of batches: the range that each remembers, and what it is worth."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jaxtyping import Float32
from torch import Tensor
from traitlets import Bytes, Enum, Int, List

from qlearn.calibration.histogram_observer import HistogramObserver
from qlearn.calibration.observers import MinMaxObserver, MovingAverageMinMaxObserver
from qlearn.course.widgets.shared.figure import Figure
from qlearn.course.widgets.shared.print import counted, noise
from qlearn.course.widgets.shared.traits import Number, present
from qlearn.course.widgets.shared.values import LARGEST, loaded, matrix_shape, stored
from qlearn.numbers.fake_quantize import fake_quantize
from qlearn.numbers.metrics import sqnr
from qlearn.numbers.qparams import QParams

OBSERVERS: dict[str, Callable[[float], MinMaxObserver]] = {
    "minmax": lambda _: MinMaxObserver(),
    "moving_average": lambda c: MovingAverageMinMaxObserver(averaging_constant=c),
    "histogram": lambda _: HistogramObserver(),
}


class ObserverStream(Figure):
    """Show the range that an observer has after each batch, and the error that follows from it.

    Batches arrive one by one; any of them can be given an outlier, a value that replaces its
    first. The codes are uint8, affine; the error is that of ``typical``, which no outlier enters.

    Args:
        batches: float32, one batch a row.
        typical: float32 values to measure the error on; with the batches at most 10,000, finite.
        settings: ``observer`` ("minmax", "moving_average" or "histogram"), its
            ``averaging_constant``, the value of an ``outlier``, which batches are ``outliers``,
            counted from 0, and how many batches are ``seen`` at the start.

    >>> from torch import tensor
    >>> ObserverStream(tensor([[0.0, 1.0], [-1.0, 2.0]]), tensor([0.5]), seen=2)
    ObserverStream(2 batches of 2, 2 seen, 0 outliers, minmax): range -1 … 2, SQNR 38.59 dB
    """

    values = Bytes().tag(sync=True)
    count = Int(1, min=1).tag(sync=True)
    batch_size = Int(1, min=1).tag(sync=True)
    outlier = Number(100.0, min=-LARGEST, max=LARGEST).tag(sync=True)
    outliers = List(Int(min=0)).tag(sync=True)
    observer = Enum(tuple(OBSERVERS), "minmax").tag(sync=True)
    averaging_constant = Number(0.01, min=1e-6, max=1.0).tag(sync=True)
    seen = Int(1, min=1).tag(sync=True)
    _check_outliers = present("outliers", lambda self: range(self.count))
    _check_seen = present("seen", lambda self: range(1, self.count + 1))

    def __init__(
        self, batches: Float32[Tensor, "count k"], typical: Float32[Tensor, "..."], **settings: Any
    ) -> None:
        count, size = matrix_shape(batches, "batches", "a batch")
        values = stored(batches=batches, typical=typical)
        super().__init__(values=values, count=count, batch_size=size, **settings)

    @property
    def watching(self) -> MinMaxObserver:
        """The observer after the batches that it has seen."""
        batches = loaded(self.values)[: self.count * self.batch_size].reshape(self.count, -1)
        batches[self.outliers, 0] = self.outlier
        observer = OBSERVERS[self.observer](self.averaging_constant)
        for batch in batches[: self.seen]:
            observer(batch)
        return observer

    @property
    def qparams(self) -> QParams:
        """The qparams that follow from the batches seen."""
        return self.watching.qparams()

    @property
    def range(self) -> tuple[float, float]:
        """The range that they follow from; HistogramObserver has searched for it."""
        seen: Any = self.watching
        searched = self.observer == "histogram"
        low, high = seen.best_range() if searched else (seen.min_val, seen.max_val)
        return low.item(), high.item()

    @property
    def sqnr(self) -> float:
        """The SQNR of the typical values in dB, infinite when there is no error."""
        typical = loaded(self.values)[self.count * self.batch_size :]
        return sqnr(typical, fake_quantize(typical, self.qparams))

    def __repr__(self) -> str:
        """Say in one line what the widget shows; a notebook's re-run compares it."""
        low, high = self.range
        return (
            f"ObserverStream({self.count} batches of {self.batch_size}, {self.seen} seen, "
            f"{counted(len(self.outliers), 'outlier')}, {self.observer}): "
            f"range {low:.4g} … {high:.4g}, {noise(self.sqnr)}"
        )
