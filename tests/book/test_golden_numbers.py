"""Every number that the notes print which the course grew from, unless it depends on chance.

They go by the numbers of the documents: 000 and 004 on PyTorch's API, 002 on quantized tensors,
003 on the textbook's rule.
"""

import pytest
import torch

from qlearn import QParams, QTensor, dequantize, quantize, textbook_qparams


def shown(tensor, digits=4):
    """Return the numbers as the seeds print them, rounded to ``digits`` decimals."""
    return [round(value, digits) + 0.0 for value in tensor.flatten().tolist()]


# Seed 000 (and 004): twenty becomes 11.7


def test_seed_000_twenty_becomes_eleven_point_seven():
    qparams = QParams(0.1, 10, -128, 127, torch.int8)
    codes = quantize(torch.tensor([-1.0, 0.0, 1.0, 20.0]), qparams)
    assert codes.tolist() == [0, 10, 20, 127]
    assert shown(dequantize(codes, qparams)) == [-1.0, 0.0, 1.0, 11.7]
    assert round(qparams.scale.item(), 4) == 0.1 and qparams.zero_point.item() == 10


# Seed 002: codes made from integers. The inputs came from chance, the arithmetic did not.

SEED_002_CODES = torch.tensor([66, 95, 39, 25, 1, 71, 94, 43, 13, 48], dtype=torch.uint8)
SEED_002_QPARAMS = QParams(1e-4, 2, 0, 255, torch.uint8)


def test_seed_002_integers_get_their_meaning():
    q = QTensor(SEED_002_CODES, SEED_002_QPARAMS)
    expected = [0.0064, 0.0093, 0.0037, 0.0023, -0.0001, 0.0069, 0.0092, 0.0041, 0.0011, 0.0046]
    assert shown(q.dequantize()) == expected
    assert q.values.numel() == 10 and q.values.shape == (10,)
    assert shown(dequantize(SEED_002_CODES[2], SEED_002_QPARAMS)) == [0.0037]


def test_seed_002_a_code_of_0_means_minus_two_steps():
    """The seed's uninitialized qint32 tensor prints −0.0002 wherever the memory held 0."""
    qparams = QParams(1e-4, 2, -(2**31), 2**31 - 1, torch.int32)
    assert shown(dequantize(torch.zeros(1, dtype=torch.int32), qparams)) == [-0.0002]


def test_seed_002_qint32_round_trip():
    x = torch.tensor([0.1231, -1.9974, 0.2806, 0.6392, -0.2118, 0.6879])
    qparams = QParams(1e-4, 2, -(2**31), 2**31 - 1, torch.int32)
    assert shown(dequantize(quantize(x, qparams, rounding="add"), qparams)) == shown(x)


def test_seed_002_per_channel_rounds_to_each_channels_step():
    x = torch.tensor([[0.1231, -1.9974, 0.2806], [0.6392, -0.2118, 0.6879]])
    qparams = QParams([0.1, 0.01, 0.001], [-1, 0, 1], -(2**31), 2**31 - 1, torch.int32, axis=1)
    restored = dequantize(quantize(x, qparams, rounding="add"), qparams)
    # The seed's own second column, −2.0 and −0.21; its third, 0.281 and 0.688.
    assert shown(restored) == [0.1, -2.0, 0.281, 0.6, -0.21, 0.688]


def test_seed_002_item_is_the_value_where_the_seed_prints_0():
    """The one number of the seed that today's torch contradicts: q[0].item() is 0.0064, not 0."""
    value = dequantize(SEED_002_CODES[0], SEED_002_QPARAMS)
    assert shown(value) == [0.0064]
    q = torch._make_per_tensor_quantized_tensor(SEED_002_CODES, 1e-4, 2)
    assert q[0].item() == value.item()


def test_seed_002_item_of_3_5_saturates():
    """q[0] = 3.5 stores code 255, which means 253 steps: 0.0253, not 3.5."""
    code = quantize(torch.tensor(3.5), SEED_002_QPARAMS)
    assert code.item() == 255 and shown(dequantize(code, SEED_002_QPARAMS)) == [0.0253]


