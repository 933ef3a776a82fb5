"""What tensors are refused for: their kind, their dtype, their axis and their shape."""

import pytest
import torch
from torch.nn.parameter import UninitializedParameter

from qlearn.checks import (
    check_axis,
    check_float32,
    check_same_shape,
    check_tensor,
    real_tensor,
)


@pytest.mark.parametrize(
    ("x", "message"),
    [
        ([1.0], "x is a list: pass a float32 tensor"),
        (torch.zeros(2).to_sparse(), r"pass x\.to_dense\(\)"),
        (torch.zeros(2, device="meta"), "on the device meta"),
        (UninitializedParameter(), "x belongs to a lazy module .*: call the model once"),
        (torch.zeros(2).double(), r"torch\.float64.*pass x\.float\(\)"),
        (
            torch.zeros(2) * 1j,
            r"complex64.*pass x\.real and x\.imag one by one, because x\.float\(\) w",
        ),
    ],
    ids=["list", "sparse", "meta", "lazy", "float64", "complex"],
)
def test_only_a_dense_float32_tensor_with_values_passes(x, message):
    with pytest.raises(TypeError, match=message):
        check_float32(x)


def test_a_tensor_of_any_dtype_passes_where_one_is_asked_for():
    for dtype in (torch.int8, torch.float32):
        check_tensor(torch.zeros(2, dtype=dtype), "x", "numbers")


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("x", "scale is 'x', which torch cannot read"),
        (torch.tensor(True), "torch.bool, but must hold real numbers"),
        (torch.tensor(1j), "complex64"),
    ],
)
def test_what_is_not_a_real_number_is_named(value, message):
    with pytest.raises(TypeError, match=message):
        real_tensor("scale", value)


def test_a_real_tensor_has_no_gradient():
    assert not real_tensor("scale", torch.ones(2, requires_grad=True)).requires_grad


@pytest.mark.parametrize("axis", [2, -3])
def test_an_axis_is_one_of_the_tensors(axis):
    with pytest.raises(ValueError, match=f"axis {axis} does not exist .* 2 dimensions"):
        check_axis(axis, torch.zeros(2, 2))


def test_an_axis_is_an_integer():
    with pytest.raises(TypeError, match="axis must be an integer, not 1.0"):
        check_axis(1.0, torch.zeros(2, 2))


def test_pairs_have_one_shape():
    check_same_shape(torch.zeros(2), torch.ones(2), ("low", "high"))
    with pytest.raises(ValueError, match=r"low has shape \(2,\) and high \(3,\): .* in pairs"):
        check_same_shape(torch.zeros(2), torch.zeros(3), ("low", "high"))
