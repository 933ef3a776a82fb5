"""Fake quantization as TensorFlow does it: by a range, which is nudged so that 0 is exact."""

from __future__ import annotations

from typing import Any

import torch
from jaxtyping import Float32
from torch import Tensor

from qlearn.checks import (
    check_axis,
    check_flag,
    check_float32,
    check_integer,
    check_same_shape,
    real_tensor,
)

_TINY = torch.finfo(torch.float32).tiny


def nudged_range(
    min_val: float | Float32[Tensor, "*channels"],
    max_val: float | Float32[Tensor, "*channels"],
    *,
    bits: int = 8,
    narrow_range: bool = False,
) -> tuple[
    Float32[Tensor, "*channels"], Float32[Tensor, "*channels"], Float32[Tensor, "*channels"]
]:
    """Return the range moved so that 0.0 falls on a code, and the step: (min, max, scale).

    With codes q0 … q1, ``scale = (max − min)/(q1 − q0)``; the code ``q0 − min/scale`` of 0.0 is
    rounded, half away from zero, and clamped to q0 … q1. The new ends are its distance from q0
    and q1, times scale. The width stays; a range that lies on one side of 0 is shifted to it.
    All in float32. The range 0 … 0 gives zeros: it holds nothing else.

    Args:
        min_val: the smallest value, shape () or (C,).
        max_val: the largest value, in the same shape.
        bits: 2 to 16; q1 is ``2^bits − 1``.
        narrow_range: begin with the code q0 = 1 in place of 0, as TensorFlow does for weights.

    Raises:
        ValueError: min_val is not below max_val, an end is not finite, their distance is too
            small or too large for a float32 scale, or bits is outside 2 … 16.
        TypeError: bits is not an int.

    Source: ``Nudge`` in tensorflow/core/kernels/fake_quant_ops_functor.h.

    >>> low, high, scale = nudged_range(-1.0, 1.0)
    >>> print(f"{low:.4f} {high:.4f} {1 / scale:.1f}")
    -0.9961 1.0039 127.5
    """
    low, high = _range(min_val, max_val)
    return _nudge(low, high, *_codes(bits, narrow_range))


def tensorflow_fake_quantize(
    x: Float32[Tensor, "*shape"],
    min_val: float | Float32[Tensor, "*channels"],
    max_val: float | Float32[Tensor, "*channels"],
    *,
    bits: int = 8,
    narrow_range: bool = False,
    axis: int | None = None,
) -> Float32[Tensor, "*shape"]:
    """Return ``x`` clamped to the nudged range and rounded to its grid, half upwards.

    ``floor((clamp(x) − min)/scale − z + 0.5) · scale`` with the nudged min and the code z of
    0.0, counted from min. The gradient passes to ``x`` within the nudged range, both ends
    included; what lies below gives its gradient to ``min_val``, what lies above to ``max_val``.
    So the range is learned: it is moved where it clips, and nowhere else. NaN stays NaN.

    Args:
        x: float32 of any shape.
        min_val: the smallest value, shape (), or (C,) with ``axis``; may require a gradient.
        max_val: the largest value, likewise.
        bits: 2 to 16.
        narrow_range: leave the lowest code out.
        axis: the dimension along which there are C ranges; TensorFlow has the last one only.

    Raises:
        TypeError: ``x`` is not a float32 tensor.
        ValueError: as :func:`nudged_range`, and if the shapes and axis do not belong together.

    Source: ``tf.quantization.fake_quant_with_min_max_vars`` on a CPU; with ``axis``
    ``…_per_channel``, whose kernel multiplies by ``(q1 − q0)/(max − min)`` where the other
    divides by the scale. Denormals in ``x`` count as 0, as in TensorFlow. The gradients of
    min_val and max_val are sums, here in torch's order of addition.

    >>> low = torch.tensor(-1.0, requires_grad=True)
    >>> y = tensorflow_fake_quantize(torch.tensor([-3.0, 0.0, 0.3]), low, 1.0, bits=4)
    >>> y.sum().backward()
    >>> y.tolist(), low.grad
    ([-0.9333333969116211, 0.0, 0.2666666805744171], tensor(1.))
    """
    check_float32(x)
    low, high = _range(min_val, max_val)
    _check_channels(x, low, axis)
    result: Tensor = _WithinRange.apply(x, low, high, _codes(bits, narrow_range), axis)
    return result


