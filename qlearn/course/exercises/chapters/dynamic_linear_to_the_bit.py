"""The dynamic linear layer, to the bit: accumulators of codes with two zero points."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from qlearn.course.exercises.exercise import Case, Exercise, at_row_and_column, one

Sums = Callable[[Tensor, Tensor, int, int], Tensor]


def sums_with(offsets: Callable[[Tensor, Tensor, int, int], Tensor]) -> Sums:
    """Return a function that subtracts these offsets from the products of the codes."""

    def accumulators(x_codes: Tensor, w_codes: Tensor, z_x: int, z_w: int) -> Tensor:
        x, w = x_codes.long(), w_codes.long()
        return x @ w.T - offsets(x, w, z_x, z_w)

    return accumulators


def both(constant: Callable[[int, int], int], keepdim: bool = True) -> Sums:
    """Return the sums with column and row offsets, and a constant in the column offset."""
    return sums_with(
        lambda x, w, z_x, z_w: (
            z_x * (w.sum(dim=1) - constant(w.shape[1], z_w)) + z_w * x.sum(dim=1, keepdim=keepdim)
        )
    )


def layer(
    inputs: list[list[int]], weights: list[list[int]], z_x: int, z_w: int
) -> tuple[Tensor, Tensor, int, int]:
    """Return the arguments of a case."""
    of_x, of_w = (
        torch.tensor(rows, dtype=dtype)
        for rows, dtype in ((inputs, torch.uint8), (weights, torch.int8))
    )
    return of_x, of_w, z_x, z_w


PAGE = [[64, 16, 96, 40], [48, 127, 0, 32]]
WEIGHTS = [[32, -64, 16, 127], [96, 48, -32, -80], [-19, 57, 38, -6]]

ACCUMULATORS = Exercise(
    name="accumulators",
    call="accumulators(x_codes, w_codes, z_x, z_w)",
    task="the sums of (q_x − z_x)(q_w − z_w), with a row for each row of x_codes and a column for "
    "each row of w_codes",
    drive=one("accumulators"),
    right=both(lambda k, z_w: k * z_w),
    cases=(
        Case("no zero points", layer([[10, 30]], [[5, -3], [1, 2]], 0, 0)),
        Case("a zero point of the input", layer([[10, 30]], [[5, -3], [1, 2]], 20, 0)),
        Case("a zero point of the weight", layer([[10, 30, 5]], [[5, -3, 0], [1, 2, 3]], 0, 3)),
        Case("as many rows as outputs", layer([[10, 30], [0, 5]], [[5, -3], [1, 2]], 0, 3)),
        Case("both, and one feature", layer([[10], [30], [7]], [[5], [-3]], 20, 3)),
        Case("both, and four features", layer(PAGE, WEIGHTS, 32, 3)),
    ),
    mistakes={
        "Nothing is subtracted: the codes are too large by their zero points.": sums_with(
            lambda x, w, z_x, z_w: torch.zeros_like(w[:, 0])
        ),
        "You subtract nothing for the zero point of the weight. Its part is z_w times the sum of "
        "the input's codes.": sums_with(lambda x, w, z_x, z_w: z_x * w.sum(dim=1)),
        "You subtract nothing for the zero point of the input. Its part is z_x times the sum of "
        "the weight's codes.": sums_with(
            lambda x, w, z_x, z_w: z_w * (x.sum(dim=1, keepdim=True) - w.shape[1] * z_x)
        ),
        "The sums of the input's rows lie along the outputs. Keep them as a column: each belongs "
        "to a row.": both(lambda k, z_w: k * z_w, keepdim=False),
        "The constant term is missing: both offsets contain it, so it is subtracted twice.": both(
            lambda k, z_w: 0
        ),
        "The constant term is there once. Each of the K products contains it.": both(
            lambda k, z_w: z_w
        ),
        "The constant term has the wrong sign: it is added back.": both(lambda k, z_w: -k * z_w),
    },
    hints=(
        "Multiply (q_x − z_x)(q_w − z_w) out. Which of the four terms depend on the input alone, "
        "which on the weight alone, and which on neither?",
        "q_x q_w − z_x q_w − z_w q_x + z_x z_w, summed over K features: the last term counts K "
        "times.",
    ),
    praise="The instructions multiply bytes as they are, and two sums put it right.",
    place=at_row_and_column,
    any_integer=frozenset({"accumulators"}),
)

EXERCISES = (ACCUMULATORS,)
