"""quant_range against torch's own table."""

import pytest
import torch
from torch.ao.quantization.utils import calculate_qmin_qmax

from qlearn import quant_range
from qlearn.checks import check_quant_range

DTYPES = [torch.int8, torch.uint8, torch.int32]


@pytest.mark.parametrize("reduce_range", [False, True])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_equals_torchs_table(dtype, reduce_range):
    expected = calculate_qmin_qmax(None, None, False, dtype, reduce_range)
    assert quant_range(dtype, reduce_range=reduce_range) == expected


def test_reduce_range_leaves_int32_whole():
    assert quant_range(torch.int32, reduce_range=True) == (-(2**31), 2**31 - 1)
    fall_through = calculate_qmin_qmax(None, None, False, torch.quint4x2, True)
    assert fall_through == (0, 15) == quant_range(torch.uint8, bits=4)


@pytest.mark.parametrize("bits", range(2, 9))
@pytest.mark.parametrize("dtype", [torch.int8, torch.uint8], ids=str)
def test_fewer_bits_reduce_as_torchs_customized_range_does(dtype, bits):
    low, high = quant_range(dtype, bits=bits)
    assert high - low == 2**bits - 1
    expected = calculate_qmin_qmax(low, high, True, dtype, True)
    assert quant_range(dtype, bits=bits, reduce_range=True) == expected


@pytest.mark.parametrize(
    ("dtype", "bits", "error", "message"),
    [
        (torch.float32, None, ValueError, "float32.*plain integers"),
        (torch.qint8, None, ValueError, "qint8.*pass torch.int8"),
        (torch.int8, 9, ValueError, "bits must be an integer from 1 to 8, not 9"),
        (torch.int8, 0, ValueError, "from 1 to 8, not 0"),
        (torch.int8, 4.0, TypeError, "bits must be .*, not 4.0"),
        (torch.int8, True, TypeError, "bits must be .*, not True"),
    ],
)
def test_bad_input_is_named(dtype, bits, error, message):
    with pytest.raises(error, match=message):
        quant_range(dtype, bits=bits)


def test_a_single_bit_cannot_be_halved():
    with pytest.raises(ValueError, match="single code 0"):
        quant_range(torch.uint8, bits=1, reduce_range=True)


@pytest.mark.parametrize(
    ("low", "high", "dtype", "error", "message"),
    [
        (-129, 127, torch.int8, ValueError, "-129..127 does not fit torch.int8"),
        (0, 256, torch.uint8, ValueError, "0..256 does not fit torch.uint8"),
        (-1, 255, torch.uint8, ValueError, "-1..255 does not fit"),
        (5, 5, torch.int8, ValueError, "quant_min 5 is not below quant_max 5"),
        (7, -8, torch.int8, ValueError, "not below"),
        (0.0, 255, torch.uint8, TypeError, "quant_min must be an integer, not 0.0"),
        (0, "255", torch.uint8, TypeError, "quant_max must be an integer, not '255'"),
    ],
)
def test_a_range_the_dtype_cannot_hold(low, high, dtype, error, message):
    with pytest.raises(error, match=message):
        check_quant_range(low, high, dtype)
