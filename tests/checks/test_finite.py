"""Infinities and NaN are refused, and the first of them is named by its place."""

import math

import pytest
import torch

from qlearn.checks.finite import check_finite, check_no_nan, first_index


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_the_first_number_without_a_code_is_found(value, dtype):
    x = torch.ones(2, 3, dtype=dtype)
    x[1, 0] = x[1, 2] = value
    message = r"weight holds infinities or NaN, as at index \(1, 0\), .* no code: replace them"
    with pytest.raises(ValueError, match=message):
        check_finite(x, x.amin(1), x.amax(1), name="weight")


def test_each_of_the_extremes_is_looked_at():
    x = torch.tensor([-math.inf, 1.0])
    for extremes in [(x.amin(), x.amax()), (x.amax(), x.amin())]:
        with pytest.raises(ValueError, match=r"x holds infinities or NaN, as at index \(0,\)"):
            check_finite(x, *extremes)


def test_the_ends_of_float32_are_finite():
    ends = torch.finfo(torch.float32)
    x = torch.tensor([ends.min, -1e-45, 0.0, ends.max])
    check_finite(x, x.amin(), x.amax())
    check_finite(torch.empty(0, 4), torch.empty(0))


def test_a_number_alone_has_an_index_without_entries():
    with pytest.raises(ValueError, match=r"as at index \(\), "):
        check_finite(x := torch.tensor(math.nan), x)


@pytest.mark.parametrize("x", [torch.tensor([[1.0, math.inf]]), torch.tensor(-math.inf)], ids=str)
def test_without_extremes_all_of_the_numbers_are_looked_at(x):
    check_finite(torch.ones(2)), check_finite(torch.empty(0)), check_finite(torch.tensor(0.0))
    with pytest.raises(ValueError, match=r"holds infinities .* and it overflows: divide it"):
        check_finite(x, because="it overflows: divide it")


@pytest.mark.parametrize("x", [torch.ones(2), torch.tensor(1.0), torch.empty(0)], ids=str)
def test_extremes_that_are_not_of_these_numbers_name_none_of_them(x):
    check_finite(x, torch.tensor(math.inf))


@pytest.mark.parametrize(
    ("x", "place"),
    [([1.0, math.nan], r"\(1,\)"), ([[math.nan], [math.nan]], r"\(0, 0\)"), (math.nan, r"\(\)")],
    ids=["row", "column", "0-d"],
)
def test_the_first_nan_is_found_and_infinities_pass(x, place):
    check_no_nan(torch.tensor([math.inf, -math.inf]), "bias", "no code is one: replace it")
    check_no_nan(torch.empty(0), "bias", "no code is one: replace it")
    with pytest.raises(ValueError, match=f"bias holds NaN, as at index {place}, and no code is"):
        check_no_nan(torch.tensor(x), "bias", "no code is one: replace it")


def test_the_first_of_the_marked_is_the_first_in_the_order_of_rows():
    marked = torch.zeros(2, 3, 4, dtype=torch.bool)
    marked[1, 0, 3] = marked[1, 2, 0] = True
    assert first_index(marked) == (1, 0, 3)
    assert first_index(marked.mT) == (1, 0, 2)
