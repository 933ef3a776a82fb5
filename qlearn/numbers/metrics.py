"""How far an approximation is from what it stands for."""

from __future__ import annotations

import math

import torch
from jaxtyping import Bool, Float, Float32
from torch import Tensor

from qlearn.checks import check_float32, check_tensor
from qlearn.checks.tensors import check_unpaired
from qlearn.numbers.qparams import QParams
from qlearn.numbers.quantize import dequantize, quantize
from qlearn.numbers.rounding import in_range, unclamped_codes


def mse(reference: Float[Tensor, "*shape"], approximation: Float[Tensor, "*shape"]) -> float:
    """Return the mean squared error, ``Σ(x − x̂)² / n``, in the square of x's unit.

    x is the reference, x̂ the approximation, and n the number of their values. They may have any
    floating dtype; differences and sum are those of float64.

    Raises:
        TypeError: an argument is not a floating-point tensor.
        ValueError: the shapes differ, the tensors are empty, or a value is not finite.

    Source: ``torch.nn.functional.mse_loss``, in float64 here.

    >>> mse(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 2.5]))
    0.125
    """
    return _error(reference, approximation).square().mean().item()


def max_error(reference: Float[Tensor, "*shape"], approximation: Float[Tensor, "*shape"]) -> float:
    """Return the largest absolute error, ``max|x − x̂|``, in x's unit.

    x is the reference, x̂ the approximation; differences are those of float64. Raises as
    :func:`mse` does.

    Source: ``torch.dist`` with ``p=math.inf``, in float64 here.

    >>> max_error(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 2.5]))
    0.5
    """
    return _error(reference, approximation).abs().max().item()


def sqnr(reference: Float[Tensor, "*shape"], approximation: Float[Tensor, "*shape"]) -> float:
    """Return the signal to quantization noise ratio in decibels, 10·log10(Σx² / Σ(x − x̂)²).

    Without any error it is infinite; 6.02 dB more mean half the error. Where the reference is
    0 throughout and the approximation is not, it is minus infinity. Plus infinity also stands
    for all above some 3,080 dB, minus infinity for all below some −3,230 dB. Raises as
    :func:`mse` does, and ValueError where a difference is beyond the end of float64.

    Source: ``torch.ao.ns.fx.utils.compute_sqnr``, in float64 here.

    >>> round(sqnr(torch.tensor([3.0, 4.0]), torch.tensor([3.0, 4.5])), 2)
    20.0
    """
    error = _error(reference, approximation)
    worst = error.abs().max().item()
    if worst == 0:
        return math.inf
    if math.isinf(worst):
        raise ValueError(
            "a difference of reference and approximation is beyond the end of float64: divide both "
            "by the same number first"
        )
    reference, approximation = _computable(reference), _computable(approximation)
    # Squares of float64 numbers may overflow or vanish, so that of the largest is made 1.
    largest = torch.maximum(reference.abs().max(), approximation.abs().max()).to(torch.float64)
    noise = (error / largest).square().sum().item()
    signal = (reference.to(torch.float64) / largest).square().sum().item()
    if noise == 0:
        return math.inf
    ratio = signal / noise
    return 10 * math.log10(ratio) if ratio > 0 else -math.inf


def clipped_share(x: Float32[Tensor, "*shape"], qparams: QParams) -> float:
    """Return the share of values, 0 to 1, whose code had to be clamped to an end of the range.

    It is the number of values where ``rint(x/scale) + zero_point`` is below quant_min or above
    quant_max, divided by the number of all. Infinities count as clipped.

    Raises:
        TypeError: ``x`` is not a float32 tensor.
        ValueError: ``x`` is empty or holds NaN, or it and the qparams disagree on the channels.

    Source: the mask of ``torch.ops.aten.fake_quantize_per_tensor_affine_cachemask``, with the one
    difference that :func:`split_mse` tells.

    >>> clipped_share(torch.tensor([-1.0, 0.0, 1.0, 20.0]), QParams(0.1, 10, -128, 127, torch.int8))
    0.25
    """
    return _clipped(x, qparams).double().mean().item()


