"""Bytes in a file, against what is known of a module."""

import pytest
import torch
from torch import nn

from qlearn.course.stored_bytes import file_bytes, number_bytes


def test_numbers_are_counted_once_and_by_their_size():
    module = nn.Linear(5, 3)
    assert number_bytes(module) == 4 * (15 + 3)
    tied = nn.Sequential(module, module)
    assert number_bytes(tied) == number_bytes(module)
    assert number_bytes(nn.Linear(5, 3, dtype=torch.float16)) == 2 * (15 + 3)


@pytest.mark.parametrize("size", [1, 100])
def test_a_file_has_a_little_more_than_its_numbers(size):
    module = nn.Linear(size, size)
    assert 0 < file_bytes(module) - number_bytes(module) < 4096
