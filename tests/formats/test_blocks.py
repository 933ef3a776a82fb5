"""Blocks along an axis are what torch's own unfold finds there, and no number is copied."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from qlearn.formats.blocks import in_blocks


@st.composite
def tensors_with_blocks(draw):
    """Draw a tensor of distinct numbers, an axis of it, and a size that divides that axis."""
    shape = draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
    size, axis = draw(st.integers(1, 4)), draw(st.integers(-len(shape), len(shape) - 1))
    shape[axis] *= size
    x = torch.arange(torch.Size(shape).numel()).reshape(shape)
    return x, size, axis


@given(tensors_with_blocks())
def test_equals_torchs_unfold_with_windows_that_do_not_overlap(drawn):
    x, size, axis = drawn
    windows = x.unfold(axis, size, size)  # torch puts the numbers of a window last
    assert torch.equal(in_blocks(x, size, axis), windows.movedim(-1, axis % x.ndim + 1))


@pytest.mark.parametrize(
    ("axis", "expected"),
    [
        (-1, [[[0, 1], [2, 3]], [[4, 5], [6, 7]]]),
        (1, [[[0, 1], [2, 3]], [[4, 5], [6, 7]]]),
        (0, [[[0, 1, 2, 3], [4, 5, 6, 7]]]),
    ],
)
def test_two_rows_of_four_by_hand(axis, expected):
    assert in_blocks(torch.arange(8).reshape(2, 4), 2, axis).tolist() == expected


def test_a_view_shows_a_change_of_the_tensor_even_of_a_strided_one():
    x = torch.zeros(4, 3)
    blocks = in_blocks(x.T, 2)
    x[3, 1] = 5
    assert blocks.shape == (3, 2, 2) and blocks[1, 1, 1] == 5


@pytest.mark.parametrize(("shape", "blocks"), [((0,), (0, 4)), ((2, 0), (2, 0, 4)), ((0, 4), None)])
def test_nothing_makes_no_blocks_of_the_same_size(shape, blocks):
    assert in_blocks(torch.empty(shape), 4).shape == (blocks or (0, 1, 4))


def test_a_gradient_goes_through_to_each_number():
    x = torch.ones(6, requires_grad=True)
    (in_blocks(x, 3).sum(1) * torch.tensor([2.0, 5.0])).sum().backward()
    assert x.grad.tolist() == [2, 2, 2, 5, 5, 5]
