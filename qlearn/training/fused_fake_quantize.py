"""Fake quantization that observes the batches as it goes, with the kernel's own qparams."""

from __future__ import annotations

from typing import Unpack

import torch
from jaxtyping import Float32
from torch import Tensor

from qlearn.calibration.observers import (
    MovingAverageMinMaxObserver,
    MovingAveragePerChannelMinMaxObserver,
    ObserverOptions,
)
from qlearn.checks import check_float32
from qlearn.machine import fuses_averages
from qlearn.numbers.fake_quantize import fake_quantize
from qlearn.numbers.fma import fma
from qlearn.numbers.qparams import QParams
from qlearn.numbers.ranges import quant_range
from qlearn.numbers.rules.kernel import choose_quantization_params


class FusedMovingAverageFakeQuantize:
    """Follow the range of the batches, and fake-quantize each batch with the qparams so far.

    Calling it with a batch first moves the running minimum and maximum, as
    :class:`qlearn.MovingAverageMinMaxObserver` does (on ARM with one rounding for multiplying and
    adding together: see ``qlearn.machine``), then chooses qparams for them and returns
    ``fake_quantize(x, qparams)``, with its gradient. An empty batch is returned as it is.

    The qparams of training, ``qparams()``, are not those that the finished model gets,
    ``calibrated_qparams()``. The kernel chooses them by FBGEMM's rule, the conversion by the
    observers' rule. For int8, symmetric, and values in −1 … 1 that is a scale of 1/127 against
    1/127.5; for values in 0 … 1 it is 1/255 with zero point −128 against 1/127.5 with 0.

    Args:
        dtype: what the codes will be stored as, torch.uint8 by default.
        symmetric: keep the zero point in the middle; the kernel does so only where the range
            has values on both sides of 0.
        averaging_constant: the share of the way that a batch moves the range, 0.01 by default.
        reduce_range: halve the range of codes.
        quant_min: the smallest code, together with ``quant_max``; the dtype's when None.
        quant_max: the largest code.
        axis: the dimension that the channels run along; None for one range per tensor. torch
            has axis 0 only.

    Attributes:
        observer: the moving-average observer, with ``min_val`` and ``max_val``.
        observer_enabled: whether a batch moves the range; set it to False to freeze the range.
        fake_quant_enabled: whether a batch is fake-quantized or returned as it is.

    Raises:
        TypeError: when called with anything but a float32 tensor.
        ValueError: for options that the observers refuse; when called with infinities or NaN
            while the observer is enabled; when fake quantization has no range yet.

    Source: ``torch.fused_moving_avg_obs_fake_quant`` and its module
    ``torch.ao.quantization.FusedMovingAvgObsFakeQuantize``, on builds with FBGEMM.

    >>> fused = FusedMovingAverageFakeQuantize(dtype=torch.int8, symmetric=True)
    >>> y = fused(torch.tensor([-1.0, 0.5, 1.0]))
    >>> 1 / fused.qparams().scale, 1 / fused.calibrated_qparams().scale
    (tensor(127.), tensor(127.5000))
    """

    def __init__(
        self,
        *,
        averaging_constant: float = 0.01,
        axis: int | None = None,
        **options: Unpack[ObserverOptions],
    ) -> None:
        """Make the observer, which checks the options."""
        if options.get("quant_min") is None and options.get("quant_max") is None:
            # Spelled out, because torch's module spells it out too: the observers then put the
            # zero point of symmetric uint8 at 127, the middle of 0 … 255 rounded down, not at 128.
            quant_min, quant_max = quant_range(options.get("dtype", torch.uint8))
            options |= {"quant_min": quant_min, "quant_max": quant_max}
        self.observer = _observer(axis, averaging_constant, options)
        # Choosing once here refuses a range of codes that no batch could be quantized with.
        self._choose(-1.0, 1.0)
        self.observer_enabled = True
        self.fake_quant_enabled = True

    def __call__(self, x: Float32[Tensor, "*shape"]) -> Float32[Tensor, "*shape"]:
        """Observe ``x`` and return it fake-quantized."""
        check_float32(x)
        if self.observer_enabled:
            self.observer(x)
        if not self.fake_quant_enabled or x.numel() == 0:
            return x
        return fake_quantize(x, self.qparams())

    def qparams(self) -> QParams:
        """Return the qparams that training uses, which are FBGEMM's for the range so far.

        Raises:
            ValueError: nothing has been observed yet, or the range is too wide for float32.
        """
        observer = self.observer
        if observer.min_val is None or observer.max_val is None:
            raise ValueError(
                "no batch has been observed, so there is no range to fake-quantize with: call "
                "this with a batch while observer_enabled is True"
            )
        ends = observer.min_val.reshape(-1), observer.max_val.reshape(-1)
        pairs = [self._choose(low.item(), high.item()) for low, high in zip(*ends, strict=True)]
        shape = observer.min_val.shape
        scale = torch.tensor([scale for scale, _ in pairs], dtype=torch.float32).reshape(shape)
        zero_point = torch.tensor([zero_point for _, zero_point in pairs]).reshape(shape)
        return QParams(scale, zero_point, *self._codes(), observer.dtype, observer.axis)

    def calibrated_qparams(self) -> QParams:
        """Return the qparams that conversion takes, which are the observer's for this range.

        Raises:
            ValueError: nothing has been observed yet.
        """
        return self.observer.qparams()

    def _choose(self, low: float, high: float) -> tuple[float, int]:
        # Averages of two nearly equal ends may cross by a rounding. The kernel lets the range hold
        # 0 first, after which they are in order.
        low, high = min(low, 0.0), max(high, 0.0)
        symmetric = self.observer.symmetric
        return choose_quantization_params(
            low, high, *self._codes(), library="fbgemm", preserve_sparsity=symmetric
        )

    def _codes(self) -> tuple[int, int]:
        """Return the range of codes, halved if it is to be reduced."""
        quant_min, quant_max = self.observer.quant_min, self.observer.quant_max
        assert quant_min is not None and quant_max is not None
        half = 2 if self.observer.reduce_range else 1
        return quant_min // half, quant_max // half


class _KernelsObserver(MovingAverageMinMaxObserver):
    """Move the range with the rounding of torch's fused kernel on this machine."""

    def _moved(self, end: Tensor, batch: Tensor) -> Tensor:
        if fuses_averages():
            return fma(batch - end, end.new_tensor(self.averaging_constant), end)
        return super()._moved(end, batch)


class _KernelsChannelObserver(MovingAveragePerChannelMinMaxObserver, _KernelsObserver):
    """Move the range of each channel with that rounding."""


def _observer(
    axis: int | None, averaging_constant: float, options: ObserverOptions
) -> MovingAverageMinMaxObserver:
    """Return an observer of the whole tensor, or of each channel along ``axis``."""
    if axis is None:
        return _KernelsObserver(averaging_constant=averaging_constant, **options)
    return _KernelsChannelObserver(axis=axis, averaging_constant=averaging_constant, **options)
