"""One image, number by number: the sum of a window, and the code that comes of it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import pad

from qlearn.course.exercises.exercise import (
    Case,
    Exercise,
    Parts,
    WrongError,
    at,
    nowhere,
    one,
    one_number,
)

SIDE = 3


def window(codes: Tensor, row: int, column: int, border: int = 0) -> Tensor:
    """Return the window around a place, as int64."""
    wide = pad(codes.long(), (1, 1, 1, 1), value=border)
    return wide[row : row + SIDE, column : column + SIDE]


def one_sum(codes: Tensor, zero_point: int, weights: Tensor, row: int, column: int) -> Tensor:
    """Return the sum of nine products around a place."""
    inside = window(codes, row, column, zero_point)
    return ((inside - zero_point) * weights.long()).sum()


def as_they_are(codes: Tensor, zero_point: int, weights: Tensor, row: int, column: int) -> Tensor:
    """Multiply the codes without the zero point."""
    return (window(codes, row, column) * weights.long()).sum()


def bordered(codes: Tensor, zero_point: int, weights: Tensor, row: int, column: int) -> Tensor:
    """Fill the border with the code 0, then subtract the zero point everywhere."""
    return ((window(codes, row, column) - zero_point) * weights.long()).sum()


def border_alone(codes: Tensor, zero_point: int, weights: Tensor, row: int, column: int) -> Tensor:
    """Fill the border with the zero point, and subtract it nowhere."""
    return (window(codes, row, column, zero_point) * weights.long()).sum()


def flipped(codes: Tensor, zero_point: int, weights: Tensor, row: int, column: int) -> Tensor:
    """Turn the weights around, as a convolution in a textbook does."""
    return one_sum(codes, zero_point, weights.flip(0, 1), row, column)


def turned(codes: Tensor, zero_point: int, weights: Tensor, row: int, column: int) -> Tensor:
    """Take the column for the row."""
    return one_sum(codes, zero_point, weights, column, row)


def in_bytes(codes: Tensor, zero_point: int, weights: Tensor, row: int, column: int) -> Tensor:
    """Multiply in eight bits, and add up in 64."""
    inside = (window(codes, row, column, zero_point) - zero_point).to(torch.int8)
    return (inside * weights).sum()


def below_bytes(codes: Tensor, zero_point: int, weights: Tensor, row: int, column: int) -> Tensor:
    """Subtract in bytes, which do not go below 0."""
    inside = window(codes, row, column, zero_point).to(torch.uint8) - zero_point
    return (inside.long() * weights.long()).sum()


def cornered(codes: Tensor, zero_point: int, weights: Tensor, row: int, column: int) -> Tensor:
    """Let the window begin at the place."""
    wide = pad(codes.long() - zero_point, (0, 2, 0, 2))
    return (wide[row : row + SIDE, column : column + SIDE] * weights.long()).sum()


def summed(subject: Any, codes: Tensor, *others: Any) -> Parts:
    """Call the reader's function; where an edge cuts its window off, say so.

    Torch speaks of shapes there, and who reads that reshapes something.
    """
    *_, row, column = others
    try:
        return one_number("sum")(subject, codes, *others)
    except RuntimeError as error:
        inside = 0 < row < codes.shape[0] - 1 and 0 < column < codes.shape[1] - 1
        if inside or "must match the size" not in str(error):
            raise
        raise WrongError(
            "Your window has fewer than 3 × 3 places: at an edge it reaches beyond the image. Put "
            "a border of numbers 0 around the image first."
        ) from None


def uint8(*rows: list[int]) -> Tensor:
    """Return codes of pixels."""
    return torch.tensor(rows, dtype=torch.uint8)


LITTLE = uint8([1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12], [13, 14, 15, 16])
FOUR = uint8([0, 16, 223, 127, 159], [0, 96, 239, 0, 207], [0, 223, 239, 191, 255])
AROUND_128 = uint8([128, 200, 128, 90], [0, 255, 130, 128], [120, 128, 60, 255])
OF_CONV1 = torch.tensor([[48, 63, -40], [-3, 34, 127], [107, -115, -83]], dtype=torch.int8)
COUNTED = torch.tensor([[1, 2, 3], [4, 5, 6], [7, 8, 9]], dtype=torch.int8)

ONE_SUM = Exercise(
    name="one_sum",
    call="one_sum(codes, zero_point, weights, row, column)",
    task="the int32 sum of the 3 × 3 window around a place",
    drive=summed,
    right=one_sum,
    cases=(
        Case("nine small codes, zero point 0", (LITTLE, 0, COUNTED, 1, 1)),
        Case("a row and a column that differ", (LITTLE, 0, COUNTED, 2, 1)),
        Case("weights of conv1", (FOUR, 0, OF_CONV1, 1, 3)),
        Case("a corner, zero point 0", (FOUR, 0, OF_CONV1, 0, 0)),
        Case("the zero point 128", (AROUND_128, 128, OF_CONV1, 1, 1)),
        Case("an edge, zero point 128", (AROUND_128, 128, OF_CONV1, 0, 2)),
        Case("a corner, zero point 128", (AROUND_128, 128, OF_CONV1, 2, 3)),
    ),
    mistakes={
        "You multiply the codes as they are. Subtract the zero point first.": as_they_are,
        "Your border has the code 0, which means a number below 0. The border means 0.": bordered,
        "Your border is right, and the zero point is still in all nine codes.": border_alone,
        "You turn the weights around. A layer of PyTorch lays them on as they are.": flipped,
        "You take the row for the column.": turned,
        "Your products have eight bits, which do not hold them. Multiply in int32.": in_bytes,
        "Your codes stay uint8, and what is below 0 starts again at 255. Go over to int32 first.": (
            below_bytes
        ),
        "Your window begins at the place. The place is its middle.": cornered,
    },
    hints=(
        "Which nine codes does the window hold, and which code do the places beyond the edge have?",
        "codes.int() - zero_point makes 0 of the border, so pad can fill it with 0. The window "
        "around row 1 holds the rows 0, 1 and 2.",
    ),
    praise="So are all 1,024 sums of the first convolution made.",
    place=nowhere,
)


def clipped(steps: Tensor) -> Tensor:
    """Return codes of 0 to 255."""
    return steps.clamp(0, 255).to(torch.uint8)


def next_codes(sums: Tensor, bias: float, step: float, scale: float) -> Tensor:
    """Return the codes of a channel's sums on the next ruler, whose zero point is 0."""
    return clipped(((sums + bias / step) * (step / scale)).round())