def split_mse(x: Float32[Tensor, "*shape"], qparams: QParams) -> tuple[float, float]:
    """Return the mean squared error of quantizing ``x`` in two parts, ``(rounding, clipping)``.

    The second is the part of the values whose code had to be clamped, the first that of all
    others: ``Σ(x − x̂)² / n`` over one set and over the other, with n the number of all values.
    Their sum is the :func:`mse` of ``fake_quantize(x, qparams)``, in the square of x's unit.

    Raises:
        TypeError: ``x`` is not a float32 tensor.
        ValueError: ``x`` is empty, holds infinities or NaN, or disagrees with the qparams on the
            channels.

    Source: which values are clipped is what torch's fake_quantize keeps for its gradient, the
    mask of ``fake_quantize_per_tensor_affine_cachemask``. But per tensor with int32 that takes
    the code 2^31 for 2^31 − 1, and keeps it.

    >>> split_mse(torch.tensor([0.25, 1.0, 9.0]), QParams(1.0, 0, -8, 7, torch.int8))
    (0.020833333333333332, 1.3333333333333333)
    """
    clipped = _clipped(x, qparams)
    _check_finite(x, "x")
    squared = dequantize(quantize(x, qparams), qparams).to(torch.float64)
    squared.sub_(x.detach()).square_()
    rounding, clipping = squared.where(~clipped, 0.0).sum(), squared.where(clipped, 0.0).sum()
    return rounding.item() / x.numel(), clipping.item() / x.numel()


def _clipped(x: Float32[Tensor, "*shape"], qparams: QParams) -> Bool[Tensor, "*shape"]:
    """Return where the code of ``x`` has to be clamped."""
    check_float32(x)
    if x.numel() == 0:
        raise ValueError("x is empty: a share or an error needs at least one value")
    codes = unclamped_codes(x.detach(), qparams, "nearest")
    if torch.isnan(codes).any():
        raise ValueError(
            "x holds NaN, which is neither clipped nor not: leave it out, with x[~torch.isnan(x)]"
        )
    return ~in_range(codes, qparams)


def _error(reference: Tensor, approximation: Tensor) -> Float[Tensor, "*shape"]:
    """Return reference − approximation in float64, once both have been checked."""
    for name, tensor in (("reference", reference), ("approximation", approximation)):
        check_tensor(tensor, name, "a floating-point tensor")
        check_unpaired(tensor, name)
        if not tensor.is_floating_point():
            raise TypeError(
                f"{name} is {tensor.dtype}, but errors are taken between real numbers: "
                "pass a floating-point tensor (dequantize codes first)"
            )
        _check_finite(_computable(tensor), name)
    if reference.shape != approximation.shape:
        raise ValueError(
            f"reference has shape {tuple(reference.shape)} and approximation "
            f"{tuple(approximation.shape)}: errors are taken element by element, "
            "so the shapes must be equal"
        )
    if reference.numel() == 0:
        raise ValueError("the tensors are empty: an error needs at least one value")
    # In place, which converts the second tensor as it goes: copies would take more memory.
    return reference.detach().to(torch.float64, copy=True).sub_(_computable(approximation))


def _computable(x: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
    """Return numbers of eight bits, with which torch computes little, in float64; others as x."""
    return x.detach().to(torch.float64) if x.dtype.itemsize == 1 else x.detach()


def _check_finite(x: Tensor, name: str) -> None:
    if x.numel() and not x.abs().max().isfinite():  # for NaN as well
        bad = int((~torch.isfinite(x)).sum())
        raise ValueError(
            f"{name} holds {bad} values that are infinite or NaN, which have no finite error: "
            "leave their places out, in both tensors where two are compared"
        )
