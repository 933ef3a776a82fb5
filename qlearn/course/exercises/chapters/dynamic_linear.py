"""The dynamic linear layer: sums of rows with their own zero points, and who depends on whom."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from qlearn.course.exercises.exercise import Case, Exercise, at_row_and_column, one
from qlearn.integers.dynamic_linear import linear_dynamic
from qlearn.integers.per_token import linear_per_token
from qlearn.numbers.qtensor import QTensor
from qlearn.numbers.quantize import quantize
from qlearn.numbers.rules.observer import choose_qparams


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

Layer = Callable[[Tensor], Tensor]
W = torch.tensor([[0.5, -1.0, 0.25, 2.0], [1.5, 0.75, -0.5, -1.25], [-0.3, 0.9, 0.6, -0.1]])
X = torch.tensor([[1.0, -0.5, 2.0, 0.25], [0.5, 3.0, -1.0, 0.0]])


def weight() -> QTensor:
    """Return the chapter's weights on one symmetric ruler."""
    ruler = choose_qparams(W.min(), W.max(), symmetric=True)
    return QTensor(quantize(W, ruler), ruler)


def older_layer(batch: Tensor) -> Tensor:
    """Compute the chapter's layer with one ruler for the whole batch."""
    return linear_dynamic(batch, weight())


def newer_layer(batch: Tensor) -> Tensor:
    """Compute a layer with a ruler for each row."""
    low, high = W.aminmax(dim=1)
    rulers = choose_qparams(low, high, symmetric=True, axis=0)
    return linear_per_token(batch, QTensor(quantize(W, rulers), rulers))


def with_a_row(*row: float) -> Tensor:
    """Return the chapter's batch and one more row."""
    return torch.cat([X, torch.tensor([row])])


def apart(layer: Layer, batch: Tensor) -> Tensor:
    """Return the outputs together, minus those alone."""
    return layer(batch) - torch.cat([layer(row[None]) for row in batch])


def moved_by_companions(layer: Layer, batch: Tensor) -> Tensor:
    """Return for each row how far its outputs lie from those that it has alone."""
    return apart(layer, batch).abs().amax(dim=1)


MOVED_BY_COMPANIONS = Exercise(
    name="moved_by_companions",
    call="moved_by_companions(layer, batch)",
    task="for each row of the batch one number, the largest distance of its outputs in the batch "
    "from its outputs alone",
    drive=one("distances"),
    right=moved_by_companions,
    cases=(
        Case("the layer of the chapter, which has one ruler for both rows", (older_layer, X)),
        Case("a third row with a 30", (older_layer, with_a_row(0.0, 30.0, 1.0, 0.0))),
        Case("a third row with a −12", (older_layer, with_a_row(1.0, 0.0, -12.0, 0.5))),
        Case("a ruler for each row", (newer_layer, with_a_row(0.0, 30.0, 1.0, 0.0))),
        Case("a batch of one row", (older_layer, X[:1])),
    ),
    mistakes={
        "You keep the sign, and an output that became smaller has moved as well.": (
            lambda layer, batch: apart(layer, batch).amax(dim=1)
        ),
        "You take the mean of a row's outputs, where one may have moved and the others not.": (
            lambda layer, batch: apart(layer, batch).abs().mean(dim=1)
        ),
        "Each row has the same companions again: it is alone in a batch of one row.": (
            lambda layer, batch: torch.zeros(len(batch))
        ),
        "You add up the distances of a row.": lambda layer, batch: (
            apart(layer, batch).abs().sum(dim=1)
        ),
    },
    hints=(
        "batch[i : i + 1] is a batch of one row. What does the layer make of it?",
        "torch.cat puts the outputs of all these calls below each other. Then compare, output by "
        "output, and take the largest distance in each row.",
    ),
    praise="It finds a ruler for the whole batch in any model: with one for each row it gives 0.",
    place=lambda args, index: f"row {index[0]}",
    last_bits=False,
)

EXERCISES = (SUMS_BY_ROWS, MOVED_BY_COMPANIONS)
