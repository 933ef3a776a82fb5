"""Three ways to round x/scale + zero_point to a code; they differ at ties and close to them.

Every rule starts from ``inv = f(1/scale)``, the reciprocal rounded to float32 (f), and
rounds half to even (rint). What differs is where the zero point joins, and so which numbers
float32 rounds onto a tie; with zero points of more than a byte (int32) that is many.

=========  =============================  =====================================================
rounding   code before clamping           who rounds so
=========  =============================  =====================================================
nearest    ``f(rint(f(x·inv)) + z)``      fake_quantize, torchao; torch 2.12.1, 2.14.1, 2.15
fma        ``rint(fma(x, inv, z))``       torch 2.13: quantize_per_tensor to 8 bits
add        ``rint(f(f(x·inv) + z))``      torch 2.13: quantize_per_channel, and to qint32
=========  =============================  =====================================================

torch 2.14.1 and 2.15 round so up to 2^31 steps. Beyond them their kernel per tensor to eight bits
wraps around on x86-64: with a zero point of 128 or more quint8's code for infinity is 0, and with
one below 0 qint8's for −infinity 127. "fma" and "add" belong to torch 2.13, and "add" to x86-64:
torch 2.13 on Linux ARM rounds by "fma" in all these kernels but one, quantize_per_channel to
quint8, which rounds to "nearest", and makes the code 0 of numbers more than 2^31 steps above zero.
:func:`qlearn.installed_rounding` tells what the torch at hand does.

NaN has no code. For it :func:`qlearn.quantize` gives quant_min by "nearest", as fake_quantize
does, quant_max by "fma", and by "add" 0 in eight bits, quant_min in 32. The last two are what
torch 2.13 stores on x86-64; on Linux ARM it stores 0. torchao stores 0 too, as do torch 2.14.1
and 2.15 per channel to eight bits; per tensor to eight bits these store what they do for infinity,
mostly quant_max. See :func:`qlearn.machine.rounding.installed_nan_code`.
"""

from __future__ import annotations

from typing import Literal, get_args

import torch
from jaxtyping import Bool, Float32
from torch import Tensor

from qlearn.checks import check_choice
from qlearn.checks.codes import check_qparams
from qlearn.numbers.fma import fma
from qlearn.numbers.qparams import QParams

Rounding = Literal["nearest", "fma", "add"]


def unclamped_codes(
    x: Float32[Tensor, "*shape"], qparams: QParams, rounding: Rounding
) -> Float32[Tensor, "*shape"]:
    """Return the codes as whole float32 numbers, not yet clamped to the range.

    Raises:
        ValueError: ``rounding`` is not one of the three names.
    """
    check_qparams(qparams)
    check_choice(rounding, "rounding", get_args(Rounding))
    scale, zero_point = qparams.aligned_with(x)
    inv = 1.0 / scale
    z = zero_point.to(torch.float32)
    if rounding == "nearest":
        return torch.round(x * inv) + z
    if rounding == "fma":
        return torch.round(fma(x, inv, z))
    return torch.round(x * inv + z)


def in_range(
    codes: Float32[Tensor, "*shape"], qparams: QParams, *, exact: bool = True
) -> Bool[Tensor, "*shape"]:
    """Return where codes that were not clamped lie in the range; NaN does not.

    float32 has no 2^31 − 1. If this is not ``exact``, such an end counts as 2^31.
    """
    if exact and qparams.dtype == torch.int32:
        codes = codes.to(torch.float64)
    return (codes >= qparams.quant_min) & (codes <= qparams.quant_max)


def nan_code(qparams: QParams, rounding: Rounding) -> int:
    """Return the code that stands for NaN with this rounding: see the module's text."""
    if rounding == "fma":
        return qparams.quant_max
    if rounding == "add" and qparams.dtype != torch.int32:
        return min(max(0, qparams.quant_min), qparams.quant_max)
    return qparams.quant_min
