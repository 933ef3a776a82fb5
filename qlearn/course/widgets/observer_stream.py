"""Observers watching a stream of batches: the range that each remembers, and what it is worth."""

from __future__ import annotations

import math
from typing import Any

import anywidget
import torch
import traitlets
from jaxtyping import Float32
from torch import Tensor

from qlearn.calibration.histogram_observer import HistogramObserver
from qlearn.calibration.observers import MinMaxObserver, MovingAverageMinMaxObserver
from qlearn.checks import check_float32
from qlearn.course.widgets.bundle import bundle, styles
from qlearn.numbers.fake_quantize import fake_quantize
from qlearn.numbers.metrics import sqnr
from qlearn.numbers.qparams import QParams

MAX_VALUES = 10_000
LARGEST = 1e30  # differences of such values, and sixteen times those, still fit float32
OBSERVERS = ("minmax", "moving_average", "histogram")


class ObserverStream(anywidget.AnyWidget):
    """Show the range that an observer has after each batch, and the error that follows from it.

    Batches arrive one by one; any of them can be given an outlier, a value that replaces its
    first. The codes are uint8, affine; the error is that of ``typical``, which no outlier enters.
    The browser computes everything, so the widget lives on a static page too; in a live notebook
    each step arrives in the traits below, and setting one moves the picture.

    Args:
        batches: float32, one batch a row.
        typical: float32 values to measure the error on; together with the batches at most 10,000
            values (they are stored in the page), all finite.
        observer: "minmax", "moving_average" or "histogram".
        averaging_constant: of the moving average.
        outlier: the value of an outlier.
        outliers: which batches have one, counted from 0.
        seen: how many batches have arrived at the start.

    Attributes:
        observer, averaging_constant, outliers, seen: as above.
        min_val, max_val: the range that qparams follow from; for the histogram observer the one
            that its search chose.
        sqnr: the SQNR of ``typical`` in dB, None when there is no error.

    Raises:
        TypeError: ``batches`` or ``typical`` is not a float32 tensor.
        ValueError: they are empty, too large for a page, or hold infinities, NaN or numbers beyond
            1e30, as the outlier may not be either; ``seen``, ``outliers`` or the constant lie
            outside what there is. Assignments raise likewise.
        traitlets.TraitError: there is no such observer.

    >>> ObserverStream(torch.tensor([[0.0, 1.0], [-1.0, 2.0]]), torch.tensor([0.5]), seen=2)
    ObserverStream(2 batches of 2, 2 seen, 0 outliers, minmax): range -1 … 2, SQNR 38.59 dB
    """

    _esm = bundle("observer_stream.js")
    _css = styles("observer_stream.css")

    values = traitlets.Bytes().tag(sync=True)
    batch_size = traitlets.Int(1).tag(sync=True)
    typical = traitlets.Bytes().tag(sync=True)
    outlier = traitlets.Float(0.0).tag(sync=True)
    observer = traitlets.Enum(OBSERVERS, "minmax").tag(sync=True)
    averaging_constant = traitlets.Float(0.01).tag(sync=True)
    outliers = traitlets.List(traitlets.Int()).tag(sync=True)
    seen = traitlets.Int(1).tag(sync=True)
    min_val = traitlets.Float(0.0).tag(sync=True)
    max_val = traitlets.Float(0.0).tag(sync=True)
    sqnr = traitlets.Float(None, allow_none=True).tag(sync=True)

    def __init__(
        self,
        batches: Float32[Tensor, "batches values"],
        typical: Float32[Tensor, "..."],
        *,
        observer: str = "minmax",
        averaging_constant: float = 0.01,
        outlier: float = 100.0,
        outliers: tuple[int, ...] = (),
        seen: int = 1,
    ) -> None:
        """Store the values, and let the observer see the first batches."""
        _check_values(batches, typical, outlier)
        settings = {
            "averaging_constant": averaging_constant,
            "outliers": list(outliers),
            "seen": seen,
        }
        for name, value in settings.items():
            _check_setting(name, value, len(batches))
        super().__init__(
            values=_stored(batches),
            batch_size=batches.shape[1],
            typical=_stored(typical),
            # float32, for a batch cannot hold any other
            outlier=torch.tensor(outlier, dtype=torch.float32).item(),
            observer=observer,
            **settings,
        )
        self._observe_stream()

    @property
    def qparams(self) -> QParams:
        """The qparams that follow from the batches seen."""
        return self._observer().qparams()

    @traitlets.observe("observer", "averaging_constant", "outliers", "seen")
    def _observe_stream(self, _: object = None) -> None:
        """Let a new observer see the batches, and measure the error that its qparams make."""
        observer = self._observer()
        typical = _loaded(self.typical)
        self.min_val, self.max_val = (end.item() for end in _range(observer))
        decibels = sqnr(typical, fake_quantize(typical, observer.qparams()))
        self.sqnr = decibels if math.isfinite(decibels) else None

    def _observer(self) -> MinMaxObserver:
        """Return the observer after it has seen the batches."""
        kinds = {"minmax": MinMaxObserver, "histogram": HistogramObserver}
        observer = (
            MovingAverageMinMaxObserver(averaging_constant=self.averaging_constant)
            if self.observer == "moving_average"
            else kinds[self.observer]()
        )
        batches = _loaded(self.values).reshape(-1, self.batch_size)
        batches[self.outliers, 0] = self.outlier
        for batch in batches[: self.seen]:
            observer(batch)
        return observer

    @traitlets.validate("seen", "outliers", "averaging_constant")
    def _check(self, proposal: dict[str, Any]) -> Any:
        """Refuse an assignment that the stream has no answer to."""
        _check_setting(proposal["trait"].name, proposal["value"], self._count())
        return proposal["value"]

    def _count(self) -> int:
        return len(self.values) // (4 * self.batch_size)

    def __repr__(self) -> str:
        """Say in one line what the widget shows; a notebook's re-run compares it."""
        noise = "no error" if self.sqnr is None else f"SQNR {self.sqnr:.2f} dB"
        return (
            f"ObserverStream({self._count()} batches of {self.batch_size}, {self.seen} seen, "
            f"{len(self.outliers)} outliers, {self.observer}): "
            f"range {self.min_val:.4g} … {self.max_val:.4g}, {noise}"
        )


