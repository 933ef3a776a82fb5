"""Products of codes: what a linear layer computes when its inputs are rounded as well."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, get_args

import torch
from jaxtyping import Float32
from torch import Tensor

from qlearn.checks import check_choice, check_flag, check_float32, check_integer
from qlearn.checks.finite import check_finite
from qlearn.checks.layer_inputs import check_rows, check_weight

Product = Callable[[Tensor, Tensor], Tensor]
Shared = Literal["tensor", "token"]
LEAST_BITS, MOST_BITS = 2, 16


def codes_and_step(
    x: Float32[Tensor, "*rows k"], bits: int, *, rows: bool
) -> tuple[Float32[Tensor, "*rows k"], Float32[Tensor, "*steps"]]:
    """Return symmetric codes as floats, and the step: one for each row, or one for all.

    With f rounding to float32 and ``largest = 2^(bits−1) − 1``: ``step = f(amax / largest)``, amax
    the largest ``|x|`` that shares it, and ``code = rint(f(x / step))``. So the largest number gets
    the last code, ``largest`` or ``−largest``, and no code lies beyond. The step is at least the
    smallest normal number, and so numbers that are all 0 have the codes 0.

    Args:
        x: of any shape, with the rows along the last axis.
        bits: 2 to 16; a code needs so many.
        rows: True for a step for each row, shape (…, 1), False for one in all, shape ().

    Raises:
        TypeError: ``x`` is not float32, ``bits`` no integer, or ``rows`` neither True nor False.
        ValueError: no numbers; infinities or NaN; bits outside 2 … 16.

    Source: the absmax rule of LLM.int8(), Dettmers et al., arXiv 2208.07339, section 2.1. torch's
    ``quantized_decomposed.choose_qparams_per_token`` has the same steps for eight bits, as long as
    amax is at least 1e-5.

    >>> codes_and_step(torch.tensor([[1.0, -0.5], [0.25, 0.1]]), 8, rows=True)[0]
    tensor([[127., -64.],
            [127.,  51.]])
    """
    check_float32(x)
    check_integer(bits, "bits", LEAST_BITS, MOST_BITS)
    check_flag(rows, "rows")
    if x.numel() == 0:
        raise ValueError(f"x has shape {tuple(x.shape)} and no numbers: a step needs at least one")
    x = x.detach()
    check_finite(x, *x.aminmax())
    return _codes_and_step(x, bits, rows=rows)


def _codes_and_step(x: Tensor, bits: int, *, rows: bool) -> tuple[Tensor, Tensor]:
    largest = 2 ** (bits - 1) - 1
    size = x.abs().amax(-1, keepdim=True) if rows else x.abs().amax()
    # Not below the smallest normal number: a device may take smaller ones for 0, and 0/0 is NaN.
    step = (size / largest).clamp_min(torch.finfo(torch.float32).tiny)
    return torch.round(x / step), step


def rounded_product(
    bits: int, weight_bits: int | None = None, *, scales: Shared = "token"
) -> Product:
    """Return ``product(x, weight)`` of codes: scales of a token or a tensor, and of each output.

    ``f(f(Σ code · weight_code) · f(step · weight_step))``, with codes and steps as
    :func:`codes_and_step` has them: of x (…, inputs) a step for each row or one for all, of the
    weight (outputs, inputs) one for each output. The bias is added after.

    With eight bits and up to 1,040 inputs the sums of the products of codes are integers below
    2^24, so float32 holds them exactly. With more inputs or bits float32 may round them.

    Args:
        bits: of the codes of x, 2 to 16.
        weight_bits: of those of the weight; None for as many.
        scales: "token" for a step for each row, "tensor" for one for all rows.

    Raises:
        TypeError: bits are no integer. From the product: a tensor is not float32.
        ValueError: bits outside 2 … 16, or another word. From the product: infinities or NaN, and
            shapes that do not fit.

    Source: W8A8 with dynamic scales, per token or per tensor, as in SmoothQuant, Xiao et al., arXiv
    2211.10438, and in torchao, whose kernel is :func:`qlearn.linear_per_token`.

    >>> product = rounded_product(8, scales="tensor")
    >>> product(torch.tensor([[127.0, 0.4]]), torch.tensor([[1.0, 1.0]]))
    tensor([[127.]])
    """
    of_weight = bits if weight_bits is None else weight_bits
    check_integer(bits, "bits", LEAST_BITS, MOST_BITS)
    check_integer(of_weight, "weight_bits", LEAST_BITS, MOST_BITS)
    check_choice(scales, "scales", get_args(Shared))

    def product(
        x: Float32[Tensor, "*rows k"], weight: Float32[Tensor, "n k"]
    ) -> Float32[Tensor, "*rows n"]:
        check_weight(weight)
        check_rows(x, "x", weight)
        codes, step = _codes_and_step(x.detach(), bits, rows=scales == "token")
        weight_codes, weight_step = _codes_and_step(weight.detach(), of_weight, rows=True)
        sums: Tensor = codes @ weight_codes.T
        return sums * (step * weight_step.squeeze(1))

    return product
