"""Quantized tensors: the same numbers in other steps, and rows in another order."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from qlearn.course.exercises.exercise import Case, Exercise, Parts, WrongError
from qlearn.numbers.qparams import QParams
from qlearn.numbers.qtensor import QTensor
from qlearn.numbers.quantize import quantize


def qtensor(found: Any, exercise: str, target: QParams | None = None) -> QTensor | None:
    """Return what the reader returned if it is a QTensor, with the right qparams.

    Raises:
        WrongError: it is something else.
    """
    if found is None or found is Ellipsis:
        return None
    if not isinstance(found, QTensor):
        raise WrongError(
            f"Let `{exercise}` return a QTensor, which holds codes and their qparams, and not "
            f"a {type(found).__name__}."
        )
    if target is not None and found.qparams != target:
        raise WrongError(
            "Beside your codes stand other qparams than `target`: whoever reads them reads other "
            "numbers."
        )
    return found


def codes(subject: Any, q: QTensor, target: QParams) -> Parts:
    """Return the codes of the reader's QTensor."""
    found = qtensor(subject(q, target), "in_other_steps", target)
    return {"codes": None if found is None else found.values}


def in_other_steps(q: QTensor, target: QParams) -> QTensor:
    """Return the same numbers in other steps."""
    return QTensor(quantize(q.dequantize(), target), target)


def copied(q: QTensor, target: QParams) -> QTensor:
    """Copy the integers."""
    return QTensor(q.values.to(target.dtype), target)


def codes_quantized(q: QTensor, target: QParams) -> QTensor:
    """Quantize the codes, and not the numbers."""
    return QTensor(quantize(q.values.float(), target), target)


def without_zero_points(q: QTensor, target: QParams) -> QTensor:
    """Multiply the codes by the ratio of the scales."""
    steps = q.values * (q.qparams.scale / target.scale)
    return QTensor(clipped(torch.round(steps), target), target)


def with_the_old_zero_point(q: QTensor, target: QParams) -> QTensor:
    """Keep the zero point of the source."""
    steps = torch.round(q.dequantize() / target.scale) + q.qparams.zero_point
    return QTensor(clipped(steps, target), target)


def wrapped(q: QTensor, target: QParams) -> QTensor:
    """Convert to eight bits without clipping."""
    steps = torch.round(q.dequantize() / target.scale) + target.zero_point
    return QTensor(steps.to(torch.int64).to(target.dtype), target)


def clipped(steps: Tensor, target: QParams) -> Tensor:
    """Return codes that are on the ruler."""
    return steps.clamp(target.quant_min, target.quant_max).to(target.dtype)


def held(values: list[int], scale: float, zero_point: int) -> QTensor:
    """Return a QTensor of int8 codes."""
    return QTensor(
        torch.tensor(values, dtype=torch.int8), QParams(scale, zero_point, -128, 127, torch.int8)
    )


IN_OTHER_STEPS = Exercise(
    name="in_other_steps",
    call="in_other_steps(q, target)",
    task="a QTensor with the numbers of q, in the steps of target",
    drive=codes,
    right=in_other_steps,
    cases=(
        Case(
            "steps of 0.1 and then of 0.25",
            (held([-16, 40, 70], 0.1, 0), QParams(0.25, 0, -128, 127, torch.int8)),
        ),
        Case(
            "a zero point of 10 and then of 0",
            (held([-16, 40, 70], 0.1, 10), QParams(0.25, 0, -128, 127, torch.int8)),
        ),
        Case(
            "a zero point of 0 and then of 128",
            (held([-16, 40, 70], 0.1, 0), QParams(0.25, 128, 0, 255, torch.uint8)),
        ),
        Case(
            "numbers beyond the new ruler",
            (held([-128, 0, 127], 0.5, 0), QParams(0.1, 0, -128, 127, torch.int8)),
        ),
    ),
    mistakes={
        "You copy the integers. In other steps they mean other numbers: dequantize first.": copied,
        "You quantize the codes: quantize the numbers that they mean.": codes_quantized,
        "You leave out the zero points: a code counts from the zero point of its own ruler.": (
            without_zero_points
        ),
        "You count from the zero point of the old ruler.": with_the_old_zero_point,
        "You do not clip: codes that are too large for eight bits wrap around.": wrapped,
    },
    hints=(
        "Which numbers do the codes mean? And which codes have these numbers on the other ruler?",
        "q.dequantize() gives the numbers, and quantize takes numbers and qparams.",
    ),
    praise="Your codes mean the same numbers, as near as the new steps allow.",
    place=lambda args, index: f"code {args[0].values[index].item()}",
)


def numbers(subject: Any, q: QTensor) -> Parts:
    """Return the numbers of the reader's QTensor."""
    found = qtensor(subject(q), "upside_down")
    return {"numbers": None if found is None else found.dequantize()}


def upside_down(q: QTensor) -> QTensor:
    """Return the rows in reverse order, with their own scales and zero points."""
    old = q.qparams
    turned = replace(old, scale=old.scale.flip(0), zero_point=old.zero_point.flip(0))
    return QTensor(q.values.flip(0), turned)


def scales_alone(q: QTensor) -> QTensor:
    """Turn codes and scales, and leave the zero points."""
    turned = replace(q.qparams, scale=q.qparams.scale.flip(0))
    return QTensor(q.values.flip(0), turned)


def codes_stay(q: QTensor) -> QTensor:
    """Turn scales and zero points, and leave the codes."""
    return QTensor(q.values, upside_down(q).qparams)


def left_to_right(q: QTensor) -> QTensor:
    """Turn each row around."""
    return QTensor(q.values.flip(1), q.qparams)


def in_rows(scales: list[float], zero_points: list[int]) -> QTensor:
    """Return a matrix with a scale and a zero point for each row."""
    values = (torch.arange(len(scales) * 4) * 37 % 101 - 50).reshape(-1, 4).to(torch.int8)
    both = torch.tensor(scales), torch.tensor(zero_points)
    return QTensor(values, QParams(*both, -128, 127, torch.int8, 0))


UPSIDE_DOWN = Exercise(
    name="upside_down",
    call="upside_down(q)",
    task="a QTensor with the rows of q from the last to the first",
    drive=numbers,
    right=upside_down,
    cases=(
        Case("a scale for each row", (in_rows([0.5, 0.25, 0.125], [0, 0, 0]),)),
        Case("a zero point for each row", (in_rows([0.5, 0.25, 0.125], [3, -7, 20]),)),
    ),
    mistakes={
        "The integers are right, and still whole rows are too large or too small, each by one "
        "factor.": lambda q: QTensor(q.values.flip(0), q.qparams),
        "The zero points are where they were: each row needs its own.": scales_alone,
        "The scales are in reverse order, and the codes are not.": codes_stay,
        "You turn the numbers within each row: flip(0) turns the rows.": left_to_right,
    },
    hints=(
        "Which parts of a QTensor with a scale for each row belong to a row?",
        "q.qparams.scale.flip(0) turns the scales. QParams takes scales, zero points, the first "
        "and the last code, the dtype, and axis=0 for rows.",
    ),
    praise="Each row moved with all that it needs to be read.",
    place=lambda args, index: f"row {index[0]}",
)

EXERCISES = (IN_OTHER_STEPS, UPSIDE_DOWN)
