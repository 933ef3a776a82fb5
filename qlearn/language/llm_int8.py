"""LLM.int8(): a linear layer in int8 in which columns with outliers stay in float."""

from __future__ import annotations

import math

import torch
from jaxtyping import Float32, Int8
from torch import Tensor

from qlearn.checks import check_number
from qlearn.checks.finite import check_finite
from qlearn.checks.layer_inputs import check_bias, check_rows, check_weight

# What a product of two codes is worth, beside the two largest values, and what one code is.
OF_PRODUCT = 1 / 127**2
OF_CODE = 1 / 127


def linear_llm_int8(
    x: Float32[Tensor, "*rows k"],
    weight: Float32[Tensor, "n k"],
    bias: Float32[Tensor, " n"] | None = None,
    *,
    threshold: float = 6.0,
) -> Float32[Tensor, "*rows n"]:
    """Return ``x·Wᵀ + bias``: most columns in int8, those with outliers in float32.

    An outlier is a number with ``|x| ≥ threshold``; a column with one in any row is multiplied in
    float. The rest, with the outliers set to 0, has a scale for each row, the weight one for each
    output, and f rounds to float32:

    * ``code = rint(f(x · f(f(1/amax) · 127)))``, amax the largest ``|x|`` of the row; 0 in the
      columns with outliers; the weight's codes alike; where 127/amax is infinite, below 3.8e-37,
      all codes are 0;
    * ``y = f(f(f(Σ codes) · f(amax_row · amax_output)) · f(1/127²)) + bias``;
    * to that is added the product of the columns with outliers, from x as it is and from what the
      *codes* of the weight mean, ``f(f(code · amax_output) · f(1/127))``: of the weight nothing
      else is kept.

    Args:
        x: the input, a row for each token; which columns hold outliers depends on all rows.
        weight: of a linear layer, (outputs, inputs).
        bias: a number for each output.
        threshold: 6.0 in the paper; ``math.inf``, or 0 as in bitsandbytes, keeps all in int8.

    Raises:
        TypeError: a tensor is not float32, or threshold no number.
        ValueError: infinities or NaN; shapes that do not fit; a negative threshold.

    Source: Dettmers et al., arXiv 2208.07339. The operators of bitsandbytes on a CPU,
    ``int8_vectorwise_quant`` and ``int8_mixed_scaled_mm``, compute this with 6.200124e-05 for
    ``1/127²``, a digit short, so all that they multiply in int8 is larger by 1.8e-5 of itself.

    >>> x = torch.tensor([[1.0, -0.5, 60.0], [0.25, 1.0, -2.0]])
    >>> linear_llm_int8(x, torch.tensor([[0.5, 1.0, 0.125]]))
    tensor([[7.5591],
            [0.8829]])
    """
    check_weight(weight)
    check_rows(x, "x", weight)
    _check_threshold(threshold)
    if bias is not None:
        check_bias(bias, weight)
        check_finite(bias, name="bias", because="so will that output: pass finite numbers")
    rows, weight = x.detach().reshape(-1, x.shape[-1]), weight.detach()
    outliers = rows.abs() >= (float(threshold) or math.inf)
    columns = outliers.any(0)
    codes, amax = vectorwise(rows.masked_fill(outliers, 0.0))
    codes[:, columns] = 0
    weight_codes, weight_amax = vectorwise(weight)
    sums = (codes.double() @ weight_codes.double().T).to(torch.float32)  # exact, then rounded
    y = sums * (amax * weight_amax.T) * OF_PRODUCT
    if bias is not None:
        y = y + bias.detach()
    if columns.any():
        meant = weight_codes[:, columns].to(torch.float32) * weight_amax * OF_CODE
        y = torch.addmm(y, rows[:, columns], meant.T)
    return y.reshape(*x.shape[:-1], len(weight))


def vectorwise(
    rows: Float32[Tensor, "m k"],
) -> tuple[Int8[Tensor, "m k"], Float32[Tensor, "m 1"]]:
    """Return codes −127 … 127 with a scale for each row, and the largest ``|x|`` of each row."""
    amax = rows.abs().amax(1, keepdim=True)
    steps = (1.0 / amax) * 127  # as PyTorch computes 127 / amax
    steps = steps.masked_fill(steps.isinf(), 0.0)  # of zeros, and of what is as good as that
    return torch.round(rows * steps).to(torch.int8), amax


def _check_threshold(threshold: float) -> None:
    check_number(threshold, "threshold")
    if not threshold >= 0:
        raise ValueError(
            f"threshold is {threshold}, but sizes are compared with it: pass 6.0, or math.inf to "
            "keep all columns in int8"
        )
