"""The order in which oneDNN multiplies by the two scales."""

import pytest
import torch

from qlearn.integers import onednn

THREE = torch.tensor([[3]], dtype=torch.int32)
SCALES = torch.tensor(0.1), torch.tensor([0.013])


@pytest.mark.parametrize("joined", [True, False])
def test_both_orders_round_differently(joined):
    first, second = SCALES
    expected = 3.0 * (first * second) if joined else 3.0 * first * second
    assert torch.equal(onednn.scaled(THREE, *SCALES, joined=joined), expected[None])
    assert (3.0 * (first * second) != 3.0 * first * second).all()
