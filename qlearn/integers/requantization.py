"""Requantization: from the int32 sums of one layer to the eight-bit codes of the next.

A sum counts steps of ``x_scale · weight_scale``, a code steps of ``output.scale``. One real
number, the multiplier ``x_scale · weight_scale / output.scale``, turns the one into the other,
so no float32 tensor leaves the layer. The engines differ in where the bias joins. The roundings of
inner products to float32 are left out here:

=======  ================================  =================================================
engine   bias                              code before clamping
=======  ================================  =================================================
fbgemm   in float32, in steps of the sum   ``rint(f((total + bias/(x_scale·w_scale))·m)) + z``
qnnpack  rounded to int32, in those steps  ``rint(f(f(total + rint(bias/…))·m)) + z``
onednn   in real units, after scaling      ``rint(f(f((total·x_scale·w_scale + bias)/scale) + z))``
=======  ================================  =================================================

f rounds to float32, m is the multiplier, and z the output's zero point: only onednn adds it
before it rounds, so that its ties go to even codes, those of the others to even steps from z.
On ARM, onednn's linear layers with one weight scale follow :mod:`qlearn.integers.arm_compute`
instead.

Two engines have variants, of which :mod:`qlearn.machine.variants` finds out the one at hand:

========  =========  ===========================================================================
engine    variant    what it rounds otherwise
========  =========  ===========================================================================
onednn    "joined"   ``x_scale·w_scale`` is one float32, by which the sum is multiplied
          "apart"    the sum is multiplied by ``x_scale``, and then by ``w_scale``
          "divided"  as "apart", and ``/scale`` is a division; in the two others it is
                     multiplication by ``1/scale``
fbgemm    "fused"    one rounding for ``total + bias·(1/(x_scale·w_scale))``, if w_scale is one
                     number
          "added"    two: the product, too, is rounded
========  =========  ===========================================================================
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import get_args

import torch
from jaxtyping import Float32, Int32, UInt8
from torch import Tensor

from qlearn.checks import check_choice, check_flag, check_float32, check_tensor
from qlearn.checks.codes import check_qparams
from qlearn.checks.finite import check_no_nan, first_index
from qlearn.checks.layers import Engine
from qlearn.integers.onednn import scaled
from qlearn.machine import Variant, int32_saturates, linear_variant
from qlearn.numbers.fma import fma
from qlearn.numbers.qparams import QParams

VARIANTS: dict[Engine, tuple[Variant, ...]] = {
    "fbgemm": ("fused", "added"),
    "x86": ("fused", "added"),
    "onednn": ("joined", "apart", "divided"),
    "qnnpack": (),
}


def requantize(
    total: Int32[Tensor, "m n"],
    x_scale: Float32[Tensor, ""],
    weight_scale: Float32[Tensor, "*n"],
    bias: Float32[Tensor, " n"] | None,
    output: QParams,
    *,
    relu: bool,
    engine: Engine,
    variant: Variant | None = None,
) -> UInt8[Tensor, "m n"]:
    """Return the codes of ``total · x_scale · weight_scale + bias``, by an engine's roundings.

    A fused ReLU costs one comparison: no code may lie below the zero point, which means 0.0.
    The codes fill 0 … 255, whatever the bounds of ``output`` are. A number that int32
    cannot hold becomes −2^31 for fbgemm and x86, which run on x86-64 alone; for qnnpack it becomes
    what this machine's processor makes of it.

    Three things are not followed. qnnpack refuses most products of scales that are no normal
    float32 number; to others, without a bias, it adds what int32 makes of 0 · ∞. Where onednn adds
    −∞ and ∞, its code is 255.

    ``variant`` is one of the engine's, for those that have several: see above. By default it is
    the one of the smallest linear layer here, whose x has the zero point 0.

    Raises:
        TypeError: sums that are not int32, or scales or a bias that are not float32.
        ValueError: an unknown engine, or a variant that it has not; shapes that do not fit; a scale
            that is not positive and finite; NaN in the bias; an output that is not uint8 with one
            scale.

    Source: ``torch.ops.quantized.linear`` and ``conv2d``, in what they do with their sums.

    >>> total = torch.tensor([[1000, -1000]], dtype=torch.int32)
    >>> output = QParams(0.25, 100, 0, 255, torch.uint8)
    >>> requantize(total, torch.tensor(0.1), torch.tensor(0.2), None, output,
    ...            relu=False, engine="fbgemm")
    tensor([[180,  20]], dtype=torch.uint8)
    """
    check_choice(engine, "engine", get_args(Engine))
    check_flag(relu, "relu")
    _check_variant(variant, engine)
    _check_output(output)
    _check_numbers(total, x_scale, weight_scale, bias)
    codes = _roundings(engine, variant)(total, x_scale, weight_scale, bias, output)
    return codes.clamp(int(output.zero_point) if relu else 0, 255).to(torch.uint8)


def _roundings(engine: Engine, variant: Variant | None) -> Callable[..., Tensor]:
    """Return what the engine makes of its sums, before clamping."""
    if engine == "onednn":
        return partial(_onednn, variant=variant or linear_variant())
    return _qnnpack if engine == "qnnpack" else partial(_fbgemm, fused=variant != "added")


def _check_variant(variant: Variant | None, engine: Engine) -> None:
    if variant is None:
        return
    if not VARIANTS[engine]:
        raise ValueError(f"variant is {variant!r}, but {engine} has none: leave it out")
    check_choice(variant, f"the variant of {engine}", VARIANTS[engine])


def _check_output(output: QParams) -> None:
    check_qparams(output)
    if output.dtype != torch.uint8 or output.axis is not None:
        raise ValueError(
            f"the output has dtype {output.dtype} and axis {output.axis}, but the kernels store "
            "torch.uint8 with one scale: pass qparams with 0 … 255 and axis=None"
        )


def _check_numbers(
    total: Tensor, x_scale: Tensor, weight_scale: Tensor, bias: Tensor | None
) -> None:
    check_tensor(total, "total", "sums, a tensor of torch.int32")
    if total.dtype != torch.int32 or total.ndim == 0:
        raise TypeError(
            f"total is {total.dtype} of shape {tuple(total.shape)}, but sums are torch.int32 with "
            "a column for each output: pass a matrix of them"
        )
    each = total.shape[-1:]
    _check_shape("x_scale", x_scale, torch.Size())
    _check_shape("weight_scale", weight_scale, torch.Size(), each)
    for name, scale in (("x_scale", x_scale), ("weight_scale", weight_scale)):
        if not ((scale > 0) & scale.isfinite()).all():
            place = first_index(~((scale > 0) & scale.isfinite()))
            raise ValueError(
                f"{name} is {scale[place].item()} at index {place}: pass positive, finite numbers"
            )
    if bias is not None:
        _check_shape("bias", bias, each)
        check_no_nan(bias, "bias", "no code stands for it: pass finite numbers")


def _check_shape(name: str, given: Tensor, *shapes: torch.Size) -> None:
    check_float32(given, name)
    if given.shape not in shapes:
        raise ValueError(
            f"{name} has shape {tuple(given.shape)}, which does not fit the sums: pass one of "
            f"{' or '.join(str(tuple(shape)) for shape in shapes)}"
        )


def full_range(output: QParams) -> QParams:
    """Return the same scale and zero point with the bounds that the kernels clamp to."""
    return QParams(output.scale, output.zero_point, 0, 255, torch.uint8)


def _fbgemm(
    total: Tensor,
    x_scale: Tensor,
    weight_scale: Tensor,
    bias: Tensor | None,
    output: QParams,
    *,
    fused: bool,
) -> Tensor:
    step = x_scale * weight_scale
    sums = total.to(torch.float32)
    if bias is not None and step.ndim == 0:
        sums = fma(bias, 1 / step, sums) if fused else sums + bias * (1 / step)
    elif bias is not None:
        sums = sums + bias / step
    return _round_as_int32(sums * (step / output.scale), saturates=False) + output.zero_point


def _qnnpack(
    total: Tensor, x_scale: Tensor, weight_scale: Tensor, bias: Tensor | None, output: QParams
) -> Tensor:
    step = x_scale * weight_scale
    if bias is not None:
        ends = torch.iinfo(torch.int32)
        steps = torch.round(bias * (1 / step)).to(torch.float64).clamp(ends.min, ends.max)
        total = total + steps.to(torch.int32)  # wraps around, as the kernel does
    real = total.to(torch.float32) * (step * (1 / output.scale))
    return _round_as_int32(real, saturates=int32_saturates()) + output.zero_point


def _onednn(
    total: Tensor,
    x_scale: Tensor,
    weight_scale: Tensor,
    bias: Tensor | None,
    output: QParams,
    *,
    variant: Variant,
) -> Tensor:
    # oneDNN is given the reciprocal and inverts it again: not always the same float32.
    real = scaled(total, 1 / (1 / x_scale), weight_scale, joined=variant == "joined")
    if bias is not None:
        real = real + bias
    inverted = 1 / output.scale
    steps = real / (1 / inverted) if variant == "divided" else real * inverted
    return torch.round(steps + output.zero_point)


def _round_as_int32(x: Float32[Tensor, "m n"], *, saturates: bool) -> Float32[Tensor, "m n"]:
    """Round half to even, and convert to int32 as a processor does.

    ARM clamps to −2^31 … 2^31 − 1 and makes NaN 0. On x86-64 every number that int32 cannot hold
    becomes −2^31, so a sum that is far too large gets the smallest code, not the largest.
    """
    whole = torch.round(x)
    if saturates:
        return whole.nan_to_num(nan=0.0)  # the clamp to 0 … 255 that follows does the rest
    return torch.where(whole.abs() < 2.0**31, whole, -(2.0**31))
