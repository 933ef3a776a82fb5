"""LLM.int8() with weights in float: columns set apart, against float and against codes alone."""

from __future__ import annotations

import math

import pytest
import torch

from qlearn import decomposed_product, rounded_product, sqnr
from qlearn.course import normal

GENERATOR = torch.Generator().manual_seed(0)
X, W = normal(24, 40, generator=GENERATOR), normal(16, 40, generator=GENERATOR)
LOUD = X.clone()
LOUD[:, [3, 30]] *= 50


def test_columns_set_apart_lose_nothing() -> None:
    exact = LOUD.double() @ W.double().T
    assert sqnr(exact, decomposed_product(6.0)(LOUD, W)) > sqnr(exact, rounded_product(8)(LOUD, W))
    assert sqnr(exact, decomposed_product(1e-9)(LOUD, W)) > 120  # all of it in float
    same = decomposed_product(math.inf)(LOUD, W), rounded_product(8)(LOUD, W)
    assert torch.equal(*same)


def test_one_row_is_a_batch_of_one() -> None:
    product = decomposed_product(6.0)
    for row in (LOUD[0], X[0].clamp(-1, 1)):
        torch.testing.assert_close(product(row, W), product(row[None], W)[0], rtol=1e-5, atol=1e-4)


def test_a_column_is_loud_for_all_rows() -> None:
    x = torch.tensor([[6.0, 1.0], [0.003, 1.0]])
    weight = torch.tensor([[1.0, 0.0]])
    assert torch.equal(decomposed_product(6.0)(x, weight), x[:, :1])
    assert torch.equal(decomposed_product(6.1)(x, weight)[1], torch.zeros(1))


def test_what_does_not_fit_is_said() -> None:
    for bad in (0, -6.0, math.nan):
        with pytest.raises(ValueError, match=f"threshold is {bad}, but must be above 0"):
            decomposed_product(bad)
    with pytest.raises(TypeError, match="threshold must be an int or a float, not '6'"):
        decomposed_product("6")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="bits must be an integer from 2 to 16, not 1"):
        decomposed_product(6.0, bits=1)
    with pytest.raises(ValueError, match="x has 39 features and the weight takes 40"):
        decomposed_product(6.0)(X[:, 1:], W)
    with pytest.raises(ValueError, match="x holds infinities or NaN"):
        decomposed_product(6.0)(X * torch.inf, W)


def test_a_threshold_may_be_an_integer_of_many_bits() -> None:
    assert torch.equal(decomposed_product(2**70)(LOUD, W), decomposed_product(math.inf)(LOUD, W))
