"""Observers: they look at tensors, remember a range, and choose qparams from it.

Each keeps two numbers a tensor, or two a channel. What differs is how a new batch changes them.
"""

from __future__ import annotations

from typing import TypedDict, Unpack

import torch
from jaxtyping import Float32
from torch import Tensor

from qlearn.checks import check_float32, check_integer
from qlearn.numbers.extremes import extremes
from qlearn.numbers.qparams import QParams
from qlearn.numbers.rules.observer import choose_qparams


class ObserverOptions(TypedDict, total=False):
    """The options that all observers share: see :class:`MinMaxObserver`."""

    dtype: torch.dtype
    symmetric: bool
    reduce_range: bool
    quant_min: int | None
    quant_max: int | None


class MinMaxObserver:
    """Remember the smallest and the largest value ever seen.

    Calling the observer with a tensor observes it and returns it unchanged. An empty tensor
    changes nothing. A batch that is refused leaves the range as it was.

    Args:
        dtype: what the codes will be stored as.
        symmetric: keep the zero point in the middle.
        reduce_range: halve the range of codes.
        quant_min: the smallest code, together with ``quant_max``.
        quant_max: the largest code.

    Attributes:
        min_val: the smallest value so far, shape () or (C,); None before the first batch.
        max_val: the largest value so far, likewise.

    Raises:
        TypeError: when called with anything but a float32 tensor.
        ValueError: when called with infinities or NaN, from which no finite range follows.

    Source: ``torch.ao.quantization.observer.MinMaxObserver``; the options are those of
    :func:`qlearn.choose_qparams`, which raises for the ones that make no sense.

    >>> observer = MinMaxObserver(dtype=torch.uint8)
    >>> _ = observer(torch.tensor([-1.0, 0.5])), observer(torch.tensor([0.0, 3.0]))
    >>> observer.qparams()
    QParams(scale=0.015686275, zero_point=64,
            quant_min=0, quant_max=255, dtype=torch.uint8)
    """

    axis: int | None = None

    def __init__(
        self,
        *,
        dtype: torch.dtype = torch.uint8,
        symmetric: bool = False,
        reduce_range: bool = False,
        quant_min: int | None = None,
        quant_max: int | None = None,
    ) -> None:
        """Check the options by choosing qparams for a trivial range."""
        self.dtype = dtype
        self.symmetric = symmetric
        self.reduce_range = reduce_range
        self.quant_min = quant_min
        self.quant_max = quant_max
        self.min_val: Float32[Tensor, "*channels"] | None = None
        self.max_val: Float32[Tensor, "*channels"] | None = None
        self._choose(torch.tensor(0.0), torch.tensor(1.0), axis=None)

    def __call__(self, x: Float32[Tensor, "*shape"]) -> Float32[Tensor, "*shape"]:
        """Observe ``x`` and return it."""
        check_float32(x)
        if x.numel():
            self.min_val, self.max_val = self._update(*extremes(x, self.axis))
        return x

    def qparams(self) -> QParams:
        """Return the qparams for the range seen so far.

        Raises:
            ValueError: nothing has been observed yet.
        """
        if self.min_val is None or self.max_val is None:
            raise ValueError(
                "the observer has seen no values, so it has no range: call it with a batch first"
            )
        return self._choose(self.min_val, self.max_val, self.axis)

    def _choose(self, low: Tensor, high: Tensor, axis: int | None) -> QParams:
        # Rounding may leave an averaged minimum just above its maximum, where torch stops with
        # an AssertionError. Choosing widens the range to 0 in any case.
        return choose_qparams(
            low,
            torch.maximum(low, high),
            dtype=self.dtype,
            symmetric=self.symmetric,
            reduce_range=self.reduce_range,
            quant_min=self.quant_min,
            quant_max=self.quant_max,
            axis=axis,
        )

    def _update(self, low: Tensor, high: Tensor) -> tuple[Tensor, Tensor]:
        """Return the range that the old one and the batch's extremes make together."""
        if self.min_val is None or self.max_val is None:
            return low, high
        return torch.minimum(self.min_val, low), torch.maximum(self.max_val, high)


