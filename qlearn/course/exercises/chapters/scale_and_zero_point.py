"""Scale and zero point: choose them, and use the one zero point in both directions."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from qlearn.course.exercises.exercise import Case, Exercise, Parts, nowhere, one, several

SMALLEST = 2.0**-23


def affine(x_min: float, x_max: float) -> tuple[float, int]:
    """Return scale and zero point of int8 codes."""
    low, high = min(x_min, 0.0), max(x_max, 0.0)
    scale = max((high - low) / 255, SMALLEST)
    return scale, -128 - round(low / scale)


def unstretched(x_min: float, x_max: float) -> tuple[float, int]:
    """Lay the ruler from the smallest number to the largest, with or without 0."""
    scale = max((x_max - x_min) / 255, SMALLEST)
    return scale, max(-128, min(127, -128 - round(x_min / scale)))


def unclamped(x_min: float, x_max: float) -> tuple[float, int]:
    """The same, without an end for the zero point."""
    scale = max((x_max - x_min) / 255, SMALLEST)
    return scale, -128 - round(x_min / scale)


def of_256_steps(x_min: float, x_max: float) -> tuple[float, int]:
    """Count marks, and not the steps between them."""
    low, high = min(x_min, 0.0), max(x_max, 0.0)
    scale = max((high - low) / 256, SMALLEST)
    return scale, -128 - round(low / scale)


def from_zero(x_min: float, x_max: float) -> tuple[float, int]:
    """Count codes from 0, and not from -128."""
    scale, zero_point = affine(x_min, x_max)
    return scale, zero_point + 128


def cut_off(x_min: float, x_max: float) -> tuple[float, int]:
    """Cut the fraction of the zero point off."""
    scale, _ = affine(x_min, x_max)
    return scale, -128 - int(min(x_min, 0.0) / scale)


def turned(x_min: float, x_max: float) -> tuple[float, int]:
    """Count the steps from the first mark to 0 the wrong way."""
    scale, zero_point = affine(x_min, x_max)
    return scale, -256 - zero_point


def from_top(x_min: float, x_max: float) -> tuple[float, int]:
    """Count the steps from the last mark."""
    scale, _ = affine(x_min, x_max)
    return scale, 127 - round(max(x_max, 0.0) / scale)


def one_sided(x_min: float, x_max: float) -> tuple[float, int]:
    """Stretch the range to 0 on its lower end alone."""
    low = min(x_min, 0.0)
    scale = max((x_max - low) / 255, SMALLEST)
    return scale, max(-128, min(127, -128 - round(low / scale)))


def only_zero_replaced(x_min: float, x_max: float) -> tuple[float, int]:
    """Raise a scale of 0 alone."""
    low, high = min(x_min, 0.0), max(x_max, 0.0)
    scale = (high - low) / 255 or SMALLEST
    return scale, -128 - round(low / scale)


def raised_too_late(x_min: float, x_max: float) -> tuple[float, int]:
    """Raise the scale after the zero point was computed from it."""
    scale, zero_point = only_zero_replaced(x_min, x_max)
    return max(scale, SMALLEST), zero_point


def chosen(subject: Any, x_min: float, x_max: float) -> Parts:
    """Call the reader's function with Python's floats, or with tensors where it takes these."""
    drive = several("scale", "zero point")
    try:
        return drive(subject, x_min, x_max)
    except (AttributeError, TypeError):
        return drive(subject, torch.tensor(x_min), torch.tensor(x_max))


CHOOSE_AFFINE = Exercise(
    name="choose_affine",
    call="choose_affine(x_min, x_max)",
    task="the scale and the zero point of an affine ruler of int8 codes",
    drive=chosen,
    right=affine,
    cases=tuple(
        Case(about, ends)
        for about, ends in (
            ("numbers from -1 to 3", (-1.0, 3.0)),
            ("numbers from 10 to 11", (10.0, 11.0)),
            ("numbers from -0.9 to -0.7", (-0.9, -0.7)),
            ("zeros alone", (0.0, 0.0)),
            ("numbers from -0.000001 to 0", (-1e-6, 0.0)),
        )
    ),
    mistakes={
        "You divide by 256, but between 256 marks lie 255 steps.": of_256_steps,
        "Your zero point counts from 0: the first code of int8 is -128.": from_zero,
        "Your zero point goes the wrong way: 0 lies above the first mark, so it is more than "
        "-128.": turned,
        "You cut the fraction of the zero point off: round it.": cut_off,
        "You count from the last code. This rule counts from the first: -128 - round(x_min / "
        "scale).": from_top,
        "Your ruler does not hold 0: stretch the range first.": unstretched,
        "Your ruler does not hold 0, and the zero point is no code: stretch the range first.": (
            unclamped
        ),
        "You raise only a scale of 0: no scale may be below 2**-23.": only_zero_replaced,
        "You compute the zero point before you raise the scale: raise the scale "
        "first.": raised_too_late,
        "You stretch the range on its lower end alone: numbers below 0 need it above.": one_sided,
    },
    hints=(
        "Which number must always have a mark? And what is the scale if all numbers are 0?",
        "Stretch the range to 0 by min and max. The scale is at least 2.0**-23.",
    ),
    praise="Your rulers are those of `choose_qparams`.",
    place=nowhere,
    last_bits=False,
)


def rounded_once(pixels: Tensor, offset: Tensor | None = None) -> Tensor:
    """Return the mean of each row by codes, with the rounded zero point in both directions."""
    scale, zero_point = ruler(pixels)
    codes = ((pixels / scale).round() + zero_point.round()).clamp(-128, 127)
    back = zero_point.round() if offset is None else offset
    return (scale * (codes - back)).mean(dim=1)


def ruler(pixels: Tensor) -> tuple[Tensor, Tensor]:
    """Return the scale, and the zero point before it is rounded."""
    scale = (pixels.max() - pixels.min()) / 255
    return scale, -128 - pixels.min() / scale


def unrounded_both_ways(pixels: Tensor) -> Tensor:
    """Use the unrounded zero point in both directions."""
    scale, zero_point = ruler(pixels)
    codes = (pixels / scale + zero_point).round().clamp(-128, 127)
    return (scale * (codes - zero_point)).mean(dim=1)


def unrounded_codes(pixels: Tensor) -> Tensor:
    """Add the unrounded zero point to whole steps, and subtract it."""
    scale, zero_point = ruler(pixels)
    codes = ((pixels / scale).round() + zero_point).clamp(-128, 127)
    return (scale * (codes - zero_point)).mean(dim=1)


def without_codes(pixels: Tensor) -> Tensor:
    """Take the mean of the pixels themselves."""
    return pixels.mean(dim=1)


def drawn(seed: int, low: float) -> Tensor:
    """Return 20 rows of 64 pixels from low to low + 1."""
    generator = torch.Generator().manual_seed(seed)
    return (torch.rand(20, 64, generator=generator, dtype=torch.float64) + low).float()


MEAN_BY_CODES = Exercise(
    name="mean_by_codes",
    call="mean_by_codes(pixels)",
    task="the mean of each row of pixels, computed from codes of eight bits",
    drive=one("means"),
    right=rounded_once,
    cases=(
        Case("pixels from -0.25 to 0.75", (drawn(1, -0.25),)),
        Case("pixels from -0.8 to 0.2", (drawn(2, -0.8),)),
    ),
    mistakes={
        "Rounding errors have both signs, but all of your means are too large, or all too small.": (
            lambda pixels: rounded_once(pixels, ruler(pixels)[1])
        ),
        "A zero point is a code, so it is an integer, in both directions.": unrounded_both_ways,
        "Your codes are no whole numbers: you add a zero point that is none.": unrounded_codes,
        "That is the mean of the pixels. The layer gets codes: keep them, and mend the way back.": (
            without_codes
        ),
    },
    hints=(
        "Print the errors of the outputs. Do they have one sign? What do all of them share?",
        "Compare the zero point in the line that makes the codes with that in the line below it.",
    ),
    praise="Errors of both signs are left, those of rounding.",
    place=lambda args, index: f"row {index[0]}",
    last_bits=False,
)

EXERCISES = (CHOOSE_AFFINE, MEAN_BY_CODES)
