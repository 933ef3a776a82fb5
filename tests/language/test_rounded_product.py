"""Layers whose inputs are rounded, against the kernel of LLM.int8() and against float."""

from __future__ import annotations

import math

import pytest
import torch

from qlearn import codes_and_step, linear_llm_int8, rounded_product, sqnr
from qlearn.course import normal

GENERATOR = torch.Generator().manual_seed(0)
X, W = normal(24, 40, generator=GENERATOR), normal(16, 40, generator=GENERATOR)
LOUD = X.clone()
LOUD[:, [3, 30]] *= 50


@pytest.mark.parametrize("x", [X, LOUD], ids=["plain", "loud"])
def test_a_scale_for_each_token_is_that_of_llm_int8_without_outliers(x: torch.Tensor) -> None:
    ours, theirs = rounded_product(8)(x, W), linear_llm_int8(x, W, threshold=math.inf)
    torch.testing.assert_close(ours, theirs, rtol=0, atol=2e-6 * theirs.abs().max().item())


def test_one_scale_is_never_better() -> None:
    exact = LOUD.double() @ W.double().T
    token, tensor = (rounded_product(8, scales=s)(LOUD, W) for s in ("token", "tensor"))
    assert sqnr(exact, token) > sqnr(exact, tensor)
    assert sqnr(exact, rounded_product(16)(LOUD, W)) > 75


def test_sums_are_exact_up_to_the_stated_number_of_inputs() -> None:
    for inputs, exact in ((1040, True), (1041, False)):
        found = rounded_product(8)(torch.full((1, inputs), 127.0), torch.full((1, inputs), 127.0))
        assert (found.item() == 127**2 * inputs) == exact


def test_codes_reach_the_ends_and_no_farther() -> None:
    for bits in (2, 4, 8):
        codes, step = codes_and_step(X, bits, rows=True)
        assert (codes.abs().amax(1) == 2 ** (bits - 1) - 1).all()
        assert ((codes * step - X).abs() <= step / 2 * 1.0001).all()
    assert (codes_and_step(torch.zeros(2, 3), 8, rows=True)[0] == 0).all()


def test_codes_of_zeros_are_zeros_where_small_numbers_are_flushed() -> None:
    torch.set_flush_denormal(True)
    try:
        codes, step = codes_and_step(torch.zeros(2, 3), 8, rows=True)
    finally:
        torch.set_flush_denormal(False)
    assert (codes == 0).all()
    assert (step == torch.finfo(torch.float32).tiny).all()


def test_one_row_and_leading_dimensions_are_rows() -> None:
    product = rounded_product(8)
    assert torch.equal(product(X[0], W), product(X, W)[0])
    assert torch.equal(product(X.view(2, 12, 40), W).view(24, 16), product(X, W))


def test_one_step_for_all_has_no_dimension() -> None:
    codes, step = codes_and_step(X.view(2, 12, 40), 4, rows=False)
    assert (step.shape, codes.shape) == ((), (2, 12, 40))


def test_what_has_no_codes_is_refused() -> None:
    with pytest.raises(TypeError, match="x has dtype torch.int64"):
        codes_and_step(torch.arange(3), 8, rows=True)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"x has shape \(0, 3\) and no numbers"):
        codes_and_step(torch.zeros(0, 3), 8, rows=True)
    with pytest.raises(ValueError, match="x holds infinities or NaN"):
        codes_and_step(X * torch.nan, 8, rows=True)
    with pytest.raises(ValueError, match="bits must be an integer from 2 to 16, not 1"):
        codes_and_step(X, 1, rows=True)
    with pytest.raises(TypeError, match="rows must be True or False, not 'token'"):
        codes_and_step(X, 8, rows="token")  # type: ignore[arg-type]


def test_a_product_is_refused_before_and_when_it_is_called() -> None:
    with pytest.raises(ValueError, match="bits must be an integer from 2 to 16, not 17"):
        rounded_product(17)
    with pytest.raises(TypeError, match="weight_bits must be an integer from 2 to 16, not 4.0"):
        rounded_product(8, 4.0)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="weight_bits must be an integer from 2 to 16, not 0"):
        rounded_product(8, 0)
    with pytest.raises(ValueError, match="scales must be 'tensor' or 'token', not 'row'"):
        rounded_product(8, scales="row")  # type: ignore[arg-type]
    product = rounded_product(8)
    with pytest.raises(ValueError, match="x has 39 features and the weight takes 40"):
        product(X[:, 1:], W)
    with pytest.raises(ValueError, match="weight holds infinities or NaN"):
        product(X, W * torch.inf)
    with pytest.raises(TypeError, match="weight has dtype torch.float64"):
        product(X, W.double())
