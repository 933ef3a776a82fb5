"""Hadamard matrices against torchao's, and as rotations."""

from __future__ import annotations

import pytest
import torch

import proofs.torchao_quietly  # noqa: F401 - imports torchao without its log
from qlearn.course import normal
from qlearn.language import hadamard


@pytest.mark.parametrize("n", [1, 2, 4, 8, 64, 256, 1024])
def test_it_is_orthogonal(n: int) -> None:
    matrix = hadamard(n)
    product = matrix @ matrix.T
    tolerance = 0.0 if n in (1, 4, 64, 256, 1024) else 1e-6  # 1/√n is a power of two, or not
    torch.testing.assert_close(product, torch.eye(n), rtol=0, atol=tolerance)
    assert torch.equal(matrix, matrix.T)


@pytest.mark.parametrize("n", [2, 8, 128])
def test_it_is_torchaos(n: int) -> None:
    from torchao.prototype.spinquant.hadamard_utils import matmul_hadU_slow

    generator = torch.Generator().manual_seed(0)
    x = torch.randint(-8, 8, (20, n), generator=generator).float()
    ours, theirs = x @ (hadamard(n) * n**0.5).round(), matmul_hadU_slow(x, None, 1) * n**0.5
    torch.testing.assert_close(ours, theirs, rtol=1e-6, atol=1e-5)


def test_a_spike_is_spread_over_all() -> None:
    x = normal(64, generator=torch.Generator().manual_seed(1))
    x[9] = 50
    rotated = x @ hadamard(64)
    assert rotated.abs().max() < x.abs().max() / 4
    torch.testing.assert_close(rotated.norm(), x.norm())


def test_what_does_not_fit_is_said() -> None:
    for n, way_out in [
        (12, "16, or rotate blocks of 4"),
        (11008, "16384, or rotate blocks of 256"),
    ]:
        with pytest.raises(ValueError, match=f"n is {n}, .* pad to {way_out}$"):
            hadamard(n)
    with pytest.raises(ValueError, match="n is 7, .* pad to 8$"):
        hadamard(7)
    with pytest.raises(ValueError, match="n must be an integer of at least 1, not 0"):
        hadamard(0)
    with pytest.raises(TypeError, match=r"not 8\.0"):
        hadamard(8.0)  # type: ignore[arg-type]
