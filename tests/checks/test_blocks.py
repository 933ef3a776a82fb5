"""Blocks fill their axis, and what is to be coded in them is finite."""

import math

import pytest
import torch

from qlearn.checks.blocks import check_divides, check_finite

X = torch.ones(6, 40)


@pytest.mark.parametrize(
    ("size", "axis", "error", "message"),
    [
        (32, -1, ValueError, r"size is 32 and does not divide 40, the length of axis -1 .*\(6, 40"),
        (4, 0, ValueError, r"divide 6, the length of axis 0 .*: choose one that does, or pad the"),
        (80, 1, ValueError, "80 and does not divide 40, the length of axis 1"),
        (0, -1, ValueError, "group_size must be an integer of at least 1, not 0"),
        (-8, -1, ValueError, "group_size must be an integer of at least 1, not -8"),
        (8.0, -1, TypeError, "group_size must be an integer of at least 1, not 8.0"),
        (True, -1, TypeError, "group_size must be an integer of at least 1, not True"),
        (8, 2, ValueError, r"axis 2 does not exist in a tensor of shape \(6, 40\)"),
    ],
)
def test_a_size_that_leaves_a_rest_is_named(size, axis, error, message):
    with pytest.raises(error, match=message):
        check_divides(size, X, "group_size", axis)


@pytest.mark.parametrize(("size", "axis"), [(1, -1), (8, -1), (40, 1), (6, 0), (3, -2)])
def test_from_one_number_to_the_whole_axis_a_divisor_passes(size, axis):
    check_divides(size, X, "group_size", axis)


def test_an_empty_axis_is_made_of_no_blocks_of_any_size():
    check_divides(32, torch.empty(2, 0), "group_size")


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
