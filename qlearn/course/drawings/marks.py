"""The marks of a ruler of codes: where each lies, and which rulers have room on a page."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from qlearn.numbers.qparams import QParams


def mark(code: int, qparams: QParams) -> float:
    """Return the real number at the mark of a code.

    >>> import torch
    >>> mark(3, QParams(0.25, 1, -8, 7, torch.int8))
    0.5
    """
    return float(qparams.scale) * (code - int(qparams.zero_point))


def marks(qparams: QParams) -> list[float]:
    """Return the real numbers at all marks, from the first code on."""
    return [mark(code, qparams) for code in range(qparams.quant_min, qparams.quant_max + 1)]


def has_room(qparams: QParams, most: int) -> bool:
    """Return whether the qparams make a single ruler of at most so many marks."""
    return qparams.axis is None and qparams.quant_max - qparams.quant_min < most


def check_room(qparams: QParams, most: int) -> None:
    """Raise ValueError unless the qparams make a single ruler of at most so many marks."""
    if not has_room(qparams, most):
        raise ValueError(
            f"codes {qparams.quant_min} … {qparams.quant_max} with axis {qparams.axis} make no "
            f"single ruler of at most {most} marks: draw four bits, per tensor"
        )


def check_room_of(name: str, qparams: QParams, most: int) -> None:
    """Raise ValueError, with the name of the ruler, unless it has room."""
    if not has_room(qparams, most):
        raise ValueError(
            f"ruler {name!r} has codes {qparams.quant_min} … {qparams.quant_max} and axis "
            f"{qparams.axis}: draw at most {most} marks, per tensor"
        )


def places(values: Sequence[float], qparams: QParams) -> Callable[[float], float]:
    """Return where a number lies, in percent: all are inside, with half a step at the ends."""
    ends = [mark(code, qparams) for code in (qparams.quant_min, qparams.quant_max)]
    half = float(qparams.scale) / 2
    first, last = min(*values, *ends) - half, max(*values, *ends) + half
    return lambda number: 100 * (number - first) / (last - first)
