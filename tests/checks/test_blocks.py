"""Blocks fill their axis."""

import pytest
import torch

from qlearn.checks.blocks import check_divides

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
