"""What is computed piece by piece is what is computed at once."""

import pytest
import torch

from qlearn.formats.pieces import PIECE, by_pieces


@pytest.mark.parametrize("n", [0, 1, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE + 3])
def test_every_number_is_computed_once(n):
    x = torch.arange(n, dtype=torch.float32)
    lengths = []

    def doubled(piece):
        lengths.append(len(piece))
        return 2 * piece

    assert torch.equal(by_pieces(doubled, x, torch.float32), 2 * x)
    assert sum(lengths) == n
    assert max(lengths) <= PIECE


@pytest.mark.parametrize(
    "x",
    [torch.tensor(3.0), torch.ones(0, 4), torch.arange(12.0).reshape(3, 4).T[:, ::2]],
    ids=["0-d", "empty", "strided"],
)
def test_any_shape_comes_back_contiguous(x):
    result = by_pieces(torch.neg, x, torch.float32)
    assert torch.equal(result, -x)
    assert result.is_contiguous()
