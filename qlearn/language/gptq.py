"""GPTQ: round a weight column by column, and let the columns that follow make up for each error."""

from __future__ import annotations

import math

import torch
from jaxtyping import Float32, Float64
from torch import Tensor

from qlearn.checks import check_number
from qlearn.checks.blocks import check_divides
from qlearn.checks.layer_inputs import check_rows, check_weight
from qlearn.formats.groups import GroupedTensor, group_codes, group_qparams


def gptq(
    weight: Float32[Tensor, "n k"],
    inputs: Float32[Tensor, "*rows k"],
    *,
    bits: int = 4,
    group_size: int | None = None,
    damp: float = 0.01,
) -> GroupedTensor:
    """Return a weight in codes that keep the layer's outputs on these inputs, not its numbers.

    What is kept small is ``trace(D·H·Dᵀ)``, with D the change of the weight and
    ``H = XᵀX + damp · mean(diag XᵀX) · I``: the squared error of the outputs, and a little for each
    change. With U upper triangular and ``UᵀU = H⁻¹``, for each column i from the first to the last:

    * the codes of column i are those of the nearest numbers, as :func:`quantize_groups` has them;
    * ``error = (w_i − number) / U_ii``, and ``error · U_ij`` is taken off each later column j.

    The scales of a group are chosen when its first column is reached, from the corrected weights. A
    column whose inputs are all 0 is rounded to nearest, and disturbs no other.

    Args:
        weight: of a linear layer, (outputs, inputs).
        inputs: what reaches the layer, a row for each token; fewer rows than columns will do.
        bits: 1 to 8.
        group_size: neighbours in a row that share a scale; None for one scale in each row.
        damp: added to the diagonal, as a share of its mean. With 0 the rows must determine the
            outputs of every weight: as many of them at least as columns that are not all 0.

    Returns:
        Codes in groups along the inputs, symmetric; the codes are rounded in float32, the
        corrections computed in float64.

    Raises:
        TypeError: weight or inputs are not float32, damp is no number, or bits or the group size
            are no integers.
        ValueError: infinities or NaN; shapes that do not fit; bits outside 1 … 8; a group size that
            does not divide the inputs; a group too wide for float32; damp is negative; H is
            singular, as it can be with a damp of 0, or one that rounding swallows, or beyond
            float64.

    Source: Frantar et al., arXiv 2210.17323, Algorithm 1; the step for one column is that of
    Hassibi and Stork's optimal brain surgeon, 1993.

    Two inputs that are always alike: what the first code loses, the second one makes up for.

    >>> from qlearn import quantize_groups
    >>> weight = torch.tensor([[0.4, 0.4, -7.5]])
    >>> inputs = torch.tensor([[1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    >>> gptq(weight, inputs).codes
    tensor([[ 0,  1, -8]], dtype=torch.int8)
    >>> quantize_groups(weight, group_size=3).codes
    tensor([[ 0,  0, -8]], dtype=torch.int8)
    """
    check_weight(weight)
    check_rows(inputs, "inputs", weight)
    size = weight.shape[1] if group_size is None else group_size
    check_divides(size, weight, "group_size")
    upper = inverse_factor(inputs, damp)
    rest = weight.detach().double()
    codes, scales = torch.empty_like(weight, dtype=torch.int8), []
    for i in range(weight.shape[1]):
        if i % size == 0:
            low, high = rest[:, i : i + size].float().aminmax(dim=1, keepdim=True)
            scale, zero = group_qparams(low, high, bits=bits, symmetric=True)
            scales.append(scale)
        column = rest[:, i : i + 1]
        code = group_codes(column.float(), scale, zero, bits=bits)
        rest[:, i + 1 :] -= (column - code * scale) / upper[i, i] * upper[i, i + 1 :]
        codes[:, i : i + 1] = code
    found = torch.cat(scales, 1)
    return GroupedTensor(codes, found, torch.zeros_like(found, dtype=torch.int8), bits, size)


def by_activation(
    weight: Float32[Tensor, "n k"],
    inputs: Float32[Tensor, "*rows k"],
    *,
    bits: int = 4,
    group_size: int | None = None,
    damp: float = 0.01,
) -> Float32[Tensor, "n k"]:
    """Return what GPTQ makes of a weight whose loudest columns come first, in the old order.

    A column's loudness is ``Σ x²`` of its inputs, the diagonal of ``XᵀX``; of equals the first one
    comes first. With groups these are neighbours in the new order, as with ``desc_act`` in GPTQ's
    files, and so numbers are returned: a :class:`GroupedTensor` has its groups side by side.

    Args:
        weight: of a linear layer, (outputs, inputs).
        inputs: what reaches the layer, a row for each token.
        bits: 1 to 8.
        group_size: neighbours in the new order that share a scale; None for one in each row.
        damp: as in :func:`gptq`.

    Raises:
        TypeError: as :func:`gptq`.
        ValueError: as :func:`gptq`.

    Source: ``--act-order`` in the program of Frantar et al., arXiv 2210.17323; ``desc_act`` in
    files that were written by it.

    The second input is louder, so its code is the nearest, and the first makes up for the error.

    >>> weight, inputs = torch.tensor([[-7.5, 0.4]]), torch.tensor([[0.1, 1.0]])
    >>> by_activation(weight, inputs, damp=0.1), gptq(weight, inputs, damp=0.1).dequantize()
    (tensor([[-7.,  0.]]), tensor([[-8.,  0.]]))
    """
    check_weight(weight)
    check_rows(inputs, "inputs", weight)
    rows = inputs.detach().reshape(-1, inputs.shape[-1])
    order = rows.double().square().sum(0).argsort(descending=True, stable=True)
    found = gptq(weight[:, order], rows[:, order], bits=bits, group_size=group_size, damp=damp)
    return found.dequantize()[:, order.argsort()]


def inverse_factor(inputs: Float32[Tensor, "*rows k"], damp: float) -> Float64[Tensor, "k k"]:
    """Return U, upper triangular, with ``UᵀU = H⁻¹`` of the inputs' damped ``H = XᵀX``.

    Raises:
        TypeError: damp is no number.
        ValueError: damp is negative or not finite, or H is singular.
    """
    check_number(damp, "damp")
    if not 0 <= damp < math.inf:
        raise ValueError(f"damp is {damp}: it is a share of the mean, at least 0; 0.01 is usual")
    rows = inputs.detach().reshape(-1, inputs.shape[-1]).double()
    hessian = rows.T @ rows
    diagonal = hessian.diagonal()  # a view: the next two lines write into hessian
    diagonal += float(damp) * diagonal.mean()
    # Where no input ever came, with damp 0. The authors do so first, and thus have a larger mean.
    diagonal[diagonal == 0] = 1
    if not hessian.isfinite().all():
        raise ValueError(f"with the damp {damp}, XᵀX is beyond float64: 0.01 is usual")
    lower, failed = torch.linalg.cholesky_ex(hessian)
    rounding = len(hessian) * torch.finfo(torch.float64).eps
    if failed or (lower.diagonal().square() <= rounding * diagonal).any():
        raise ValueError(
            f"{len(rows)} rows of inputs do not determine {len(hessian)} columns, so XᵀX has no "
            "inverse: pass more rows that differ, or damp=0.01"
        )
    return torch.linalg.cholesky(torch.cholesky_inverse(lower), upper=True)
