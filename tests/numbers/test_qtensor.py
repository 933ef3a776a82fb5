"""QTensor: integers and their meaning."""

import dataclasses

import pytest
import torch

from qlearn import QParams, QTensor, dequantize

INT8 = QParams(0.1, 10, -128, 127, torch.int8)
CODES = torch.tensor([0, 10, 20, 127], dtype=torch.int8)


def test_dequantizes_as_the_function_does():
    assert torch.equal(QTensor(CODES, INT8).dequantize(), dequantize(CODES, INT8))


def test_is_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        QTensor(CODES, INT8).values = CODES


def test_refuses_codes_of_another_dtype():
    with pytest.raises(TypeError, match=r"store torch\.int8"):
        QTensor(CODES.to(torch.int32), INT8)


def test_refuses_codes_beyond_the_range():
    four_bits = QParams(0.1, 0, -8, 7, torch.int8)
    with pytest.raises(ValueError, match=r"reach from 0 to 127, beyond the range -8\.\.7"):
        QTensor(CODES, four_bits)
    assert QTensor(CODES[:0], four_bits).dequantize().shape == (0,)


def test_refuses_another_number_of_channels():
    per_channel = QParams([0.1, 0.2, 0.3], [0, 0, 0], -128, 127, torch.int8, axis=1)
    with pytest.raises(ValueError, match="2 channels along axis 1"):
        QTensor(torch.zeros(3, 2, dtype=torch.int8), per_channel)
