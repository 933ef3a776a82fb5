"""The extremes of a tensor and of its channels."""

import math

import pytest
import torch

from qlearn.numbers.extremes import extremes


@pytest.mark.parametrize("axis", [None, 0, 1, 2, -1])
def test_equals_the_minimum_and_maximum_over_all_other_axes(axis):
    x = torch.randn(3, 4, 5, generator=torch.Generator().manual_seed(0)).transpose(0, 2)
    low, high = extremes(x, axis)
    others = tuple(d for d in range(3) if axis is None or d != axis % 3)
    assert torch.equal(low, x.amin(others)) and torch.equal(high, x.amax(others))


def test_one_bad_value_is_found_among_many():
    x = torch.zeros(10_000)
    for bad in (math.nan, math.inf, -math.inf):
        x[77] = bad
        with pytest.raises(ValueError, match="1 values that are infinite or NaN"):
            extremes(x, None)
