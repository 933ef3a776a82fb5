"""linear_dynamic against torch's operator, in every bit, on each engine of the machine."""

import math
import platform

import pytest
import torch

from qlearn import QParams, QTensor, choose_qparams, kernels_saturate, linear_dynamic
from tests.hard_values import random_code, same_bits

ENGINES = ["fbgemm", "x86", "onednn", "qnnpack"]
CASES = 150

pytestmark = pytest.mark.filterwarnings(
    "ignore:.*quantized.*:UserWarning", "ignore:.*reduce_range.*:UserWarning"
)


@pytest.fixture(params=ENGINES)
def engine(request):
    """Make the engine torch's for one test; on x86-64 all four must be there."""
    if request.param not in torch.backends.quantized.supported_engines:
        assert platform.machine() not in ("x86_64", "AMD64")
        pytest.skip(f"torch has no {request.param} on {platform.machine()}")
    before = torch.backends.quantized.engine
    torch.backends.quantized.engine = request.param
    yield request.param
    torch.backends.quantized.engine = before


def torchs(x, weight, bias, reduce_range):
    """Run torch's operator on the same codes."""
    qparams = weight.qparams
    if qparams.axis is None:
        packed = torch._make_per_tensor_quantized_tensor(
            weight.values, qparams.scale.item(), qparams.zero_point.item()
        )
    else:
        packed = torch._make_per_channel_quantized_tensor(
            weight.values, qparams.scale.double(), qparams.zero_point.long(), 0
        )
    prepacked = torch.ops.quantized.linear_prepack(packed, bias)
    return torch.ops.quantized.linear_dynamic(x, prepacked, reduce_range=reduce_range)


def layers(engine, n=CASES):
    """Yield activations, codes of a weight, and bias: all sizes, per tensor and per channel."""
    generator = torch.Generator().manual_seed(7)
    for case in range(n):
        m, k, outputs = (random_code(1, top, generator) for top in (9, 70, 40))
        x = torch.randn(m, k, generator=generator) * 10.0 ** random_code(-5, 3, generator)
        x = [x, x.abs(), x * 0, x.reshape(m, 1, k), x.expand(2, m, k)][case % 7 % 5]
        w = torch.randn(outputs, k, generator=generator) * 10.0 ** random_code(-2, 1, generator)
        low, high = (w.amin(1), w.amax(1)) if case % 2 else (w.min(), w.max())
        axis = 0 if case % 2 else None
        qparams = choose_qparams(low, high, symmetric=True, axis=axis)
        if case % 4 == 0 and engine != "onednn":  # the zero point of a weight may be odd
            qparams = QParams(qparams.scale, 3, -128, 127, torch.int8)
        codes = torch.randint(-128, 128, (outputs, k), generator=generator).to(torch.int8)
        bias = torch.randn(outputs, generator=generator) if case % 3 else None
        yield x, QTensor(codes, qparams), bias


@pytest.mark.parametrize("reduce_range", [True, False], ids=["reduced", "full"])
def test_equals_torchs_operator(engine, reduce_range):
    if not reduce_range and kernels_saturate():
        pytest.skip("without VNNI this engine saturates at full range; the next test shows our sum")
    for x, weight, bias in layers(engine):
        ours = linear_dynamic(x, weight, bias, engine=engine, reduce_range=reduce_range)
        assert same_bits(ours, torchs(x, weight, bias, reduce_range)), (x.shape, weight, bias)


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
        ((X, GOOD), {"engine": "gpu"}, ValueError, "engine is 'gpu'.*'qnnpack'"),
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
    ],
)
def test_bad_input_is_named(arguments, options, error, message):
    with pytest.raises(error, match=message):
        linear_dynamic(*arguments, **options)
