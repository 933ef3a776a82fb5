"""A linear layer as torchao computes it in eight bits: each row of the input has its own scale.

It is what ``quantize_`` with ``Int8DynamicActivationInt8WeightConfig`` makes of ``nn.Linear``, in
plain integer tensors; torchao itself is not needed here.
"""

from __future__ import annotations

import torch
from jaxtyping import Float32, Int32
from torch import Tensor

from qlearn.checks import check_flag, check_float32
from qlearn.checks.finite import check_finite
from qlearn.checks.layers import check_layer
from qlearn.integers.matmul import signed_matmul, unsigned
from qlearn.integers.saturation import saturating_matmul
from qlearn.numbers.qparams import QParams
from qlearn.numbers.qtensor import QTensor
from qlearn.numbers.quantize import quantize
from qlearn.numbers.ranges import quant_range
from qlearn.numbers.rules.torchao import Mapping, torchao_qparams


def token_qparams(
    x: Float32[Tensor, "m k"], *, mapping: Mapping = "symmetric", reduce_range: bool = False
) -> QParams:
    """Return torchao's int8 qparams for a matrix: a scale and a zero point for each row.

    With low and high for the smallest and the largest number of a row, its pair is that of
    ``torchao_qparams(low, high)``. So the default, "symmetric", gives the zero point 0 and
    ``scale = max(−low, high) / 127.5``, and at least 2^-23.

    Args:
        x: a row for each token.
        mapping: the rule, as in :func:`qlearn.torchao_qparams`.
        reduce_range: choose for the codes −64 … 63; 127.5 becomes 63.5.

    Returns:
        QParams with m scales and m zero points, and with ``axis=0``, the axis of the rows.

    Raises:
        TypeError: ``x`` is not a float32 tensor, or ``reduce_range`` not True or False.
        ValueError: ``x`` is no matrix, is empty, or holds infinities or NaN; an unknown
            mapping.

    Source: ``torchao.quantization.Int8Tensor.from_hp`` with the granularity ``PerRow()``.

    >>> token_qparams(torch.tensor([[1.275, -0.5], [0.0, 127.5]])).scale
    tensor([0.0100, 1.0000])
    """
    check_float32(x)
    check_flag(reduce_range, "reduce_range")
    if x.ndim != 2 or x.numel() == 0:
        raise ValueError(
            f"x has shape {tuple(x.shape)}, but a scale per token needs rows of numbers: "
            "pass a matrix, as x.reshape(-1, features)"
        )
    quant_min, quant_max = quant_range(torch.int8, reduce_range=reduce_range)
    low, high = x.detach().amin(1), x.detach().amax(1)
    check_finite(x, low, high, because="a scale needs a finite range: replace them")
    return torchao_qparams(
        low, high, mapping=mapping, quant_min=quant_min, quant_max=quant_max, axis=0
    )


def linear_per_token(
    x: Float32[Tensor, "m k"],
    weight: QTensor,
    bias: Float32[Tensor, " n"] | None = None,
    *,
    reduce_range: bool = False,
    saturate: bool = False,
) -> Float32[Tensor, "m n"]:
    """Return torchao's dynamic linear layer: ``((Σ q·w) · s_row) · s_w + bias``.

    The rows are quantized symmetrically to int8, rounding "nearest"; the products are summed in
    int32; then each of the three steps rounds to float32.

    Args:
        x: the input, a row for each token.
        weight: int8 codes of shape (n, k), symmetric, with one scale or one for each output.
        bias: a number for each output.
        reduce_range: codes −64 … 63 for the input; the weight's are up to you.
        saturate: add the products as oneDNN's kernels for AVX2 do, in pairs of 16 bits, with 128
            added to the input's codes first. ``torch._int_mm`` of torch 2.13 does so only where
            ONEDNN_MAX_CPU_ISA keeps oneDNN from the VNNI that the processor has; on a processor
            without VNNI it is exact. Limited to AVX512_CORE, with one output and two rows or
            more, it adds the 128 to the weight's codes instead, which is not followed.

    Raises:
        TypeError: ``x`` or ``bias`` is not float32, ``weight`` no QTensor of int8.
        ValueError: shapes that do not fit; a weight with a zero point; infinities or NaN in x, or
            NaN in the bias; more than 131,071 inputs, or with ``saturate`` 65,793, from where on a
            sum may not fit int32.

    Source: ``torchao.quantization.Int8Tensor`` under ``torch.nn.functional.linear``, which calls
    ``torch._int_mm``.

    >>> codes = QTensor(torch.tensor([[100, -50]], dtype=torch.int8),
    ...                 QParams(0.01, 0, -128, 127, torch.int8))
    >>> linear_per_token(torch.tensor([[1.275, 0.0]]), codes)
    tensor([[1.2700]])
    """
    check_layer(weight, bias, "fbgemm")
    check_flag(saturate, "saturate")
    if weight.qparams.zero_point.any():
        raise ValueError(
            "the weight has a zero point, and torchao's does not: quantize symmetrically"
        )
    rows = token_qparams(x, reduce_range=reduce_range)
    if x.shape[1] != weight.values.shape[1]:
        raise ValueError(
            f"x has {x.shape[1]} features and the weight {weight.values.shape[1]}: "
            "both must be the same"
        )
    total = _sums(quantize(x, rows), weight.values, saturate)
    y = total.to(torch.float32) * rows.scale[:, None] * weight.qparams.scale
    return y if bias is None else y + bias.detach()


def _sums(codes: Tensor, weight: Tensor, saturate: bool) -> Int32[Tensor, "m n"]:
    """Return the sums of products, exact or as pairs in 16 bits leave them."""
    if not saturate:
        return signed_matmul(codes, weight.t().contiguous())
    offset = 128 * weight.sum(dim=1, dtype=torch.int32)
    return saturating_matmul(unsigned(codes), weight.t().contiguous()) - offset
