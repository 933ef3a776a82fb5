"""The quantizer to play with: one tensor, one set of qparams, and the error they make."""

from __future__ import annotations

import math
from typing import Any

import anywidget
import torch
import traitlets
from jaxtyping import Float32
from torch import Tensor

from qlearn.choose import choose_qparams
from qlearn.codes import check_float32, dequantize, quantize
from qlearn.metrics import clipped_share, max_error, mse, sqnr
from qlearn.qparams import QParams
from qlearn.ranges import quant_range
from qlearn.widgets.bundle import STATIC, bundle

MAX_VALUES = 10_000


class Quantizer(anywidget.AnyWidget):
    """Show how ``x`` is quantized while scale, zero point, bits and scheme are moved.

    The browser computes everything, so the widget lives on a static page too; in a live
    notebook each move arrives in the traits below, and setting one moves the picture.

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
        mse, max_error, sqnr, clipped_share: what :mod:`qlearn.metrics` says of the result;
            sqnr, in dB, is None when there is no error.

    Raises:
        TypeError: ``x`` is not a float32 tensor.
        ValueError: ``x`` is empty, too large for a page, or holds infinities or NaN; scale
            and zero point are no valid :class:`~qlearn.QParams`.

    >>> Quantizer(torch.tensor([-1.0, 0.0, 1.0, 20.0]), symmetric=False)
    Quantizer(4 values, 8 bits, signed, affine): scale 0.08235, zero point -116, SQNR 59.86 dB
    """

    _esm = bundle("quantizer.js")
    _css = (STATIC / "widget.css").read_text(encoding="utf-8")

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
        _check_values(x)
        flat = x.detach().flatten().contiguous()
        super().__init__(
            values=flat.numpy().astype("<f4").tobytes(),
            bits=bits,
            signed=signed,
            symmetric=symmetric,
        )
        fitted = self._fit(flat)
        self.scale = fitted.scale.item() if scale is None else scale
        self.zero_point = int(fitted.zero_point) if zero_point is None else zero_point
        self._measure(flat)

    @property
    def qparams(self) -> QParams:
        """The qparams that the widget shows now."""
        dtype = torch.int8 if self.signed else torch.uint8
        return QParams(self.scale, self.zero_point, *quant_range(dtype, bits=self.bits), dtype)

    def _fit(self, x: Tensor) -> QParams:
        """Return what torch's observer would choose for ``x``."""
        dtype = torch.int8 if self.signed else torch.uint8
        low, high = quant_range(dtype, bits=self.bits)
        # All eight bits are torch's default range; fewer are a range of one's own.
        own: dict[str, Any] = {} if self.bits == 8 else {"quant_min": low, "quant_max": high}
        return choose_qparams(x.min(), x.max(), dtype=dtype, symmetric=self.symmetric, **own)

    def _measure(self, x: Tensor) -> None:
        """Set the errors that the qparams make."""
        qparams = self.qparams
        self.scale = qparams.scale.item()  # as float32, which is what the kernels compute with
        restored = dequantize(quantize(x, qparams), qparams)
        self.mse, self.max_error = mse(x, restored), max_error(x, restored)
        decibels = sqnr(x, restored)
        self.sqnr = decibels if math.isfinite(decibels) else None
        self.clipped_share = clipped_share(x, qparams)

    def __repr__(self) -> str:
        """Say in one line what the widget shows; a notebook's re-run compares it."""
        codes = "signed" if self.signed else "unsigned"
        scheme = "symmetric" if self.symmetric else "affine"
        noise = "no error" if self.sqnr is None else f"SQNR {self.sqnr:.2f} dB"
        return (
            f"Quantizer({len(self.values) // 4} values, {self.bits} bits, {codes}, {scheme}): "
            f"scale {self.scale:.4g}, zero point {self.zero_point}, {noise}"
        )


def _check_values(x: Tensor) -> None:
    if not 1 <= x.numel() <= MAX_VALUES:
        raise ValueError(
            f"x has {x.numel()} values, but the page that stores them takes 1 to {MAX_VALUES:,}: "
            f"pass a sample, for example x.flatten()[torch.randperm(x.numel())[:{MAX_VALUES}]]"
        )
    bad = int((~torch.isfinite(x)).sum())
    if bad:
        raise ValueError(
            f"x holds {bad} values that are infinite or NaN, which no axis can show: "
            "leave them out, for example with x[torch.isfinite(x)]"
        )
