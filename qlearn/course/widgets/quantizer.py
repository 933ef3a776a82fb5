"""The quantizer to play with: one tensor, one set of qparams, and the error they make."""

from __future__ import annotations

import math
from typing import Any

import anywidget
import torch
import traitlets
from jaxtyping import Float32
from torch import Tensor

from qlearn.checks import check_float32
from qlearn.course.widgets.bundle import bundle, styles
from qlearn.numbers.metrics import clipped_share, max_error, mse, sqnr
from qlearn.numbers.qparams import QParams
from qlearn.numbers.quantize import dequantize, quantize
from qlearn.numbers.ranges import quant_range
from qlearn.numbers.rules.observer import choose_qparams

MAX_VALUES = 10_000
LARGEST = 1e36  # sixteen times the width of such data, the slider's end, still fits float32


class Quantizer(anywidget.AnyWidget):
    """Show how ``x`` is quantized while scale, zero point, bits and scheme are moved.

    The browser computes everything, so the widget lives on a static page too; in a live
    notebook each move arrives in the traits below, and setting one moves the picture. Another
    number of bits, signedness or scheme is fitted to ``x`` anew.

    Args:
        x: float32 values, at most 10,000 (they are stored in the page), all finite.
        bits: 2 to 8.
        signed: codes of a signed integer type.
        symmetric: the zero point stays in the middle of the codes.
        scale: where to start, instead of what torch's observers choose.
        zero_point: likewise.

    Attributes:
        bits, signed, symmetric: as above.
        scale, zero_point: the qparams, at first those that torch's observers choose.
        mse, max_error, sqnr, clipped_share: what :mod:`qlearn.numbers.metrics` says of the result;
            sqnr, in dB, is None when there is no error.

    Raises:
        TypeError: ``x`` is not a float32 tensor.
        ValueError: ``x`` is empty, too large for a page, or holds infinities, NaN or numbers
            beyond 1e36; scale and zero point are no valid :class:`~qlearn.QParams`, or the zero
            point is not the middle of symmetric codes. Assignments raise likewise.

    >>> Quantizer(torch.tensor([-1.0, 0.0, 1.0, 20.0]), symmetric=False)
    Quantizer(4 values, 8 bits, signed, affine): scale 0.08235, zero point -116, SQNR 59.86 dB
    """

    _esm = bundle("quantizer.js")
    _css = styles()

    values = traitlets.Bytes().tag(sync=True)
    bits = traitlets.Int(8, min=2, max=8).tag(sync=True)
    signed = traitlets.Bool(True).tag(sync=True)
    symmetric = traitlets.Bool(True).tag(sync=True)
    scale = traitlets.Float(1.0).tag(sync=True)
    zero_point = traitlets.Int(0).tag(sync=True)
    mse = traitlets.Float(0.0).tag(sync=True)
    sqnr = traitlets.Float(None, allow_none=True).tag(sync=True)
    max_error = traitlets.Float(0.0).tag(sync=True)
    clipped_share = traitlets.Float(0.0).tag(sync=True)

    def __init__(
        self,
        x: Float32[Tensor, "..."],
        *,
        bits: int = 8,
        signed: bool = True,
        symmetric: bool = True,
        scale: float | None = None,
        zero_point: int | None = None,
    ) -> None:
        """Take the qparams given, or fit them to ``x`` as torch's observers do."""
        check_float32(x)
        check_values(x)
        flat = x.detach().flatten().contiguous()
        super().__init__(
            values=flat.numpy().astype("<f4").tobytes(),
            bits=bits,
            signed=signed,
            symmetric=symmetric,
        )
        self._fit()
        self._show(
            self.scale if scale is None else scale,
            self.zero_point if zero_point is None else zero_point,
        )

    @property
    def qparams(self) -> QParams:
        """The qparams that the widget shows now."""
        return QParams(self.scale, self.zero_point, *self._codes(), self._dtype())

    @traitlets.observe("bits", "signed", "symmetric")
    def _fit(self, _: object = None) -> None:
        """Fit scale and zero point anew."""
        fitted = self._fitted()
        self._show(fitted.scale.item(), int(fitted.zero_point))

    def _fitted(self) -> QParams:
        """Return what torch's observer would choose for ``x``."""
        x = self._x()
        low, high = self._codes()
        # All eight bits are torch's default range; fewer are a range of one's own.
        own: dict[str, Any] = {} if self.bits == 8 else {"quant_min": low, "quant_max": high}
        return choose_qparams(
            x.min(), x.max(), dtype=self._dtype(), symmetric=self.symmetric, **own
        )

    @traitlets.observe("scale", "zero_point")
    def _measure(self, _: object = None) -> None:
        """Measure the errors that the qparams make."""
        x, qparams = self._x(), self.qparams
        restored = dequantize(quantize(x, qparams), qparams)
        decibels = sqnr(x, restored)
        self.mse, self.max_error = mse(x, restored), max_error(x, restored)
        self.sqnr = decibels if math.isfinite(decibels) else None
        self.clipped_share = clipped_share(x, qparams)

    def _show(self, scale: float, zero_point: int) -> None:
        """Check both before either is set, and measure them together."""
        scale, zero_point = self._checked_scale(scale), self._checked_zero_point(zero_point)
        with self.hold_trait_notifications():
            self.scale, self.zero_point = scale, zero_point

    @traitlets.validate("scale", "zero_point")
    def _check(self, proposal: dict[str, Any]) -> Any:
        """Refuse an assignment that makes no valid QParams."""
        check = {"scale": self._checked_scale, "zero_point": self._checked_zero_point}
        return check[proposal["trait"].name](proposal["value"])

    def _checked_scale(self, scale: float) -> float:
        """Return the scale as float32, which is what the kernels compute with."""
        return QParams(scale, 0, -128, 127, torch.int8).scale.item()

    def _checked_zero_point(self, zero_point: int) -> int:
        QParams(1.0, zero_point, *self._codes(), self._dtype())  # which checks the range
        if self.symmetric and zero_point != (middle := int(self._fitted().zero_point)):
            raise ValueError(
                f"zero_point is {zero_point}, but symmetric codes of this kind have the zero point "
                f"{middle}: set symmetric=False to move it"
            )
        return zero_point

    def _dtype(self) -> torch.dtype:
        return torch.int8 if self.signed else torch.uint8

    def _codes(self) -> tuple[int, int]:
        return quant_range(self._dtype(), bits=self.bits)

    def _x(self) -> Tensor:
        return torch.frombuffer(bytearray(self.values), dtype=torch.float32)

    def __repr__(self) -> str:
        """Say in one line what the widget shows; a notebook's re-run compares it."""
        codes = "signed" if self.signed else "unsigned"
        scheme = "symmetric" if self.symmetric else "affine"
        noise = "no error" if self.sqnr is None else f"SQNR {self.sqnr:.2f} dB"
        return (
            f"Quantizer({len(self.values) // 4} values, {self.bits} bits, {codes}, {scheme}): "
            f"scale {self.scale:.4g}, zero point {self.zero_point}, {noise}"
        )


def check_values(x: Tensor) -> None:
    """Raise ValueError for values that a page cannot store or an axis cannot show."""
    if not 1 <= x.numel() <= MAX_VALUES:
        raise ValueError(
            f"x has {x.numel()} values, but the page that stores them takes 1 to {MAX_VALUES:,}: "
            f"pass a sample, for example x.flatten()[torch.randperm(x.numel())[:{MAX_VALUES}]]"
        )
    bad = int((~(x.abs() <= LARGEST)).sum())
    if bad:
        raise ValueError(
            f"x holds {bad} values that are infinite, NaN or beyond {LARGEST:g}, which no axis can "
            f"show: leave them out, for example with x[x.abs() <= {LARGEST:g}]"
        )