class MovingAverageMinMaxObserver(MinMaxObserver):
    """Let the range follow the extremes of the batches, by a constant share of the way.

    ``min ← min + c·(batch's min − min)`` in float32, and the same for max; the first batch sets
    both. So the range forgets an outlier in time, and lies inside the values it has seen, but for
    rounding; a step of more than float32's largest number makes it infinite.

    Args:
        averaging_constant: c, above 0 and at most 1; 0.01 by default. At 1 only the last batch
            counts, but for rounding.
        **options: those of :class:`MinMaxObserver`.

    Raises:
        ValueError: the constant lies outside that range; otherwise as MinMaxObserver.

    Source: ``torch.ao.quantization.observer.MovingAverageMinMaxObserver``.

    >>> observer = MovingAverageMinMaxObserver(averaging_constant=0.5)
    >>> _ = observer(torch.tensor([0.0, 4.0])), observer(torch.tensor([0.0, 8.0]))
    >>> observer.max_val
    tensor(6.)
    """

    def __init__(
        self, *, averaging_constant: float = 0.01, **options: Unpack[ObserverOptions]
    ) -> None:
        """Check the averaging constant."""
        super().__init__(**options)
        if not (isinstance(averaging_constant, int | float) and 0 < averaging_constant <= 1):
            raise ValueError(
                f"averaging_constant is {averaging_constant!r}, but it is the share of the way to "
                "the new extremes: pass a number above 0 and at most 1"
            )
        self.averaging_constant = averaging_constant

    def _update(self, low: Tensor, high: Tensor) -> tuple[Tensor, Tensor]:
        if self.min_val is None or self.max_val is None:
            return low, high
        return self._moved(self.min_val, low), self._moved(self.max_val, high)

    def _moved(self, end: Tensor, batch: Tensor) -> Tensor:
        """Return an end of the range, moved by its share of the way to the batch's."""
        return end + self.averaging_constant * (batch - end)


class PerChannelMinMaxObserver(MinMaxObserver):
    """Remember the smallest and the largest value of each channel.

    Args:
        axis: the dimension that the channels run along; 0 by default.
        **options: those of :class:`MinMaxObserver`.

    Raises:
        TypeError: the axis is not an integer; otherwise as MinMaxObserver.
        ValueError: a batch that is not empty lacks the axis, or has another number of channels
            than the first; otherwise as MinMaxObserver.

    Source: ``torch.ao.quantization.observer.PerChannelMinMaxObserver``.

    >>> observer = PerChannelMinMaxObserver(dtype=torch.int8, symmetric=True)
    >>> _ = observer(torch.tensor([[-1.0, 1.0], [-2.0, 4.0]]))
    >>> observer.qparams().scale
    tensor([0.0078, 0.0314])
    """

    def __init__(self, *, axis: int = 0, **options: Unpack[ObserverOptions]) -> None:
        """Keep the axis."""
        super().__init__(**options)
        check_integer(axis, "axis")
        self.axis = axis

    def _update(self, low: Tensor, high: Tensor) -> tuple[Tensor, Tensor]:
        if self.min_val is not None and low.shape != self.min_val.shape:
            raise ValueError(
                f"the batch has {low.numel()} channels along axis {self.axis}, but the observer "
                f"has seen {self.min_val.numel()}: use a new observer for another layer"
            )
        return super()._update(low, high)


class MovingAveragePerChannelMinMaxObserver(PerChannelMinMaxObserver, MovingAverageMinMaxObserver):
    """Let each channel's range follow the extremes of its batches.

    For each channel ``min ← min + c·(batch's min − min)`` in float32, and the same for max; the
    first batch sets both.

    Args:
        averaging_constant: c, as in :class:`MovingAverageMinMaxObserver`.
        axis: as in :class:`PerChannelMinMaxObserver`.
        **options: those of :class:`MinMaxObserver`.

    Raises:
        TypeError: the axis is not an integer; otherwise as MinMaxObserver.
        ValueError: c is not above 0 and at most 1; a batch that is not empty lacks the axis, or
            has another number of channels than the first; otherwise as MinMaxObserver.

    Source: ``torch.ao.quantization.observer.MovingAveragePerChannelMinMaxObserver``.

    >>> observer = MovingAveragePerChannelMinMaxObserver(averaging_constant=0.5)
    >>> _ = observer(torch.tensor([[0.0, 4.0]])), observer(torch.tensor([[0.0, 8.0]]))
    >>> observer.max_val
    tensor([6.])
    """

    def __init__(
        self,
        *,
        averaging_constant: float = 0.01,
        axis: int = 0,
        **options: Unpack[ObserverOptions],
    ) -> None:
        """Check the averaging constant and the axis."""
        MovingAverageMinMaxObserver.__init__(self, averaging_constant=averaging_constant, **options)
        check_integer(axis, "axis")
        self.axis = axis
