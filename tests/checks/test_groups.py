"""Codes in groups stay in their range, and each group has one finite scale."""

import math

import pytest
import torch

from qlearn.checks import groups

CODES = torch.tensor([-8, 7], dtype=torch.int8)


@pytest.mark.parametrize(
    ("codes", "message"),
    [
        ([-8, 7], "codes is a list: pass a tensor of torch.int8"),
        (CODES.int(), "codes have dtype torch.int32, but must be torch.int8: convert them"),
        (CODES.to("meta"), "codes is on the device meta"),
    ],
    ids=["list", "int32", "meta"],
)
def test_codes_are_kept_in_one_dtype(codes, message):
    groups.check_code_dtype(CODES, "codes", torch.int8)
    with pytest.raises(TypeError, match=message):
        groups.check_code_dtype(codes, "codes", torch.int8)


@pytest.mark.parametrize(
    ("low", "high"), [(-7, 7), (-8, 6), (-7, 6)], ids=["too low", "too high", "both"]
)
def test_codes_beyond_either_end_are_named(low, high):
    message = rf"codes reach from -8 to 7, but must lie in {low}\.\.{high}: clamp them, or take"
    with pytest.raises(ValueError, match=message):
        groups.check_in_range(CODES, "codes", low, high)


def test_both_ends_belong_to_the_range():
    groups.check_in_range(CODES, "codes", -8, 7)
    groups.check_in_range(torch.tensor(3), "codes", 3, 3)
    groups.check_in_range(torch.empty(2, 0, dtype=torch.int8), "codes", 0, 15)


@pytest.mark.parametrize("shape", [(), (6,), (3, 2), (2, 3, 1)], ids=str)
def test_there_is_one_entry_for_each_group(shape):
    groups.check_one_for_each(torch.zeros(2, 3), "zero_points", [2, 3])
    with pytest.raises(ValueError, match=r"zero_points have shape .* are \(2, 3\) groups: pass on"):
        groups.check_one_for_each(torch.zeros(shape), "zero_points", (2, 3))


@pytest.mark.parametrize(
    ("part", "error", "message"),
    [
        (1.0, TypeError, "offset is a float: pass a float32 tensor"),
        (torch.ones(1), ValueError, r"offset has shape \(1,\), but .*: pass a single number"),
        (
            torch.tensor(math.nan),
            ValueError,
            r"offset holds .* at index \(\), and no code .* finit",
        ),
    ],
    ids=["number", "list of one", "NaN"],
)
def test_there_is_one_finite_number_for_all(part, error, message):
    groups.check_one_for_all(torch.tensor(-3.0), "offset")
    with pytest.raises(error, match=message):
        groups.check_one_for_all(part, "offset")


@pytest.mark.parametrize(
    ("scales", "error", "message"),
    [
        (torch.ones(2).double(), TypeError, r"scales has dtype torch.float64.*pass scales\.float"),
        (torch.ones(3), ValueError, r"scales have shape \(3,\), but there are \(2,\) groups"),
        (torch.tensor([1.0, math.inf]), ValueError, r"at index \(1,\), and no code .* finite ones"),
        (torch.tensor([math.nan, 1.0]).half(), ValueError, r"scales holds .* at index \(0,\)"),
    ],
    ids=["float64", "too many", "infinity", "NaN"],
)
def test_scales_are_finite_and_as_many_as_groups(scales, error, message):
    for dtype in (torch.float32, torch.bfloat16, torch.float16):
        groups.check_scales(torch.tensor([0.0, torch.finfo(dtype).max], dtype=dtype), (2,))
    with pytest.raises(error, match=message):
        groups.check_scales(scales, (2,))


@pytest.mark.parametrize(
    ("dtype", "largest"),
    [(torch.float32, "3.403e.38"), (torch.float16, "6.55e.04"), (torch.bfloat16, "3.39e.38")],
    ids=str,
)
def test_the_end_codes_mean_numbers_that_the_dtype_holds(dtype, largest):
    end = torch.tensor([torch.finfo(dtype).max], dtype=dtype)
    groups.check_grid(-end, end)
    for low, high in [(-2 * end, end), (-end, 2 * end)]:
        with pytest.raises(ValueError, match=f"too wide for {dtype}, which ends at {largest}: "):
            groups.check_grid(low, high)


def test_the_first_group_whose_end_codes_mean_too_much_is_named():
    low, high = torch.full((2, 3), -8.0), torch.full((2, 3), 7.0)
    low[1, 1] = high[1, 2] = math.inf
    with pytest.raises(ValueError, match=r"too wide for torch.float32.* index \(1, 1\) of the gr"):
        groups.check_grid(low, high)
