"""GPTQ column by column, in JavaScript against qlearn.gptq."""

from __future__ import annotations

import functools
from pathlib import Path

import pytest
import torch
from torch import Tensor

from qlearn import gptq
from qlearn.course import normal
from qlearn.course.widgets.shared.figure import SHARED
from tests.course.widgets.figures import call, with_other

MODULE = SHARED / "gptq.js"
DRAW = torch.Generator().manual_seed(0)
WEIGHT = normal(3, 6, generator=DRAW)
# Neighbours that are alike, as GPTQ needs them.
INPUTS = normal(40, 6, generator=DRAW).cumsum(1)


def cases() -> list[tuple[Tensor, Tensor, int]]:
    """Return weights, inputs and bits: few rows, many rows, a dead column, inputs of 0 alone."""
    found = []
    for i in range(60):
        rows, columns, tokens = 1 + i % 4, 2 + i % 7, (1, 3, 50)[i % 3]
        mixed = normal(columns, columns, generator=DRAW) + torch.eye(columns)
        inputs = normal(tokens, columns, generator=DRAW) @ mixed
        if i % 5 == 0:
            inputs[:, i % columns] = 0
        found.append((normal(rows, columns, generator=DRAW), inputs, 2 + i % 3))
    return [*found, (WEIGHT, torch.zeros(2, 6), 3), (torch.zeros(2, 6), INPUTS, 3)]


CASES = cases()


@functools.cache
def wanted(weight: Tensor, inputs: Tensor, bits: int) -> tuple[list, list, float]:
    """Return the codes of each column, the numbers, and what the outputs lose of their size."""
    found = gptq(weight, inputs, bits=bits)
    x, right = inputs.double(), weight.double()
    size = (x @ right.T).norm().item() or 1.0
    lost = (x @ (found.dequantize().double() - right).T).norm().item() / size
    return found.codes.T.tolist(), found.dequantize().tolist(), lost


WHOLE = """(weight, inputs, bits) => {
  const sums = right.gram(inputs);
  const h = right.hessian(sums);
  const walked = right.steps(weight, right.rowQParams(weight, bits), (i) => right.shares(h, i));
  const { after } = walked.at(-1);
  return [walked.map(({ codes }) => codes), after, right.outputError(weight, after, sums)];
}"""


def cases_that_differ(node: str, folder: Path, module: Path) -> int:
    """Return in how many cases the codes, the numbers or the error are not those of qlearn."""
    given = [(weight.tolist(), inputs.tolist(), bits) for weight, inputs, bits in CASES]
    found = call(node, with_other(folder, module, "whole", WHOLE), [["whole", *g] for g in given])
    differing = 0
    for (weight, inputs, bits), (codes, after, error) in zip(CASES, found, strict=True):
        wanted_codes, numbers, lost = wanted(weight, inputs, bits)
        same = codes == wanted_codes and after == numbers
        differing += not (same and error == pytest.approx(lost, rel=1e-9))
    return differing


def test_codes_are_those_of_gptq(node: str, tmp_path: Path) -> None:
    assert cases_that_differ(node, tmp_path, MODULE) == 0


@pytest.mark.parametrize(
    ("name", "expression"),
    [
        ("shares", "() => ({})"),
        ("shares", "(h, i) => right.shares(h.map((row) => row.map((v) => v + 1)), i)"),
        ("rowQParams", "(rows, bits) => right.rowQParams(rows, bits + 1)"),
        ("gram", "(inputs) => right.gram(inputs.map(([x, ...rest]) => [x + 1, ...rest]))"),
        ("outputError", "(...given) => 1.001 * right.outputError(...given)"),
    ],
    ids=["nobody makes up for it", "another H", "a bit more", "other inputs", "another error"],
)
def test_other_steps_are_seen(node: str, tmp_path: Path, name: str, expression: str) -> None:
    (tmp_path / "other").mkdir()
    broken = with_other(tmp_path / "other", MODULE, name, expression)
    assert cases_that_differ(node, tmp_path, broken) > 10


def test_the_first_step_takes_the_error_off_the_later_columns(node: str) -> None:
    """By hand: two inputs that are always alike, so the second weight takes all of the error."""
    inputs, weight = [[1.0, 1.0]], [[0.4, -7.5]]
    (qparams,) = call(node, MODULE, [["rowQParams", weight, 4]])
    moved = {"1": 1 / 1.01}  # H is [[1.01, 1], [1, 1.01]] with its damping
    (shares,) = call(node, MODULE, [["shares", [[1.01, 1.0], [1.0, 1.01]], 0]])
    (sums,) = call(node, MODULE, [["gram", inputs]])
    (hessian,) = call(node, MODULE, [["hessian", sums]])
    assert shares == pytest.approx(moved) and hessian == [[1.01, 1.0], [1.0, 1.01]]
    assert qparams == [{"scale": 1.0, "zeroPoint": 0, "quantMin": -8, "quantMax": 7}]
