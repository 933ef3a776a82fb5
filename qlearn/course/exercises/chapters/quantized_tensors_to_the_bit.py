"""Quantized tensors, to the bit: some rows, with what is needed to read them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from qlearn.course.exercises.chapters.quantized_tensors import qtensor
from qlearn.course.exercises.exercise import Case, Exercise, Parts
from qlearn.numbers.qparams import QParams
from qlearn.numbers.qtensor import QTensor

Rows = list[int]
Pick = Callable[[Tensor, Rows], Tensor]


def numbers(subject: Any, q: QTensor, rows: Rows) -> Parts:
    """Return the numbers of the reader's QTensor."""
    found = qtensor(subject(q, rows), "kept_rows")
    return {"numbers": None if found is None else found.dequantize()}


def these(each: Tensor, rows: Rows) -> Tensor:
    """Return what belongs to these rows, in their order."""
    return each[rows]


def the_first(each: Tensor, rows: Rows) -> Tensor:
    """Return what belongs to as many rows from the first one on."""
    return each[: len(rows)]


def none(each: Tensor, rows: Rows) -> Tensor:
    """Return as many zeros."""
    return torch.zeros_like(each[rows])


def in_order(each: Tensor, rows: Rows) -> Tensor:
    """Return what belongs to these rows, in the order of the weight."""
    return each[sorted(rows)]


def keep(codes: Pick, scales: Pick, zero_points: Pick) -> Callable[[QTensor, Rows], QTensor]:
    """Return a function that picks the codes, the scales and the zero points so."""

    def kept(q: QTensor, rows: Rows) -> QTensor:
        old = q.qparams
        scale, zero_point = scales(old.scale, rows), zero_points(old.zero_point, rows)
        return QTensor(codes(q.values, rows), replace(old, scale=scale, zero_point=zero_point))

    return kept


def weight(zero_points: list[int]) -> QTensor:
    """Return a weight of four rows and three columns, with a scale for each row."""
    scale = torch.tensor([0.5, 0.25, 2.0, 0.125])
    qparams = QParams(scale, torch.tensor(zero_points), -128, 127, torch.int8, axis=0)
    codes = torch.tensor([[-8, 4, 7], [90, -3, 12], [1, 2, -5], [40, -60, 100]])
    return QTensor(codes.to(torch.int8), qparams)


KEPT_ROWS = Exercise(
    name="kept_rows",
    call="kept_rows(q, rows)",
    task="a QTensor with these rows of q, in this order",
    drive=numbers,
    right=keep(these, these, these),
    cases=(
        Case("the rows 1 and 3 of four", (weight([0, 0, 0, 0]), [1, 3])),
        Case("zero points beside the scales", (weight([1, -2, 0, 10]), [1, 3])),
        Case("the last row before the second", (weight([1, -2, 0, 10]), [3, 1])),
        Case("a single row", (weight([1, -2, 0, 10]), [2])),
    ),
    mistakes={
        "Your codes are those of the rows, and beside them stand the scales of the first rows.": (
            keep(these, the_first, the_first)
        ),
        "The zero points are those of the first rows.": keep(these, these, the_first),
        "You lose the zero points: each row has its own.": keep(these, these, none),
        "The rows come in the order of the weight, and not in that of the list.": (
            keep(in_order, in_order, in_order)
        ),
        "Codes and zero points are in the order of the list, and the scales are not.": (
            keep(these, in_order, these)
        ),
    },
    hints=(
        "Which scale and which zero point belong to the first row that you keep?",
        "A list as an index takes rows of a matrix, and numbers of a vector.",
    ),
    praise="Each row came with its scale and its zero point.",
    place=lambda args, index: f"row {index[0]}",
)

EXERCISES = (KEPT_ROWS,)
