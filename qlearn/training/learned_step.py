"""Fake quantization whose scale and zero point are learned with the weights (LSQ)."""

from __future__ import annotations

import math
from typing import Any, Literal, get_args

import torch
from jaxtyping import Bool, Float32
from torch import Tensor
from torch.autograd.function import once_differentiable

from qlearn.checks import (
    check_choice,
    check_encloses_zero,
    check_float32,
    check_number,
    check_quant_range,
    check_same_shape,
)
from qlearn.numbers.fake_quantize import fake_quantize
from qlearn.numbers.fma import fma
from qlearn.numbers.qparams import QParams
from qlearn.numbers.rounding import unclamped_codes

BackwardRounding = Literal["fma", "add"]


def learnable_fake_quantize(
    x: Float32[Tensor, "*shape"],
    scale: Float32[Tensor, "*channels"],
    zero_point: Float32[Tensor, "*channels"],
    *,
    quant_min: int,
    quant_max: int,
    axis: int | None = None,
    grad_factor: float = 1.0,
    rounding: BackwardRounding = "fma",
) -> Float32[Tensor, "*shape"]:
    """Return ``fake_quantize(x)``, differentiable in ``x``, ``scale`` and ``zero_point``.

    The zero point is a float while it is learned. The codes use the integer nearest to it,
    clamped to quant_min … quant_max. With the code q and an incoming gradient dy, an element gives

    * within the range: ``dx = dy``, ``ds = dy·(x_fq − x)/scale·g``, ``dz = 0``;
    * clipped to the code q_end: ``dx = 0``, ``ds = dy·(q_end − z)·g``, ``dz = −dy·scale·g``,

    where g is ``grad_factor`` and x_fq the fake-quantized x; ds and dz are summed over the
    tensor, or over each channel. NaN counts as clipped to quant_min.

    Args:
        x: float32 of any shape.
        scale: float32, positive; shape () or (1,), or (C,) with ``axis``.
        zero_point: float32 in the shape of ``scale``, in codes.
        quant_min: the smallest code, at most 0.
        quant_max: the largest code, at least 0.
        axis: the dimension along which there are C channels.
        grad_factor: what the gradients of scale and zero point are multiplied by; the paper
            takes ``1/sqrt(n · quant_max)``, with n the weight's numbers, or an activation's
            features without the batch.
        rounding: how the backward pass finds codes and rounding errors: "fma", as torch's
            kernels compiled for AVX2, AVX-512 and ARM do, or "add", as on x86-64 processors
            without the two.

    Raises:
        TypeError: ``x``, ``scale`` or ``zero_point`` is not a float32 tensor, or ``grad_factor`` is
            no number.
        ValueError: a scale is not positive and finite, a zero point is NaN, the range does not
            enclose 0, ``grad_factor`` is not finite, or the shapes do not belong together.

    Source: Esser et al., "Learned Step Size Quantization" (2020), Bhalgat et al., "LSQ+" (2020),
    and ``torch._fake_quantize_learnable_per_tensor_affine`` and ``…_per_channel_affine``, quirks
    included. Forward, their codes are rounded before the zero point is added, backward after it:
    at a tie the two passes may see different codes, or one may clip and the other not. Per
    tensor, the backward pass cuts ``zero_point + 0.5`` off towards zero, which makes −4 of −5.0:
    the gradients at a negative zero point are those of its neighbour.
    Four differences: on Linux ARM torch takes NaN for code 0, which may lie within the range;
    values beyond 2^63 steps saturate to their own end, here as everywhere;
    an empty ``x`` gives gradients of 0, where torch returns the scale as its own gradient; and
    a 1-D ``x`` may have channels.

    >>> scale = torch.tensor([0.5], requires_grad=True)
    >>> zero_point = torch.tensor([0.0], requires_grad=True)
    >>> x = torch.tensor([0.25, 0.75, 9.0])
    >>> y = learnable_fake_quantize(x, scale, zero_point, quant_min=-4, quant_max=3)
    >>> y.sum().backward()
    >>> y.tolist(), scale.grad, zero_point.grad
    ([0.0, 1.0, 1.5], tensor([3.]), tensor([-0.5000]))
    """
    check_float32(x)
    _check_parameters(scale, zero_point, axis)
    _check_options(quant_min, quant_max, grad_factor, rounding)
    options = (quant_min, quant_max, axis, float(grad_factor), rounding)
    result: Tensor = _LearnedStep.apply(x, scale, zero_point, *options)
    return result


