"""The ruler that the cases of all steps use; the page gives the reader the same class."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from jaxtyping import Float32, Int32
from torch import Tensor

from qlearn.course.exercises.exercise import Parts, WrongError


class Ruler(NamedTuple):
    """Scale, zero point, and the first and the last code.

    >>> Ruler(torch.tensor(0.5), torch.tensor(0), -128, 127).dtype
    torch.int8
    """

    scale: Float32[Tensor, "..."]
    zero_point: Int32[Tensor, "..."]
    quant_min: int
    quant_max: int

    @property
    def dtype(self) -> torch.dtype:
        """The type of the codes: int8 where some are negative, else uint8."""
        return torch.int8 if self.quant_min < 0 else torch.uint8


def ruler(scale: float, zero_point: int, quant_min: int = -128, quant_max: int = 127) -> Ruler:
    """Return a ruler of two plain numbers.

    >>> ruler(0.5, 3).zero_point
    tensor(3, dtype=torch.int32)
    """
    codes = torch.tensor(zero_point, dtype=torch.int32)
    return Ruler(torch.tensor(scale), codes, quant_min, quant_max)


def parts_of_ruler(given: Any, call: str) -> Parts:
    """Return scale, zero point and the two ends of a ruler that the reader's code made.

    Raises:
        WrongError: it is something else.
    """
    if given is None or given is Ellipsis:
        return {"scale": None}
    missing = [name for name in Ruler._fields if not hasattr(given, name)]
    if missing:
        raise WrongError(f"`{call}` should return a Ruler, not {type(given).__name__} {given!r}.")
    ends = given.quant_min, given.quant_max
    if not all(type(end) is int for end in ends):
        raise WrongError(f"The first and the last code should be integers, not {ends}.")
    return {
        "scale": given.scale,
        "zero point": _tensor(given.zero_point),
        "first and last code": torch.tensor(ends),
    }


def _tensor(zero_point: Any) -> Any:
    """Return a plain number as a tensor."""
    return torch.tensor(zero_point) if type(zero_point) in (int, float) else zero_point
