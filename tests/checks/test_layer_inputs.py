"""A layer's weight, the rows that reach it and its bias fit together and are finite."""

import math

import pytest
import torch

from qlearn.checks.layer_inputs import check_bias, check_rows, check_weight

WEIGHT = torch.ones(3, 2)


def with_one(value, *shape):
    """Return ones of that shape, of which the last is the value."""
    x = torch.ones(shape)
    x.view(-1)[-1] = value
    return x


@pytest.mark.parametrize(
    ("weight", "error", "message"),
    [
        (WEIGHT.tolist(), TypeError, "weight is a list: pass a float32 tensor"),
        (WEIGHT.half(), TypeError, r"weight has dtype torch.float16.*pass weight\.float\(\)"),
        (WEIGHT[0], ValueError, r"weight has shape \(2,\), .* \(outputs, inputs\): pass layer\.w"),
        (WEIGHT[None], ValueError, r"weight has shape \(1, 3, 2\)"),
        (WEIGHT[:0], ValueError, r"weight has shape \(0, 2\)"),
        (with_one(math.inf, 3, 2), ValueError, r"weight holds infinities or NaN.*\(2, 1\).*replac"),
        (with_one(-math.inf, 3, 2), ValueError, r"weight holds infinities or NaN.*\(2, 1\)"),
        (with_one(math.nan, 3, 2), ValueError, r"weight holds infinities or NaN.*\(2, 1\)"),
    ],
    ids=["list", "float16", "1-d", "3-d", "empty", "inf", "-inf", "nan"],
)
def test_a_weight_is_a_finite_matrix(weight, error, message):
    with pytest.raises(error, match=message):
        check_weight(weight)


@pytest.mark.parametrize(
    ("rows", "error", "message"),
    [
        (None, TypeError, "x is a NoneType: pass a float32 tensor"),
        (WEIGHT.double(), TypeError, r"x has dtype torch.float64.*pass x\.float\(\)"),
        (torch.tensor(1.0), ValueError, r"x has shape \(\) and no rows in it: run some inputs"),
        (WEIGHT[:0], ValueError, r"x has shape \(0, 2\) and no rows in it"),
        (WEIGHT.T, ValueError, "x has 3 features and the weight takes 2: pass the inputs of this"),
        (torch.ones(2, 1), ValueError, "x has 1 features and the weight takes 2"),
        (
            with_one(math.nan, 1, 4, 2),
            ValueError,
            r"x holds infinities or NaN.*\(0, 3, 1\).*replac",
        ),
    ],
    ids=["none", "float64", "0-d", "empty", "too wide", "too narrow", "nan"],
)
def test_rows_are_finite_and_as_wide_as_the_weight(rows, error, message):
    with pytest.raises(error, match=message):
        check_rows(rows, "x", WEIGHT)


@pytest.mark.parametrize(
    ("bias", "error", "message"),
    [
        (0.0, TypeError, "bias is a float: pass a float32 tensor"),
        (torch.zeros(3).double(), TypeError, r"bias has dtype torch.float64.*pass bias\.float"),
        (torch.zeros(2), ValueError, r"bias has shape \(2,\) and the weight 3 outputs: pass one"),
        (torch.zeros(3, 1), ValueError, r"bias has shape \(3, 1\) and the weight 3 outputs"),
        (with_one(math.nan, 3), ValueError, r"bias holds NaN, as at index \(2,\), .*: pass finite"),
    ],
    ids=["number", "float64", "as inputs", "column", "nan"],
)
def test_a_bias_has_a_number_for_each_output(bias, error, message):
    check_bias(with_one(math.inf, 3), WEIGHT)
    with pytest.raises(error, match=message):
        check_bias(bias, WEIGHT)


def test_a_layer_and_its_inputs_pass_in_any_number_of_dimensions():
    layer = torch.nn.Linear(2, 3)  # parameters, which have gradients, and a strided view
    check_weight(layer.weight), check_weight(WEIGHT.T), check_bias(layer.bias, layer.weight)
    for shape in [(2,), (1, 2), (4, 5, 2)]:
        check_rows(torch.ones(shape), "x", layer.weight)
