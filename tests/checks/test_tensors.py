"""What tensors are refused for: their kind, their dtype, their axis and their shape."""

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn.parameter import UninitializedParameter

from qlearn import E2M1FN, decode_float, unpack
from qlearn.checks import (
    check_axis,
    check_float32,
    check_same_shape,
    check_tensor,
    real_tensor,
)

FLOAT4 = torch.tensor([1, 2], dtype=torch.uint8).view(torch.float4_e2m1fn_x2)


@pytest.mark.parametrize(
    ("x", "message"),
    [
        ([1.0], "x is a list: pass a float32 tensor"),
        (torch.zeros(2).to_sparse(), r"pass x\.to_dense\(\)"),
        (torch.zeros(2, device="meta"), "on the device meta"),
        (FLOAT4, r"x has dtype torch\.float4.*pass decode_float\(unpack\(x\.view"),
        (UninitializedParameter(), "x belongs to a lazy module .*: call the model once"),
        (torch.zeros(2).double(), r"torch\.float64.*pass x\.float\(\)"),
        (
            torch.zeros(2) * 1j,
            r"complex64.*pass x\.real and x\.imag one by one, because x\.float\(\) w",
        ),
    ],
    ids=["list", "sparse", "meta", "float4", "lazy", "float64", "complex"],
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
        (nn.LazyLinear(2).weight, "scale belongs to a lazy module .*: call the model once"),
        (FLOAT4, r"scale has dtype torch\.float4.*, two numbers in a byte.*decode_float\(unpack"),
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


def test_the_way_out_of_two_numbers_in_a_byte_is_one():
    codes = unpack(FLOAT4.view(torch.uint8), 4, order="onnx")
    assert decode_float(codes, E2M1FN).tolist() == [0.5, 0.0, 1.0, 0.0]


@pytest.mark.parametrize("value", [1e-50, [1e-50], np.float32(0.1), 0.1])
def test_numbers_of_python_stay_as_they_were_given(value):
    given = real_tensor("scale", value)
    assert given.dtype == torch.float64 and given.tolist() == value


@pytest.mark.filterwarnings("error")
def test_an_array_is_copied_that_torch_cannot_take_as_it_is():
    array = np.array([0.5, 0.25], np.float32)
    array.flags.writeable = False
    for given in (array, array[::-1]):
        read = real_tensor("scale", given)
        assert read.dtype == torch.float32 and read.tolist() == given.tolist()