def _check_setting(name: str, value: Any, count: int) -> None:
    """Raise unless a stream of ``count`` batches can be shown with this setting."""
    if name == "averaging_constant":
        MovingAverageMinMaxObserver(averaging_constant=value)  # which checks it
    elif name == "seen" and not 1 <= value <= count:
        raise ValueError(f"seen is {value}, but there are {count} batches: pass 1 to {count}")
    elif name == "outliers" and not all(0 <= batch < count for batch in value):
        raise ValueError(
            f"outliers is {value}, but the {count} batches have the numbers 0 to {count - 1}"
        )


def _range(observer: MinMaxObserver) -> tuple[Tensor, Tensor]:
    """Return the range that the observer computes its qparams from."""
    if isinstance(observer, HistogramObserver):
        return observer.best_range()
    assert observer.min_val is not None and observer.max_val is not None
    return observer.min_val, observer.max_val


def _stored(x: Tensor) -> bytes:
    return bytes(x.detach().flatten().contiguous().numpy().astype("<f4").tobytes())


def _loaded(stored: bytes) -> Tensor:
    return torch.frombuffer(bytearray(stored), dtype=torch.float32)


def _check_values(batches: Tensor, typical: Tensor, outlier: float) -> None:
    check_float32(batches)
    check_float32(typical)
    if batches.ndim != 2 or not batches.numel() or not typical.numel():
        raise ValueError(
            f"batches has shape {tuple(batches.shape)} and typical {tuple(typical.shape)}: "
            "pass one batch a row, and at least one value of each"
        )
    total = batches.numel() + typical.numel()
    if total > MAX_VALUES:
        raise ValueError(
            f"batches and typical have {total} values, but the page that stores them takes "
            f"{MAX_VALUES:,}: pass smaller or fewer batches"
        )
    for name, x in (("batches", batches), ("typical", typical), ("outlier", torch.tensor(outlier))):
        bad = int((~(x.abs() <= LARGEST)).sum())
        if bad:
            raise ValueError(
                f"{name} holds {bad} values that are infinite, NaN or beyond {LARGEST:g}, "
                "which no axis can show: leave them out"
            )
