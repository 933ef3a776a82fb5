"""LLM.int8() against its rule computed number by number, and at its two ends."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from torch import Tensor

from qlearn.course import normal
from qlearn.language import linear_llm_int8


def drawn(seed: int) -> tuple[Tensor, Tensor, Tensor]:
    """Return inputs with loud channels, a weight and a bias."""
    generator = torch.Generator().manual_seed(seed)
    x = normal(12, 40, generator=generator)
    x[:, [4, 31]] *= 20
    return x, normal(16, 40, generator=generator), normal(16, generator=generator)


def by_the_rule(x: Tensor, weight: Tensor, threshold: float) -> np.ndarray:
    """Return the layer in float64, one output after another: no kernel, no broadcasting."""
    rows, columns = x.double().numpy(), weight.double().numpy()
    loud = (np.abs(rows) >= threshold).any(0)

    def codes(row: np.ndarray) -> tuple[np.ndarray, float]:
        quiet = np.where(np.abs(row) >= threshold, 0.0, row)
        largest = np.abs(quiet).max()
        step = np.float32(np.float32(1) / np.float32(largest)) * np.float32(127) if largest else 0
        return np.rint(quiet.astype(np.float32) * np.float32(step)).astype(np.float64), largest

    out = np.zeros((len(rows), len(columns)))
    for j, column in enumerate(columns):
        largest = np.abs(column).max()
        step = np.float32(np.float32(1) / np.float32(largest)) * np.float32(127)
        of_weight = np.rint(column.astype(np.float32) * step).astype(np.float64)
        for i, row in enumerate(rows):
            of_row, top = codes(row)
            inside = (of_row * of_weight)[~loud].sum() * top * largest / 127**2
            out[i, j] = inside + (row * of_weight * largest / 127)[loud].sum()
    return out


@pytest.mark.parametrize("threshold", [6.0, 1.0, 30.0])
def test_the_layer_follows_its_rule(threshold: float) -> None:
    for seed in range(3):
        x, weight, bias = drawn(seed)
        found = linear_llm_int8(x, weight, bias, threshold=threshold)
        wanted = torch.from_numpy(by_the_rule(x, weight, threshold)) + bias.double()
        # Six roundings to float32 on the way, of which none is of a larger number than the largest
        assert (found - wanted).abs().max() < 8 * 2**-24 * wanted.abs().max()


def test_outliers_in_float_leave_a_smaller_error() -> None:
    x, weight, _ = drawn(3)
    exact = x @ weight.T
    errors = [
        (linear_llm_int8(x, weight, threshold=t) - exact).norm() / exact.norm()
        for t in (6.0, math.inf)
    ]
    assert errors[0] < errors[1] / 2
    assert torch.equal(
        linear_llm_int8(x, weight, threshold=0), linear_llm_int8(x, weight, threshold=math.inf)
    )


def test_a_row_of_outliers_and_a_row_of_zeros() -> None:
    x, weight, bias = drawn(4)
    x[0], x[1] = 100.0, 0.0
    found = linear_llm_int8(x, weight, bias)
    assert found.isfinite().all()
    assert torch.equal(found[1], bias)


@pytest.mark.parametrize("size", [2e-37, 1e-45])
def test_a_row_too_small_for_a_step_is_a_row_of_zeros(size: float) -> None:
    _, weight, bias = drawn(4)
    assert torch.equal(linear_llm_int8(torch.full_like(weight[:1], size), weight, bias)[0], bias)


def test_leading_dimensions_stay_and_nothing_is_changed() -> None:
    x, weight, _ = drawn(5)
    kept = x.clone()
    found = linear_llm_int8(x.reshape(3, 4, 40), weight)
    assert torch.equal(found.reshape(12, 16), linear_llm_int8(x, weight))
    assert torch.equal(x, kept)


def test_what_does_not_fit_is_said() -> None:
    x, weight, _ = drawn(6)
    with pytest.raises(ValueError, match="threshold is -1"):
        linear_llm_int8(x, weight, threshold=-1)
    with pytest.raises(ValueError, match="threshold is nan"):
        linear_llm_int8(x, weight, threshold=math.nan)
    with pytest.raises(TypeError, match="threshold must be an int or a float"):
        linear_llm_int8(x, weight, threshold=None)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="x has 39 features and the weight takes 40"):
        linear_llm_int8(x[:, 1:], weight)
    with pytest.raises(ValueError, match="x holds infinities or NaN"):
        linear_llm_int8(x / 0, weight)
    with pytest.raises(ValueError, match=r"bias has shape \(3,\)"):
        linear_llm_int8(x, weight, torch.ones(3))


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_bias_that_is_not_finite_is_named_by_its_place(value: float) -> None:
    x, weight, _ = drawn(6)
    bias = torch.ones(16).index_fill(0, torch.tensor(5), value)
    with pytest.raises(ValueError, match=r"bias holds .*, as at index \(5,\), .*: pass finite num"):
        linear_llm_int8(x, weight, bias)


def test_no_gradient_goes_through_it() -> None:
    x, weight, bias = (part.requires_grad_() for part in drawn(7))
    assert not linear_llm_int8(x, weight, bias).requires_grad


def test_a_threshold_may_be_an_integer_of_many_bits() -> None:
    x, weight, bias = drawn(8)
    expected = linear_llm_int8(x, weight, bias, threshold=math.inf)
    assert torch.equal(linear_llm_int8(x, weight, bias, threshold=2**70), expected)
