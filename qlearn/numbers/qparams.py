"""Quantization parameters: what turns an integer code back into a real number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float32, Int32
from torch import Tensor

from qlearn.checks import (
    check_axis,
    check_integer,
    check_quant_range,
    check_same_shape,
    real_tensor,
)

# The smallest float32 whose reciprocal is finite; the kernels multiply by that reciprocal.
SMALLEST_SCALE = 2.0**-128 * (1 + 2.0**-21)


@dataclass(frozen=True, init=False, eq=False, repr=False)
class QParams:
    """The meaning of a code: ``x = scale · (code − zero_point)``.

    One scale and zero point serve a whole tensor (shape ``()``, ``axis=None``), or there is
    one of each for every slice along ``axis`` (shape ``(C,)``).

    Attributes:
        scale: the width of one step, in the units of x; float32, positive, finite.
        zero_point: the code that means exactly 0.0; int32, in quant_min … quant_max.
        quant_min: the smallest code.
        quant_max: the largest code.
        dtype: what the codes are stored as: torch.int8, torch.uint8 or torch.int32.
        axis: the dimension that the C entries run along; None for one pair per tensor.

    ``scale`` takes a float, a sequence or a floating tensor and is rounded to float32, because
    the kernels compute with that; ``zero_point`` takes integers. Both are copied, and
    checked once: do not write into the two tensors afterwards. Two QParams are equal when all
    six attributes are.

    Raises:
        ValueError: scale is not positive and finite, or so small that 1/scale overflows
            float32; zero_point lies outside the range; the range does not fit the dtype;
            shapes and axis do not belong together.
        TypeError: a zero point, a bound or an axis is not an integer.

    >>> QParams(0.1, 10, -128, 127, torch.int8)
    QParams(scale=0.1, zero_point=10,
            quant_min=-128, quant_max=127, dtype=torch.int8)
    """

    scale: Float32[Tensor, "*channels"]
    zero_point: Int32[Tensor, "*channels"]
    quant_min: int
    quant_max: int
    dtype: torch.dtype
    axis: int | None = None

    def __init__(
        self,
        scale: float | Sequence[float] | Tensor,
        zero_point: int | Sequence[int] | Tensor,
        quant_min: int,
        quant_max: int,
        dtype: torch.dtype,
        axis: int | None = None,
    ) -> None:
        """Check the six values and keep copies of the two tensors."""
        check_quant_range(quant_min, quant_max, dtype)
        scales = _scale_tensor(scale)
        zero_points = _zero_point_tensor(zero_point, quant_min, quant_max).to(scales.device)
        _check_shapes(scales, zero_points, axis)
        # Frozen fields cannot be assigned; attrs, which could convert them, would be a dependency.
        vars(self).update(scale=scales, zero_point=zero_points, dtype=dtype, axis=axis)
        vars(self).update(quant_min=quant_min, quant_max=quant_max)

    def __eq__(self, other: object) -> bool:
        """Compare all six attributes; tensors by shape and value."""
        if not isinstance(other, QParams):
            return NotImplemented
        return (
            torch.equal(self.scale, other.scale)
            and torch.equal(self.zero_point, other.zero_point)
            and (self.quant_min, self.quant_max) == (other.quant_min, other.quant_max)
            and (self.dtype, self.axis) == (other.dtype, other.axis)
        )

    def __repr__(self) -> str:
        """Spell the constructor call, each float32 scale with as few digits as identify it."""
        scale, zero_point = self.scale.numpy(force=True), self.zero_point.tolist()
        scales = str(scale) if self.axis is None else f"[{', '.join(map(str, scale))}]"
        axis = "" if self.axis is None else f", axis={self.axis}"
        return (
            f"QParams(scale={scales}, zero_point={zero_point},\n"
            f"        quant_min={self.quant_min}, quant_max={self.quant_max}, "
            f"dtype={self.dtype}{axis})"
        )

    __hash__ = None  # type: ignore[assignment]  # tensors are compared by value, not hashed

    def aligned_with(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Return scale and zero point in a shape that broadcasts against ``x``.

        Raises:
            ValueError: ``x`` lacks the axis, or has another number of channels along it.
        """
        if self.axis is None:
            return self.scale, self.zero_point
        check_axis(self.axis, x)
        channels = self.scale.numel()
        if x.shape[self.axis] != channels:
            raise ValueError(
                f"the tensor has {x.shape[self.axis]} channels along axis {self.axis} "
                f"(shape {tuple(x.shape)}), but the qparams have {channels}: "
                "give one scale and one zero point for each channel"
            )
        shape = [1] * x.ndim
        shape[self.axis] = channels
        return self.scale.reshape(shape), self.zero_point.reshape(shape)


def _scale_tensor(scale: Any) -> Float32[Tensor, "*channels"]:
    given = real_tensor("scale", scale)
    scales = given.to(torch.float32, copy=True)
    bad = ~(torch.isfinite(scales) & (scales >= SMALLEST_SCALE))
    if bad.any():
        raise ValueError(
            f"scale is {given[bad][0].item()!r}, but every scale must be finite and at "
            f"least {SMALLEST_SCALE:.4g}, so that 1/scale is finite in float32; "
            "choose_qparams computes a valid one from a range"
        )
    return scales


def _zero_point_tensor(
    zero_point: Any, quant_min: int, quant_max: int
) -> Int32[Tensor, "*channels"]:
    given = real_tensor("zero_point", zero_point)
    if given.is_floating_point():
        raise TypeError(
            f"zero_point has dtype {given.dtype}, but it is a code: pass integers "
            "(round a float one yourself, so that the rounding is yours)"
        )
    codes = given.to(torch.int64)
    outside = (codes < quant_min) | (codes > quant_max)
    if outside.any():
        raise ValueError(
            f"zero_point {codes[outside][0].item()} lies outside "
            f"{quant_min}..{quant_max}: 0.0 would have no code; "
            "widen the range or move the zero point into it"
        )
    return codes.to(torch.int32)


def _check_shapes(scale: Tensor, zero_point: Tensor, axis: int | None) -> None:
    check_same_shape(scale, zero_point, ("scale", "zero_point"))
    if axis is None:
        if scale.ndim != 0:
            raise ValueError(
                f"scale has shape {tuple(scale.shape)} but axis is None: say which axis the "
                "channels run along, or pass a single number for the whole tensor"
            )
        return
    check_integer(axis, "axis")
    if scale.ndim != 1 or scale.numel() == 0:
        raise ValueError(
            f"axis is {axis}, so scale must have shape (C,) with one entry a channel and C of at "
            f"least 1; it has shape {tuple(scale.shape)}"
        )