class _LearnedStep(torch.autograd.Function):
    """Forward: fake_quantize. Backward: straight through for x, the rounding error for the step."""

    @staticmethod
    def forward(
        ctx: Any,
        x: Tensor,
        scale: Tensor,
        zero_point: Tensor,
        quant_min: int,
        quant_max: int,
        axis: int | None,
        grad_factor: float,
        rounding: BackwardRounding,
    ) -> Tensor:
        steps = scale.detach().reshape(()) if axis is None else scale.detach()
        floats = zero_point.detach().reshape(steps.shape)
        nearest = torch.round(floats).clamp(quant_min, quant_max)
        # The backward kernel for one scale rounds like this, the one for channels to nearest.
        cut = (floats + 0.5).clamp(quant_min, quant_max).trunc() if axis is None else nearest
        codes = quant_min, quant_max, torch.int32, axis
        ctx.save_for_backward(x)
        ctx.qparams = QParams(steps, cut.to(torch.int64), *codes)
        ctx.grad_factor, ctx.rounding, ctx.shape = grad_factor, rounding, scale.shape
        return fake_quantize(x, QParams(steps, nearest.to(torch.int64), *codes))

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *grad_outputs: Tensor) -> tuple[Tensor | None, ...]:
        (x,) = ctx.saved_tensors
        dy, factor, axis = grad_outputs[0], ctx.grad_factor, ctx.qparams.axis
        scale, _ = ctx.qparams.aligned_with(x)
        in_range, end, error = _codes_and_errors(x, ctx.qparams, ctx.rounding)
        of_scale = torch.where(in_range, dy * error * (1.0 / scale) * factor, dy * end * factor)
        of_zero_point = torch.where(in_range, 0.0, dy * -1 * scale * factor)
        d_scale = _sum(of_scale, x, axis).reshape(ctx.shape)
        d_zero_point = _sum(of_zero_point, x, axis).reshape(ctx.shape)
        return dy * in_range, d_scale, d_zero_point, None, None, None, None, None


def _codes_and_errors(
    x: Float32[Tensor, "*shape"], qparams: QParams, rounding: BackwardRounding
) -> tuple[Bool[Tensor, "*shape"], Float32[Tensor, "*shape"], Float32[Tensor, "*shape"]]:
    """Return the in-range mask, the clipped code minus zero point, and x_fq − x.

    The second matters outside the mask, the third inside.
    """
    scale, zero_point = qparams.aligned_with(x)
    # In float64, because float32 cannot hold a code or a zero point like 2^31 − 1.
    codes, z = unclamped_codes(x, qparams, rounding).double(), zero_point.double()
    above = codes > qparams.quant_max
    in_range = (codes >= qparams.quant_min) & ~above
    end = torch.where(above, qparams.quant_max - z, qparams.quant_min - z)
    steps = (codes - z).to(torch.float32)
    error = fma(steps, scale, -x) if rounding == "fma" else steps * scale - x
    return in_range, end.to(torch.float32), error


def _sum(
    values: Float32[Tensor, "*shape"], x: Float32[Tensor, "*shape"], axis: int | None
) -> Float32[Tensor, "*channels"]:
    """Sum over all but ``axis``, laid out as ``x`` is: float sums depend on the order."""
    laid_out = torch.empty_like(x).copy_(values)
    if axis is None:
        return laid_out.sum()
    others = [dimension for dimension in range(x.ndim) if dimension != axis % x.ndim]
    return laid_out.sum(others) if others else laid_out


def _check_parameters(scale: Tensor, zero_point: Tensor, axis: int | None) -> None:
    """Raise unless scale and zero point are float32 tensors of a shape that goes with axis."""
    check_float32(scale, "scale")
    check_float32(zero_point, "zero_point")
    check_same_shape(scale, zero_point, ("scale", "zero_point"))
    if axis is None and scale.shape not in ((), (1,)):
        raise ValueError(
            f"scale has shape {tuple(scale.shape)} but axis is None: say which axis the channels "
            "run along, or pass shape () or (1,) for the whole tensor"
        )
    if zero_point.isnan().any():
        raise ValueError(
            "zero_point is NaN, which is nearest to no code: look for where the training diverged"
        )


def _check_options(quant_min: int, quant_max: int, grad_factor: float, rounding: str) -> None:
    """Raise unless the range encloses 0, the factor is a number, and the rounding is known."""
    check_quant_range(quant_min, quant_max, torch.int32)
    check_encloses_zero(quant_min, quant_max)
    check_number(grad_factor, "grad_factor")
    if not math.isfinite(grad_factor):
        raise ValueError(f"grad_factor is {grad_factor!r}: pass a finite number, 1.0 for none")
    check_choice(rounding, "rounding", get_args(BackwardRounding))
