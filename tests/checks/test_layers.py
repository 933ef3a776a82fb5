"""What the layers refuse: each refusal names the value, the rule and the way out."""

import pytest
import torch

from qlearn import QParams, QTensor
from qlearn.checks.layers import check_last_dimension, check_layer, check_static


def filled(shape, dtype, axis=None):
    ends = torch.iinfo(dtype)
    scale, zero_point = (1.0, 0) if axis is None else ([1.0] * shape[axis], [0] * shape[axis])
    qparams = QParams(scale, zero_point, ends.min, ends.max, dtype, axis=axis)
    return QTensor(torch.ones(shape, dtype=dtype), qparams)


WEIGHT = filled((4, 3), torch.int8)
ODD = QTensor(WEIGHT.values, QParams(1.0, 1, -128, 127, torch.int8))
X = filled((2, 3), torch.uint8)
OUTPUT = QParams(1.0, 0, 0, 255, torch.uint8)


@pytest.mark.parametrize(
    ("weight", "bias", "engine", "error", "message"),
    [
        (WEIGHT, None, "gpu", ValueError, "engine must be .fbgemm., .* or .qnnpack., not .gpu."),
        (WEIGHT.values, None, "x86", TypeError, r"weight is Tensor.*\(n, k\)"),
        (filled((4, 3), torch.uint8), None, "x86", TypeError, "weight is torch.uint8"),
        (filled((4, 3, 2), torch.int8), None, "x86", ValueError, r"\(4, 3, 2\).*\(n, k\)"),
        (filled((4, 3), torch.int8, axis=1), None, "x86", ValueError, "along axis 1"),
        (ODD, None, "onednn", ValueError, "zero point 0 only"),
        (WEIGHT, torch.ones(3), "x86", ValueError, r"bias has shape \(3,\).*4 outputs"),
        (WEIGHT, torch.ones(4).double(), "x86", TypeError, "bias has dtype torch.float64"),
        (
            WEIGHT,
            torch.ones(4) * torch.nan,
            "x86",
            ValueError,
            r"bias .*NaN, .* \(0,\), .*finite",
        ),
    ],
)
def test_bad_layers_are_named(weight, bias, engine, error, message):
    with pytest.raises(error, match=message):
        check_layer(weight, bias, engine)


def test_good_layers_pass():
    for axis in (None, 0, -2):
        check_layer(filled((4, 3), torch.int8, axis), torch.ones(4), "onednn")
    check_layer(ODD, None, "fbgemm")


@pytest.mark.parametrize(
    ("x", "output", "relu", "error", "message"),
    [
        (X.values, OUTPUT, False, TypeError, "x is Tensor.*torch.uint8"),
        (WEIGHT, OUTPUT, False, TypeError, "x is torch.int8.*torch.uint8.*adding 128"),
        (X, 0.1, False, TypeError, "qparams are a float"),
        (X, WEIGHT.qparams, False, TypeError, "output is torch.int8.*adding 128"),
        (X, OUTPUT, "no", TypeError, "relu must be True or False, not .no."),
        (filled((2, 3), torch.uint8, 0), OUTPUT, False, ValueError, "of x have axis 0"),
        (X, filled((2, 3), torch.uint8, 1).qparams, False, ValueError, "output have axis 1"),
    ],
)
def test_bad_ends_are_named(x, output, relu, error, message):
    with pytest.raises(error, match=message):
        check_static(x, output, relu)


@pytest.mark.parametrize("shape", [(), (5,), (3, 4)])
def test_the_last_dimension_must_fit(shape):
    with pytest.raises(ValueError, match=r"x has shape \(.*must both be k"):
        check_last_dimension(torch.zeros(shape), WEIGHT)
