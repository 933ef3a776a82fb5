"""What the installed torch does where versions of torch differ."""

from __future__ import annotations

import warnings
from functools import cache
from typing import Literal

import torch

# Value, scale and zero point. The first value is a tie, and the zero point is odd: "nearest"
# gives 1, "fma" and "add" give 2. The second is so close to a tie that only "fma" gives 9.
_PROBES = ((0.25, 0.5, 1), (-40.25, 0.46, 96))
_ANSWERS: dict[tuple[int, ...], Literal["fma", "nearest"]] = {(2, 9): "fma", (1, 8): "nearest"}


@cache
def installed_rounding() -> Literal["fma", "nearest"]:
    """Return the rounding by which the installed torch quantizes a tensor to eight bits.

    It is found by trying: torch 2.13 on x86-64 rounds once ("fma"), torch 2.14 rounds before it
    adds the zero point ("nearest"), and so do builds without FBGEMM. The name is one that
    :func:`qlearn.quantize` takes: ``quantize(x, qparams, rounding=installed_rounding())`` gives
    the codes of ``torch.quantize_per_tensor`` on this machine.

    Raises:
        RuntimeError: this torch has no quantized tensors any more, or rounds in a third way.

    >>> installed_rounding() in ("fma", "nearest")
    True
    """
    codes = tuple(_torchs_code(*probe) for probe in _PROBES)
    if codes not in _ANSWERS:
        raise RuntimeError(
            f"torch {torch.__version__} quantizes {_PROBES} (value, scale, zero point) to {codes}, "
            f"but the roundings known here give one of {_ANSWERS}: compare away from ties only"
        )
    return _ANSWERS[codes]


def _torchs_code(value: float, scale: float, zero_point: int) -> int:
    row = torch.full((16,), value)  # enough for the vectorized part of the kernel
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch announces the end of its quantized tensors
        try:
            return int(torch.quantize_per_tensor(row, scale, zero_point, torch.qint8).int_repr()[0])
        except (AttributeError, RuntimeError) as error:
            raise RuntimeError(
                f"torch {torch.__version__} has no quantized tensors, whose rounding this would "
                'tell; quantize(x, qparams) rounds to "nearest", as torchao does'
            ) from error
