"""Numbers that other people's code printed before qlearn existed, to four decimals.

Three short programs made them: one that quantizes four numbers by torch, one that makes quantized
tensors from integers, and one that quantizes a 3 × 3 matrix by the textbook's rule, written in
plain torch. Here qlearn computes them again.
"""

import pytest
import torch

from qlearn import QParams, QTensor, dequantize, quantize, textbook_qparams


def shown(tensor, digits=4):
    """Return the numbers as they were printed, rounded to ``digits`` decimals."""
    return [round(value, digits) + 0.0 for value in tensor.flatten().tolist()]


def test_20_becomes_11_7():
    qparams = QParams(0.1, 10, -128, 127, torch.int8)
    codes = quantize(torch.tensor([-1.0, 0.0, 1.0, 20.0]), qparams)
    assert codes.tolist() == [0, 10, 20, 127]
    assert shown(dequantize(codes, qparams)) == [-1.0, 0.0, 1.0, 11.7]
    assert round(qparams.scale.item(), 4) == 0.1 and qparams.zero_point.item() == 10


# Codes that torch.randint gave; what they mean is arithmetic.
CODES = torch.tensor([66, 95, 39, 25, 1, 71, 94, 43, 13, 48], dtype=torch.uint8)
QPARAMS = QParams(1e-4, 2, 0, 255, torch.uint8)


def test_integers_get_their_meaning():
    q = QTensor(CODES, QPARAMS)
    expected = [0.0064, 0.0093, 0.0037, 0.0023, -0.0001, 0.0069, 0.0092, 0.0041, 0.0011, 0.0046]
    assert shown(q.dequantize()) == expected
    assert q.values.numel() == 10 and q.values.shape == (10,)
    assert shown(dequantize(CODES[2], QPARAMS)) == [0.0037]


def test_a_code_of_0_means_minus_two_steps():
    """An uninitialized qint32 tensor was printed as −0.0002 wherever the memory held 0."""
    qparams = QParams(1e-4, 2, -(2**31), 2**31 - 1, torch.int32)
    assert shown(dequantize(torch.zeros(1, dtype=torch.int32), qparams)) == [-0.0002]


def test_qint32_round_trip():
    x = torch.tensor([0.1231, -1.9974, 0.2806, 0.6392, -0.2118, 0.6879])
    qparams = QParams(1e-4, 2, -(2**31), 2**31 - 1, torch.int32)
    assert shown(dequantize(quantize(x, qparams, rounding="add"), qparams)) == shown(x)


def test_per_channel_rounds_to_each_channels_step():
    x = torch.tensor([[0.1231, -1.9974, 0.2806], [0.6392, -0.2118, 0.6879]])
    qparams = QParams([0.1, 0.01, 0.001], [-1, 0, 1], -(2**31), 2**31 - 1, torch.int32, axis=1)
    restored = dequantize(quantize(x, qparams, rounding="add"), qparams)
    assert shown(restored) == [0.1, -2.0, 0.281, 0.6, -0.21, 0.688]


def test_item_is_the_value_where_0_was_printed():
    """The one number that torch 2.13 contradicts: q[0].item() is 0.0064, and was 0."""
    value = dequantize(CODES[0], QPARAMS)
    assert shown(value) == [0.0064]
    q = torch._make_per_tensor_quantized_tensor(CODES, 1e-4, 2)
    assert q[0].item() == value.item()


def test_item_of_3_5_saturates():
    """q[0] = 3.5 stores code 255, which means 253 steps: 0.0253, not 3.5."""
    code = quantize(torch.tensor(3.5), QPARAMS)
    assert code.item() == 255 and shown(dequantize(code, QPARAMS)) == [0.0253]


# torch.manual_seed(0); torch.randn(3, 3)
X = torch.randn(3, 3, generator=torch.Generator().manual_seed(0))


def test_the_matrix():
    expected = [1.5410, -0.2934, -2.1788, 0.5684, -1.0845, -1.3986, 0.4033, 0.8380, -0.7193]
    assert shown(X) == expected


TEXTBOOK = {
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


@pytest.mark.parametrize("name", TEXTBOOK)
def test_textbook_scale_zero_point_codes_and_values(name):
    printed = TEXTBOOK[name]
    qparams = textbook_qparams(X, **printed["options"])
    assert shown(qparams.scale) == printed["scale"]
    assert qparams.zero_point.flatten().tolist() == printed["zero_point"]
    assert (qparams.quant_min, qparams.quant_max) == (-128, 127)
    codes = quantize(X, qparams)
    assert codes.flatten().tolist() == printed["codes"]
    assert shown(dequantize(codes, qparams)) == printed["restored"]


def test_textbook_errors():
    symmetric = textbook_qparams(X, axis=0)
    error = (dequantize(quantize(X, symmetric), symmetric) - X).flatten().tolist()
    printed = [3.0279e-3, 1.7799e-3, 0, 4.2220e-3, 5.2912e-3, 0, -8.3023e-4, 0, 6.6161e-6]
    # Printed with five digits; the differences of nearly equal float32 numbers carry 1e-7.
    assert error == pytest.approx(printed, abs=1.5e-7)
    affine = textbook_qparams(X, symmetric=False, axis=0)
    error = dequantize(quantize(X, affine), affine) - X
    printed = [0.0053, 0.0017, 0.0053, 0.0024, -0.0031, 0.0024, -0.0003, -0.0014, -0.0014]
    assert shown(error) == printed