def bias_of_steps(sums: Tensor, bias: float, step: float, scale: float) -> Tensor:
    """Take the bias for a number of steps: this is the stub."""
    return clipped(((sums + bias) * (step / scale)).round())


def no_bias(sums: Tensor, bias: float, step: float, scale: float) -> Tensor:
    """Leave the bias out."""
    return next_codes(sums, 0.0, step, scale)


def bias_on_top(sums: Tensor, bias: float, step: float, scale: float) -> Tensor:
    """Add the real number to the steps of the next ruler."""
    return clipped((sums * (step / scale) + bias).round())


def rounded_twice(sums: Tensor, bias: float, step: float, scale: float) -> Tensor:
    """Round the sum and the bias each by itself, on the next ruler."""
    return clipped((sums * (step / scale)).round() + round(bias / scale))


def bias_times_step(sums: Tensor, bias: float, step: float, scale: float) -> Tensor:
    """Multiply the bias by the step, instead of dividing."""
    return clipped(((sums + bias * step) * (step / scale)).round())


def bias_cut_off(sums: Tensor, bias: float, step: float, scale: float) -> Tensor:
    """Cut the fraction of the bias off."""
    return clipped(((sums + int(bias / step)) * (step / scale)).round())


def cut_off(sums: Tensor, bias: float, step: float, scale: float) -> Tensor:
    """Cut the fraction off."""
    return clipped((sums + bias / step) * (step / scale))


def unclipped(sums: Tensor, bias: float, step: float, scale: float) -> Tensor:
    """Make bytes of what no byte holds."""
    return ((sums + bias / step) * (step / scale)).round().long().to(torch.uint8)


def int32(*sums: int) -> Tensor:
    """Return sums of a channel."""
    return torch.tensor(sums, dtype=torch.int32)


CHANNEL = -0.733, 5.95e-5, 0.01451  # bias, step and next scale of the channel by hand
NEXT_CODES = Exercise(
    name="next_codes",
    call="next_codes(sums, bias, step, scale)",
    task="the codes, 0 … 255, of a channel's sums, as uint8",
    drive=one("codes"),
    right=next_codes,
    cases=(
        Case("sums without a bias", (int32(51_259, 200, 0), 0.0, *CHANNEL[1:])),
        Case("the sum of the page", (int32(51_259), *CHANNEL)),
        Case("sums around 0", (int32(-30_000, 0, 12_000, 12_800, 30_150), *CHANNEL)),
        Case("wide steps", (int32(11, 3, 31), 2.0, 0.5, 0.4)),
        Case("a bias that is no whole step", (int32(90, 48, 1_000), 0.0129, 0.0013, 0.03)),
        Case("sums beyond the last code", (int32(80_000, 120_000), *CHANNEL)),
    ),
    mistakes={
        "Your codes are those of a layer whose bias is about 0: here it is no small number.": (
            bias_of_steps
        ),
        "You leave out the bias.": no_bias,
        "You add the bias to the steps of the next ruler, as if it counted them. It is a real "
        "number.": bias_on_top,
        "You round the sum and the bias each by itself. Round once, when both are in it.": (
            rounded_twice
        ),
        "You multiply the bias by the step. How many steps fit into it?": bias_times_step,
        "You cut the fraction of the bias off. Round once, when the bias is in the sum.": (
            bias_cut_off
        ),
        "You cut the fraction off. Round to the nearest code.": cut_off,
        "You do not clip: what no byte holds starts again at the other end.": unclipped,
    },
    hints=(
        "In which unit is each number counted: the sums, the bias, what is rounded?",
        "One step of the sum means `step`. So the bias, a real number, is bias / step of them.",
    ),
    praise="So does each of the 2,048 sums of convolutions become a code.",
    place=at("sum"),
)

EXERCISES = (ONE_SUM, NEXT_CODES)
