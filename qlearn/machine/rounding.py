"""What the installed torch does where versions of torch, and processors, differ."""

from __future__ import annotations

import warnings
from functools import cache
from typing import TYPE_CHECKING

import torch
from jaxtyping import Int
from torch import Tensor

from qlearn.checks.arguments import check_flag, check_storage_dtype
from qlearn.checks.codes import check_qparams
from qlearn.numbers.qparams import QParams

if TYPE_CHECKING:  # numbers.rounding needs the fma, which asks this package
    from qlearn.numbers.rounding import Rounding

# Value, scale and zero point. The first value is a tie, and the zero point is odd: "nearest"
# gives 1, the two others 2. The second is so close to a tie that only "fma" gives 9.
_PROBES = ((0.25, 0.5, 1), (-40.25, 0.46, 96))
_ANSWERS: dict[tuple[int, ...], Rounding] = {(2, 9): "fma", (2, 8): "add", (1, 8): "nearest"}
_QUANTIZED = {torch.int8: torch.qint8, torch.uint8: torch.quint8, torch.int32: torch.qint32}


def installed_rounding(dtype: torch.dtype = torch.int8, *, per_channel: bool = False) -> Rounding:
    """Return the rounding by which the installed torch quantizes a tensor.

    It is found by trying, because it depends on the version and on the machine. torch 2.12.1,
    2.14.1 and 2.15 round to "nearest" everywhere. torch 2.13 on x86-64 rounds by "fma" to eight
    bits per tensor, and by "add" to qint32 and per channel, and where AVX2 is missing; on Linux ARM
    by "fma", but to quint8 per channel by "nearest". The name is one that :func:`qlearn.quantize`
    takes: ``quantize(x, qparams, rounding=installed_rounding())`` gives the codes of
    ``torch.quantize_per_tensor`` on this machine, but for NaN (see ``installed_nan_code``)
    and, on 2.14.1 and 2.15, for numbers beyond 2^31 steps.

    Args:
        dtype: what the codes are stored as: torch.int8, torch.uint8 or torch.int32.
        per_channel: ask about ``torch.quantize_per_channel``.

    Raises:
        TypeError: ``dtype`` is not a torch.dtype, or ``per_channel`` not True or False.
        ValueError: codes cannot be stored in this dtype.
        RuntimeError: this torch has no quantized tensors any more, or rounds in a fourth way.

    >>> installed_rounding() in ("nearest", "fma", "add")
    True
    """
    check_storage_dtype(dtype)
    check_flag(per_channel, "per_channel")
    return _found_rounding(dtype, per_channel)


@cache
def _found_rounding(dtype: torch.dtype, per_channel: bool) -> Rounding:
    codes = tuple(_torchs_code(*probe, dtype, per_channel) for probe in _PROBES)
    if codes not in _ANSWERS:
        raise RuntimeError(
            f"torch {torch.__version__} quantizes {_PROBES} (value, scale, zero point) to {codes}, "
            f"but the roundings known here give one of {_ANSWERS}: compare away from ties only"
        )
    return _ANSWERS[codes]


def qnnpack_rounding() -> Rounding:
    """Return the rounding by which qnnpack's dynamic layer quantizes its input on this machine.

    It calls ``torch.quantize_per_tensor``. Where torch has neither any more, the answer is that
    of torch 2.13, which the course describes.

    >>> qnnpack_rounding() == installed_rounding(torch.uint8)
    True
    """
    try:
        return installed_rounding(torch.uint8)
    except RuntimeError:
        return "fma"


def fbgemm_rounding() -> Rounding:
    """Return the rounding by which FBGEMM's dynamic layers quantize their input in this torch.

    It is that of ``torch.quantize_per_tensor`` on x86-64 with AVX2, which calls FBGEMM too: "fma"
    in torch 2.13, "nearest" in 2.15. FBGEMM needs AVX2. So a processor without it, on which torch
    2.13 rounds by "add", gets "fma", and ARM what the same torch does on x86-64.

    >>> fbgemm_rounding() in ("nearest", "fma")
    True
    """
    return "nearest" if qnnpack_rounding() == "nearest" else "fma"


def installed_nan_code(qparams: QParams) -> Int[Tensor, "*channels"]:
    """Return the code that the installed torch stores for NaN, or one for each channel.

    It is found by trying. torch 2.13 on x86-64 stores what :mod:`qlearn.numbers.rounding` says; on
    Linux ARM 0, but in quint8 per channel the zero point.

    >>> installed_nan_code(QParams(0.5, 3, -128, 127, torch.int8)).item() in (127, 0, -128)
    True
    """
    check_qparams(qparams)
    scale, zero_point = qparams.scale, qparams.zero_point
    nans = torch.full((*scale.shape, 16), torch.nan, dtype=torch.float32)
    return _quantized(nans, scale, zero_point, qparams.dtype)[..., 0]


def _torchs_code(
    value: float, scale: float, zero_point: int, dtype: torch.dtype, per_channel: bool
) -> int:
    shape = (1,) if per_channel else ()
    # Enough for the vectorized part of the kernel
    row = torch.full((*shape, 16), value, dtype=torch.float32)
    scales = torch.full(shape, scale, dtype=torch.float32)
    zero_points = torch.full(shape, zero_point)
    return int(_quantized(row, scales, zero_points, dtype).flatten()[0])


def _quantized(x: Tensor, scale: Tensor, zero_point: Tensor, dtype: torch.dtype) -> Tensor:
    """Return the codes of torch's kernel per tensor, or per channel along axis 0."""
    kind = _QUANTIZED[dtype]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch announces the end of its quantized tensors
        try:
            if scale.ndim == 0:
                quantized = torch.quantize_per_tensor(x, scale.item(), int(zero_point), kind)
            else:
                quantized = torch.quantize_per_channel(x, scale, zero_point, 0, kind)
            return quantized.int_repr()
        except (AttributeError, RuntimeError) as error:
            raise RuntimeError(
                f"torch {torch.__version__} has no quantized tensors, whose rounding this would "
                'tell; quantize(x, qparams) rounds to "nearest", as torchao does'
            ) from error
