"""What qparams and codes are refused for."""

import pytest
import torch

from qlearn import QParams
from qlearn.checks.codes import LONGEST_SUM, check_codes, check_operands, check_qparams

INT8 = QParams(0.1, 10, -128, 127, torch.int8)


def test_qparams_are_of_their_class():
    check_qparams(INT8)
    with pytest.raises(TypeError, match=r"the qparams are a tuple: pass a QParams\("):
        check_qparams((0.1, 10))


@pytest.mark.parametrize(
    ("q", "message"),
    [
        ([1], "q is a list: pass codes"),
        (torch.zeros(2, dtype=torch.uint8), r"torch\.uint8, but these qparams store torch\.int8"),
    ],
)
def test_codes_have_the_dtype_of_their_qparams(q, message):
    check_codes(torch.zeros(2, dtype=torch.int8), INT8)
    with pytest.raises(TypeError, match=message):
        check_codes(q, INT8)


def test_a_sum_of_the_longest_row_fits_int32_and_of_a_longer_one_may_not():
    assert LONGEST_SUM * 255 * 128 < 2**31 <= (LONGEST_SUM + 1) * 255 * 128
    a, b = torch.zeros(1, LONGEST_SUM, dtype=torch.uint8), torch.zeros(LONGEST_SUM, 1).char()
    check_operands(a, b)
    with pytest.raises(ValueError, match=f"k is {LONGEST_SUM + 1}.*split the sum"):
        check_operands(torch.zeros(1, LONGEST_SUM + 1, dtype=torch.uint8), torch.cat([b, b[:1]]))


@pytest.mark.parametrize(
    ("shapes", "dtypes", "error", "message"),
    [
        (((1, 2), (3, 1)), (torch.uint8, torch.int8), ValueError, "cannot be multiplied"),
        (((2,), (2, 1)), (torch.uint8, torch.int8), ValueError, "cannot be multiplied"),
        (((1, 2), (2, 1)), (torch.int8, torch.int8), TypeError, "torch.uint8 by torch.int8"),
    ],
)
def test_operands_are_two_matrices_of_codes(shapes, dtypes, error, message):
    a, b = (torch.zeros(s, dtype=d) for s, d in zip(shapes, dtypes, strict=True))
    with pytest.raises(error, match=message):
        check_operands(a, b)