# Seed 003: torch.manual_seed(0); torch.randn(3, 3), printed in full by the seed.

X = torch.randn(3, 3, generator=torch.Generator().manual_seed(0))


def test_seed_003_the_input():
    expected = [1.5410, -0.2934, -2.1788, 0.5684, -1.0845, -1.3986, 0.4033, 0.8380, -0.7193]
    assert shown(X) == expected


SEED_003 = {
    "symmetric": {
        "options": {},
        "scale": [0.0172],
        "zero_point": [0],
        "codes": [90, -17, -127, 33, -63, -82, 24, 49, -42],
        "restored": [1.5440, -0.2916, -2.1788, 0.5661, -1.0808, -1.4068, 0.4117, 0.8406, -0.7205],
    },
    "symmetric-per-channel": {
        "options": {"axis": 0},
        "scale": [0.0172, 0.0110, 0.0066],
        "zero_point": [0, 0, 0],
        "codes": [90, -17, -127, 52, -98, -127, 61, 127, -109],
        "restored": [1.5440, -0.2916, -2.1788, 0.5727, -1.0792, -1.3986, 0.4025, 0.8380, -0.7193],
    },
    "affine": {
        "options": {"symmetric": False},
        "scale": [0.0146],
        "zero_point": [21],
        "codes": [127, 1, -128, 60, -53, -75, 49, 78, -28],
        "restored": [1.5463, -0.2917, -2.1735, 0.5689, -1.0795, -1.4004, 0.4084, 0.8315, -0.7148],
    },
    "affine-per-channel": {
        "options": {"symmetric": False, "axis": 0},
        "scale": [0.0146, 0.0077, 0.0061],
        "zero_point": [21, 53, -10],
        "codes": [127, 1, -128, 127, -88, -128, 56, 127, -128],
        "restored": [1.5463, -0.2917, -2.1735, 0.5708, -1.0877, -1.3962, 0.4031, 0.8367, -0.7206],
    },
}


@pytest.mark.parametrize("name", SEED_003)
def test_seed_003_scale_zero_point_codes_and_values(name):
    printed = SEED_003[name]
    qparams = textbook_qparams(X, **printed["options"])
    assert shown(qparams.scale) == printed["scale"]
    assert qparams.zero_point.flatten().tolist() == printed["zero_point"]
    assert (qparams.quant_min, qparams.quant_max) == (-128, 127)
    codes = quantize(X, qparams)
    assert codes.flatten().tolist() == printed["codes"]
    assert shown(dequantize(codes, qparams)) == printed["restored"]


def test_seed_003_errors():
    symmetric = textbook_qparams(X, axis=0)
    error = (dequantize(quantize(X, symmetric), symmetric) - X).flatten().tolist()
    printed = [3.0279e-3, 1.7799e-3, 0, 4.2220e-3, 5.2912e-3, 0, -8.3023e-4, 0, 6.6161e-6]
    # Printed with five digits; the differences of nearly equal float32 numbers carry 1e-7.
    assert error == pytest.approx(printed, abs=1.5e-7)
    affine = textbook_qparams(X, symmetric=False, axis=0)
    error = dequantize(quantize(X, affine), affine) - X
    printed = [0.0053, 0.0017, 0.0053, 0.0024, -0.0031, 0.0024, -0.0003, -0.0014, -0.0014]
    assert shown(error) == printed


def test_seed_003_its_quantize_function_casts_to_int8_whatever_the_dtype():
    """By the seed's function a uint8 code of 200 would become −56; ours keeps the dtype."""
    x = torch.tensor([0.0, 2.0, 2.55])
    qparams = textbook_qparams(x, dtype=torch.uint8)
    assert quantize(x, qparams).tolist() == [0, 200, 255]
    codes = torch.round(x / qparams.scale).clamp(0, 255).to(torch.int32)
    as_the_seed = codes.to(torch.int8)  # from integers, for a float out of range is undefined
    assert as_the_seed.tolist() == [0, -56, -1]
