"""How far an approximation is from what it stands for."""

from __future__ import annotations

import math

import torch
from jaxtyping import Float, Float32
from torch import Tensor

from qlearn.codes import check_float32
from qlearn.qparams import QParams
from qlearn.rounding import unclamped_codes


def mse(reference: Float[Tensor, "*shape"], approximation: Float[Tensor, "*shape"]) -> float:
    """Return the mean squared error, in the square of x's unit, summed in float64.

    Raises:
        TypeError: an argument is not a floating-point tensor.
        ValueError: the shapes differ, the tensors are empty, or a value is not finite.

    >>> mse(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 2.5]))
    0.125
    """
    return _error(reference, approximation).square().mean().item()


def max_error(reference: Float[Tensor, "*shape"], approximation: Float[Tensor, "*shape"]) -> float:
    """Return the largest absolute error, in x's unit. Raises as :func:`mse` does.

    >>> max_error(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 2.5]))
    0.5
    """
    return _error(reference, approximation).abs().max().item()


def sqnr(reference: Float[Tensor, "*shape"], approximation: Float[Tensor, "*shape"]) -> float:
    """Return the signal to quantization noise ratio in decibels, 10·log10(Σx² / Σ(x − x̂)²).

    Without any error it is infinite; 6.02 dB more mean half the error. Where the reference is
    0 throughout and the approximation is not, it is minus infinity. Raises as :func:`mse` does.

    Source: ``torch.ao.ns.fx.utils.compute_sqnr``, in float64 here.

    >>> round(sqnr(torch.tensor([3.0, 4.0]), torch.tensor([3.0, 4.5])), 2)
    20.0
    """
    error = _error(reference, approximation)
    if not error.any():
        return math.inf
    # Squares of float64 numbers may overflow or vanish, so that of the largest is made 1.
    largest = torch.maximum(reference.abs().max(), approximation.abs().max()).to(torch.float64)
    noise = (error / largest).square().sum().item()
    signal = (reference.detach().to(torch.float64) / largest).square().sum().item()
    return 10 * math.log10(signal / noise) if signal > 0 else -math.inf


def clipped_share(x: Float32[Tensor, "*shape"], qparams: QParams) -> float:
    """Return the share of values, 0 to 1, whose code had to be clamped to an end of the range.

    Raises:
        TypeError: ``x`` is not a float32 tensor.
        ValueError: ``x`` is empty or holds NaN, or it and the qparams disagree on the channels.

    >>> clipped_share(torch.tensor([-1.0, 0.0, 1.0, 20.0]), QParams(0.1, 10, -128, 127, torch.int8))
    0.25
    """
    check_float32(x)
    if x.numel() == 0:
        raise ValueError("x is empty, and a share needs at least one value")
    codes = unclamped_codes(x.detach(), qparams, "nearest").to(torch.float64)
    if torch.isnan(codes).any():
        raise ValueError(
            "x holds NaN, which is neither clipped nor not: leave it out, with x[~torch.isnan(x)]"
        )
    clipped = (codes < qparams.quant_min) | (codes > qparams.quant_max)
    return clipped.double().mean().item()


def _error(reference: Tensor, approximation: Tensor) -> Float[Tensor, "*shape"]:
    """Return reference − approximation in float64, once both have been checked."""
    for name, tensor in (("reference", reference), ("approximation", approximation)):
        if not isinstance(tensor, Tensor) or not tensor.is_floating_point():
            kind = tensor.dtype if isinstance(tensor, Tensor) else type(tensor).__name__
            raise TypeError(
                f"{name} is {kind}, but errors are taken between real numbers: "
                "pass a floating-point tensor (dequantize codes first)"
            )
        bad = int((~torch.isfinite(tensor)).sum())
        if bad:
            raise ValueError(
                f"{name} holds {bad} values that are infinite or NaN, which have no finite error: "
                "leave them out, for example with x[torch.isfinite(x)]"
            )
    if reference.shape != approximation.shape:
        raise ValueError(
            f"reference has shape {tuple(reference.shape)} and approximation "
            f"{tuple(approximation.shape)}: errors are taken element by element, "
            "so the shapes must be equal"
        )
    if reference.numel() == 0:
        raise ValueError("the tensors are empty, and an error needs at least one value")
    return reference.detach().to(torch.float64) - approximation.detach().to(torch.float64)
