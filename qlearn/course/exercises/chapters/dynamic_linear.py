"""The dynamic linear layer: sums of rows with their own zero points, and bits that they lose."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from qlearn.course.exercises.exercise import Case, Exercise, at_row_and_column, one


def sums_by_rows(p: Tensor, zero_points: Tensor, q: Tensor) -> Tensor:
    """Return the sums of the products, without the parts of the zero points."""
    return p.int() @ q.int().T - zero_points[:, None] * q.int().sum(dim=1, dtype=torch.int32)


def less(part: Callable[[Tensor, Tensor], Tensor]) -> Callable[[Tensor, Tensor, Tensor], Tensor]:
    """Return the layer's sums with another part subtracted."""
    return lambda p, zero_points, q: p.int() @ q.int().T - part(zero_points, q.int())


def in_int16(p: Tensor, zero_points: Tensor, q: Tensor) -> Tensor:
    """Add up in 16 bits."""
    sums = (p.int() @ q.int().T).to(torch.int16).int()
    return sums - zero_points[:, None] * q.int().sum(dim=1, dtype=torch.int32)


def codes(
    inputs: list[list[int]], zero_points: list[int], weights: list[list[int]]
) -> tuple[Tensor, Tensor, Tensor]:
    """Return codes of inputs, a zero point for each row, and codes of weights."""
    return (
        torch.tensor(inputs, dtype=torch.uint8),
        torch.tensor(zero_points, dtype=torch.int32),
        torch.tensor(weights, dtype=torch.int8),
    )


SUMS_BY_ROWS = Exercise(
    name="sums_by_rows",
    call="sums_by_rows(p, zero_points, q)",
    task="the sums of the products of codes, a row for each row of p and a column for each row of "
    "q, from which the parts of the zero points are subtracted",
    drive=one("sums"),
    right=sums_by_rows,
    cases=(
        Case("one row and one output", codes([[64, 16, 96, 40]], [32], [[32, -64, 16, 127]])),
        Case("two outputs", codes([[10, 30]], [20], [[5, -3], [1, 2]])),
        Case("two rows", codes([[10, 30], [10, 30]], [20, 7], [[5, -3], [1, 2]])),
        Case("three rows", codes([[10, 30], [0, 5], [9, 9]], [20, 0, 9], [[5, -3], [1, 2]])),
        Case("64 features", codes([[127] * 64, [50] * 64], [0, 50], [[127] * 64, [-128] * 64])),
    ),
    mistakes={
        "Nothing is subtracted: each code of the input is too large by its zero point.": less(
            lambda zero_points, q: torch.zeros_like(zero_points[:, None])
        ),
        "You subtract a zero point once, but it is a part of each product.": less(
            lambda zero_points, q: zero_points[:, None]
        ),
        "You take the zero point once for each feature, without the codes of the weights.": less(
            lambda zero_points, q: zero_points[:, None] * q.shape[1]
        ),
        "You add the part of the zero point, which is in the sum already.": less(
            lambda zero_points, q: -zero_points[:, None] * q.sum(dim=1)
        ),
        "You take the zero point of row 0 for all rows.": less(
            lambda zero_points, q: zero_points[0] * q.sum(dim=1)
        ),
        "Your zero points go with the outputs, and they belong to the rows of p.": less(
            lambda zero_points, q: zero_points * q.sum(dim=1)
        ),
        "You add up the codes of all outputs' weights. Each output has a sum of its own.": less(
            lambda zero_points, q: zero_points[:, None] * q.sum()
        ),
        "Your accumulator has 16 bits, and its sums start again at the other end.": in_int16,
    },
    hints=(
        "By how much is one product too large? And the sum of all products of a row?",
        "zero_points[:, None] is a column, which goes with the rows of the sums. q.sum(dim=1) has "
        "one number for each output.",
    ),
    praise="So a layer can multiply the codes as they are, and each row may have its own ruler.",
    place=at_row_and_column,
    any_integer=frozenset({"sums"}),
)


def width(x: Tensor) -> Tensor:
    """Return how wide a ruler is that holds each row, and 0."""
    low, high = x.aminmax(dim=-1)
    return high.clamp(min=0) - low.clamp(max=0)


def as_it_is(x: Tensor) -> Tensor:
    """Return the width of each row without 0."""
    low, high = x.aminmax(dim=-1)
    return high - low


def largest_size(x: Tensor) -> Tensor:
    """Return the largest size in each row."""
    return x.abs().amax(dim=-1)


def ratio(batch: Tensor, wide: Callable[[Tensor], Tensor] = width) -> Tensor:
    """Return how many times as wide the steps of the whole batch are as those of each row."""
    return wide(batch.flatten()) / wide(batch)


def bits_lost(batch: Tensor) -> Tensor:
    """Return how many bits each row loses to the ruler of the batch."""
    return ratio(batch).log2()


def rows(*values: list[float]) -> tuple[Tensor]:
    """Return a batch."""
    return (torch.tensor(values),)


BITS_LOST = Exercise(
    name="bits_lost",
    call="bits_lost(batch)",
    task="for each row the bits that it loses because it shares one ruler with the batch: one for "
    "each factor of 2 between their steps",
    drive=one("bits"),
    right=bits_lost,
    cases=(
        Case("a row that is four times as small", rows([-1.0, 0.5, 3.0], [-0.25, 0.5, 0.75])),
        Case("a row with a 30", rows([1.0, -0.5, 2.0], [0.5, 30.0, -1.0])),
        Case("rows on two sides of 0", rows([-4.0, -1.0, -2.0], [0.25, 4.0, 2.0])),
        Case("a row far from 0", rows([0.5, 1.0, 0.75], [-4.0, 0.0, 4.0])),
        Case("one row", rows([-1.0, 0.5, 3.0])),
    ),
    mistakes={
        "You took the range of a row as it is. A ruler has to hold 0.": lambda batch: ratio(
            batch, as_it_is
        ).log2(),
        "You compare the largest sizes. This ruler reaches from the smallest number to the largest "
        "one.": lambda batch: ratio(batch, largest_size).log2(),
        "You divide the other way round: the steps of the batch are the wider ones.": (
            lambda batch: -bits_lost(batch)
        ),
        "That is the factor between the steps. How many bits is it?": ratio,
        "You take the natural logarithm. A bit is a factor of 2.": lambda batch: ratio(batch).log(),
        "You count in decibels. A bit is about six of them.": lambda batch: (
            20 * ratio(batch).log10()
        ),
    },
    hints=(
        "From where to where does a ruler reach that holds a row, and 0? And one that holds the "
        "batch?",
        "Both rulers have 127 steps, so the steps differ as the widths do. torch.log2 makes bits "
        "of a factor.",
    ),
    praise="So many bits does a scale for each row give back.",
    place=lambda args, index: f"row {index[0]}",
    last_bits=False,
)

EXERCISES = (SUMS_BY_ROWS, BITS_LOST)
