"""From real numbers to integer codes, and back."""

from __future__ import annotations

import torch
from jaxtyping import Float32, Int
from torch import Tensor

from qlearn.checks import check_float32
from qlearn.checks.codes import check_codes, check_qparams
from qlearn.numbers.qparams import QParams
from qlearn.numbers.rounding import Rounding, nan_code, unclamped_codes


def quantize(
    x: Float32[Tensor, "*shape"], qparams: QParams, *, rounding: Rounding = "nearest"
) -> Int[Tensor, "*shape"]:
    """Return the codes of ``x``: ``clamp(rint(x/scale) + zero_point, quant_min, quant_max)``.

    Values beyond the range saturate, infinities too; 0.0 becomes ``zero_point`` (in int32, as
    float32 has it). The division is a multiplication by the float32 reciprocal, as in torch's
    kernels. How ties round, and what NaN becomes, is the choice of ``rounding``: see
    :mod:`qlearn.numbers.rounding`.

    Args:
        x: float32 of any shape, 0-d, empty and non-contiguous included.
        qparams: the step, the zero point and the range.
        rounding: "nearest", as fake_quantize, torchao, torch 2.12.1, and up to 2^31 steps torch
            2.14.1 and 2.15 do, or what torch 2.13 alone does: on x86-64 "fma" (quantize_per_tensor
            to 8 bits) and "add" (quantize_per_channel, and anything to qint32).

    Returns:
        A contiguous tensor of ``qparams.dtype`` in the shape of ``x``.

    Raises:
        TypeError: ``x`` is not a float32 tensor.
        ValueError: unknown rounding; ``x`` and the qparams disagree on the channels.

    Source: ``torch.quantize_per_tensor`` and ``torch.quantize_per_channel``, with the rounding and
    the exceptions that :func:`qlearn.installed_rounding` names. By "nearest" it gives finite
    numbers the codes of torchao's ``quantize_affine``, and of
    ``torch.ops.quantized_decomposed.quantize_per_tensor``, but for int32, where theirs wrap around.

    >>> qparams = QParams(0.1, 10, -128, 127, torch.int8)
    >>> quantize(torch.tensor([-1.0, 0.0, 1.0, 20.0]), qparams)
    tensor([  0,  10,  20, 127], dtype=torch.int8)
    """
    check_float32(x)
    check_qparams(qparams)
    return stored(unclamped_codes(x.detach(), qparams, rounding), qparams, rounding)


def stored(
    codes: Float32[Tensor, "*shape"], qparams: QParams, rounding: Rounding
) -> Int[Tensor, "*shape"]:
    """Clamp whole float numbers to the range, put NaN's code for NaN, and make them integers."""
    if qparams.dtype == torch.int32:
        codes = codes.to(torch.float64)  # float32 cannot hold 2^31 − 1, float64 can
    codes = codes.clamp(qparams.quant_min, qparams.quant_max)
    codes = codes.nan_to_num(nan=nan_code(qparams, rounding))
    return codes.to(qparams.dtype).contiguous()


def dequantize(q: Int[Tensor, "*shape"], qparams: QParams) -> Float32[Tensor, "*shape"]:
    """Return what the codes mean: ``scale · (q − zero_point)``, rounded to float32.

    For one scale the difference is that of the integers; for a scale per channel torch converts
    both to float32 first, which differs for int32 codes beyond 2^24 only. The result is
    contiguous. Codes are not checked against quant_min … quant_max; a QTensor does that.

    Raises:
        TypeError: ``q`` is not a tensor of ``qparams.dtype``.
        ValueError: ``q`` and the qparams disagree on the channels.

    Source: ``Tensor.dequantize`` of a quantized tensor, bit for bit as long as the difference
    fits int32; beyond that torch's kernel wraps around, and this function does not.

    >>> qparams = QParams(0.1, 10, -128, 127, torch.int8)
    >>> dequantize(torch.tensor([0, 10, 20, 127], dtype=torch.int8), qparams)
    tensor([-1.0000,  0.0000,  1.0000, 11.7000])
    """
    check_codes(q, qparams)
    scale, zero_point = qparams.aligned_with(q)
    if qparams.axis is None and q.dtype == torch.int32:  # a difference may not fit int32
        steps = (q.to(torch.int64) - zero_point).to(torch.float32)
    else:
        steps = q.to(torch.float32) - zero_point.to(torch.float32)
    return (scale * steps).contiguous()
