"""From a range of values to a scale and a zero point: the three rules of torchao.

With all codes of some bits, two are those of torch's observers but for the smallest scale. The
third divides so that no value of the range is clipped. torchao itself is not needed here.
"""

from __future__ import annotations

from typing import Literal, get_args

import torch
from jaxtyping import Float32
from torch import Tensor

from qlearn.checks import check_choice, check_quant_range, real_tensor
from qlearn.numbers.qparams import QParams
from qlearn.numbers.rules.observer import choose_qparams

Mapping = Literal["symmetric", "symmetric_no_clipping_err", "asymmetric"]


def torchao_qparams(
    min_val: float | Float32[Tensor, "*channels"],
    max_val: float | Float32[Tensor, "*channels"],
    *,
    mapping: Mapping = "symmetric",
    quant_min: int = -128,
    quant_max: int = 127,
    axis: int | None = None,
) -> QParams:
    """Return the int8 qparams that torchao chooses for values in min_val … max_val.

    * symmetric: ``scale = max(−min, max) / ((quant_max − quant_min)/2)``, as torch's observers;
    * symmetric_no_clipping_err: ``scale = max(min/quant_min, max/quant_max)``, so that with the
      zero point 0 neither end is clipped;
    * asymmetric: ``scale = (max − min) / (quant_max − quant_min)`` over a range widened to hold
      0, and ``zero_point = clamp(quant_min − rint(min/scale))``, as torch's observers.

    The zero point of both symmetric rules is ``(quant_min + quant_max + 1) / 2``, cut off towards
    0. With all codes of some bits it is 0; with −8 … 3 it is −2, and both rules can clip. The scale
    is at least 2^-23, as in ``Int8Tensor``.

    Args:
        min_val: the smallest value, shape () or (C,) with ``axis``.
        max_val: the largest value, in the same shape.
        mapping: the rule; torchao's ``MappingType`` in small letters.
        quant_min: the smallest code, below 0.
        quant_max: the largest code.
        axis: the dimension along which there are C ranges.

    Raises:
        TypeError: min_val or max_val is not a real number.
        ValueError: an unknown mapping; a range of codes that does not enclose 0 or fit int8, or
            that ends at 0 with symmetric_no_clipping_err; values that make no range (see
            ``choose_qparams``).

    Source: ``torchao.quantization.choose_qparams_affine`` with ``eps=2**-23``. Without an
    ``eps`` it takes the smallest normal float32, as the Intx configs do: for
    ranges below some 10^-5 their scales are smaller than here.

    >>> torchao_qparams(-8.0, 3.5, mapping="symmetric_no_clipping_err", quant_min=-8, quant_max=7)
    QParams(scale=1.0, zero_point=0,
            quant_min=-8, quant_max=7, dtype=torch.int8)
    """
    check_choice(mapping, "mapping", get_args(Mapping))
    check_quant_range(quant_min, quant_max, torch.int8)
    if quant_min >= 0:
        raise ValueError(
            f"quant_min is {quant_min}, but these codes are signed: pass a negative one, as -8"
        )
    if mapping == "symmetric_no_clipping_err" and quant_max == 0:
        raise ValueError(
            "quant_max is 0, but symmetric_no_clipping_err divides the largest value by it: pass a "
            "positive one, as 7, or another mapping"
        )
    qparams = choose_qparams(
        min_val,
        max_val,
        symmetric=mapping != "asymmetric",
        quant_min=quant_min,
        quant_max=quant_max,
        axis=axis,
    )
    if mapping == "asymmetric":
        return qparams
    scale = qparams.scale
    if mapping == "symmetric_no_clipping_err":
        scale = _unclipped_scale(min_val, max_val, quant_min, quant_max)
    middle = int((quant_min + quant_max + 1) / 2)  # where torch's observers have 0
    zero_point = torch.full_like(scale, middle, dtype=torch.int32)
    return QParams(scale, zero_point, quant_min, quant_max, torch.int8, axis)


def _unclipped_scale(
    min_val: float | Tensor, max_val: float | Tensor, quant_min: int, quant_max: int
) -> Float32[Tensor, "*channels"]:
    """Return the larger of the scales that each end asks for by itself."""
    low = real_tensor("min_val", min_val).to(torch.float32).clamp_max(0.0)
    high = real_tensor("max_val", max_val).to(torch.float32).clamp_min(0.0)
    scale = torch.maximum(low / float(quant_min), high / float(quant_max))
    return scale.clamp_min(torch.finfo(torch.float32).eps)
