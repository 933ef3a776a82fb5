"""linear_dynamic at its edges; that it equals torch's is proven in proofs/dynamic.py."""

import math

import pytest
import torch

from qlearn import QParams, QTensor, linear_dynamic
from tests.bits import same_bits


def test_the_accumulator_is_exact_at_the_extremes():
    x = torch.full((1, 1000), 1.0)
    weight = QTensor(
        torch.full((1, 1000), 127, dtype=torch.int8), QParams(1.0, 0, -128, 127, torch.int8)
    )
    got = linear_dynamic(x, weight, reduce_range=False).item()
    assert got == pytest.approx(127_000, rel=1e-6)


def test_empty_batches_and_inputs_that_stay():
    weight = QTensor(torch.ones(4, 3, dtype=torch.int8), QParams(1.0, 0, -128, 127, torch.int8))
    assert linear_dynamic(torch.zeros(0, 3), weight).shape == (0, 4)
    assert linear_dynamic(torch.zeros(2, 0, 3), weight).shape == (2, 0, 4)
    nothing_to_sum = QTensor(torch.ones(4, 0, dtype=torch.int8), weight.qparams)
    assert (
        linear_dynamic(torch.zeros(2, 0), nothing_to_sum, torch.ones(4)).tolist() == [[1.0] * 4] * 2
    )
    x = torch.randn(2, 3, generator=torch.Generator().manual_seed(0))
    before = x.clone()
    linear_dynamic(x, weight)
    assert same_bits(x, before)


GOOD = QTensor(torch.ones(4, 3, dtype=torch.int8), QParams(1.0, 0, -128, 127, torch.int8))
ODD = QTensor(torch.ones(4, 3, dtype=torch.int8), QParams(1.0, 1, -128, 127, torch.int8))
COLUMNS = QTensor(
    torch.ones(4, 3, dtype=torch.int8), QParams([1.0] * 3, [0] * 3, -128, 127, torch.int8, axis=1)
)
UNSIGNED = QTensor(torch.ones(4, 3, dtype=torch.uint8), QParams(1.0, 0, 0, 255, torch.uint8))
X = torch.ones(2, 3)


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        (
            (X, GOOD),
            {"engine": "gpu"},
            ValueError,
            "engine must be 'fbgemm', .* or 'qnnpack', not 'gpu'",
        ),
        ((X, GOOD), {"reduce_range": "no"}, TypeError, "reduce_range must be True or False"),
        ((X.double(), GOOD), {}, TypeError, "float64"),
        ((torch.ones(2, 5), GOOD), {}, ValueError, r"x has shape \(2, 5\)"),
        ((torch.tensor(1.0), GOOD), {}, ValueError, r"x has shape \(\)"),
        ((X * math.nan, GOOD), {}, ValueError, "infinite or NaN"),
        ((X, torch.ones(4, 3)), {}, TypeError, "weight is Tensor"),
        ((X, UNSIGNED), {}, TypeError, "weight is torch.uint8"),
        ((X, COLUMNS), {}, ValueError, "along axis 1"),
        ((X, ODD), {"engine": "onednn"}, ValueError, "zero point 0 only"),
        ((X, GOOD, torch.ones(3)), {}, ValueError, r"bias has shape \(3,\).*4 outputs"),
        ((X, GOOD, torch.ones(4).double()), {}, TypeError, "float64"),
        (
            (X, GOOD, torch.ones(4) * math.nan),
            {},
            ValueError,
            r"bias holds NaN, as at index \(0,\)",
        ),
    ],
)
def test_bad_input_is_named(arguments, options, error, message):
    with pytest.raises(error, match=message):
        linear_dynamic(*arguments, **options)
