"""What torch's observers choose for codes of any number of bits; in JavaScript chooseQParams."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from qlearn.numbers.qparams import QParams
from qlearn.numbers.ranges import quant_range
from qlearn.numbers.rules.observer import choose_qparams


def fitted(
    low: float | Tensor,
    high: float | Tensor,
    *,
    bits: int,
    signed: bool = True,
    symmetric: bool = True,
) -> QParams:
    """Return what torch's observers choose for values from low to high.

    >>> fitted(-1.0, 3.0, bits=4, symmetric=False).zero_point
    tensor(-4, dtype=torch.int32)
    """
    dtype = torch.int8 if signed else torch.uint8
    quant_min, quant_max = quant_range(dtype, bits=bits)
    # Without a range of codes, torch takes all eight bits.
    codes: dict[str, Any] = {} if bits == 8 else {"quant_min": quant_min, "quant_max": quant_max}
    return choose_qparams(low, high, dtype=dtype, symmetric=symmetric, **codes)