class _WithinRange(torch.autograd.Function):
    """Forward: a staircase between the nudged ends.

    Backward: each gradient goes to x, min_val or max_val, depending on where x fell.
    """

    @staticmethod
    def forward(
        ctx: Any, x: Tensor, low: Tensor, high: Tensor, codes: tuple[int, int], axis: int | None
    ) -> Tensor:
        x = torch.where(x.abs() < _TINY, 0.0, x)
        shape = [1] * x.ndim
        if axis is not None:
            shape[axis] = x.shape[axis]
        low, high = (end.detach().reshape(shape) for end in (low, high))
        nudged_low, nudged_high, scale = _nudge(low, high, *codes)
        only_zero = scale == 0
        ctx.below = (x < nudged_low) & ~only_zero
        ctx.above = (x > nudged_high) & ~only_zero
        ctx.within = ((x >= nudged_low) & (x <= nudged_high)) | only_zero
        ctx.axis = axis
        # A true division: torch takes a number over a tensor by way of the reciprocal.
        inverse = high.new_tensor(float(codes[1] - codes[0])) / (high - low)
        shifted = torch.minimum(x, nudged_high).maximum(nudged_low) - nudged_low
        steps = shifted / scale if axis is None else shifted * inverse
        zero = torch.floor(-nudged_low * inverse + 0.5)
        result = torch.floor(steps - zero + 0.5) * scale
        return torch.where(only_zero, 0.0, torch.where(x.isnan(), x, result))

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Tensor) -> tuple[Tensor | None, ...]:
        dy, axis = grad_outputs[0], ctx.axis
        others = [d for d in range(dy.ndim) if axis is None or d != axis % dy.ndim]
        shares = (dy * part for part in (ctx.below, ctx.above))
        # A sum begins at 0.0, also the sum of a single −0.0.
        low, high = ((share.sum(others) if others else share) + 0.0 for share in shares)
        return dy * ctx.within, low, high, None, None


def _nudge(
    low: Float32[Tensor, "..."], high: Float32[Tensor, "..."], first: int, last: int
) -> tuple[Tensor, Tensor, Tensor]:
    scale = (high - low) / (last - first)
    # float64 holds the sum exactly, so adding ½ and cutting rounds half away from zero. The
    # range 0 … 0 makes NaN here, and any code serves it.
    of_zero = (first - low / scale).double().nan_to_num(first).clamp(first, last)
    zero = torch.floor(of_zero + 0.5).to(torch.float32)
    return (first - zero) * scale, (last - zero) * scale, scale


def _codes(bits: int, narrow_range: bool) -> tuple[int, int]:
    """Return the first and the last code."""
    check_flag(narrow_range, "narrow_range")
    check_integer(bits, "bits", 2, 16)
    return int(narrow_range), 2**bits - 1


def _range(min_val: Any, max_val: Any) -> tuple[Tensor, Tensor]:
    """Return both ends as float32 tensors, checked, with their gradients' history."""
    low, high = _float32("min_val", min_val), _float32("max_val", max_val)
    check_same_shape(low, high, ("min_val", "max_val"))
    width = (high - low).detach()
    only_zero = (low == 0) & (high == 0)
    if not ((width > 0) | only_zero).all() or not torch.isfinite(width).all():
        raise ValueError(
            f"min_val is {low.tolist()} and max_val {high.tolist()}, but both ends and "
            "their distance are finite in float32, and min_val is below max_val unless both are 0: "
            "swap or widen them, or scale all values down"
        )
    if (width[~only_zero] < _TINY * 2**16).any():
        raise ValueError(
            f"min_val {low.tolist()} and max_val {high.tolist()} are so close that the scale "
            "may be a denormal, which TensorFlow takes for 0: widen the range"
        )
    return low, high


def _float32(name: str, value: Any) -> Tensor:
    """Return ``value`` as a float32 tensor; a tensor keeps its gradient's history."""
    checked = real_tensor(name, value)
    return (value if isinstance(value, Tensor) else checked).to(torch.float32)


def _check_channels(x: Tensor, low: Tensor, axis: int | None) -> None:
    if axis is None:
        if low.ndim:
            raise ValueError(
                f"min_val has shape {tuple(low.shape)} but axis is None: say which axis the "
                "channels run along, or pass a single number"
            )
        return
    check_axis(axis, x)
    if low.shape != (x.shape[axis],):
        raise ValueError(
            f"x has {x.shape[axis]} channels along axis {axis} (shape {tuple(x.shape)}), but "
            f"min_val has shape {tuple(low.shape)}: give one range for each channel"
        )
