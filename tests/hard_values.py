"""Values that tell rounding rules apart, and the qparams to try them with."""

from __future__ import annotations

import math

import torch
from torch import Tensor

SPECIAL = torch.tensor(
    [0.0, -0.0, math.inf, -math.inf, 1e-45, -1e-45, 1e-39, -1e-39, 3.4e38, -3.4e38, 1e30, -1e30]
)


def hard_values(scale: float, generator: torch.Generator, n: int = 96) -> Tensor:
    """Return ties of ``scale``, their float32 neighbours, noise, and special values."""
    step = torch.tensor(scale, dtype=torch.float32)
    ties = (torch.randint(-300, 300, (n,), generator=generator) + 0.5) * step
    infinity = torch.full_like(ties, math.inf)
    noise = torch.randn(n, generator=generator) * step * 150
    fine = torch.randn(n, generator=generator) * step
    return torch.cat(
        [
            ties,
            torch.nextafter(ties, infinity),
            torch.nextafter(ties, -infinity),
            torch.round(noise / step) * step,
            noise,
            fine,
            SPECIAL,
        ]
    )


def random_scale(generator: torch.Generator, decades: float = 6.0) -> float:
    """Return a float32 scale, log-uniform over ``decades``, now and then a power of two."""
    exponent = (torch.rand((), generator=generator).item() - 0.5) * decades
    if torch.rand((), generator=generator).item() < 0.25:
        return 2.0 ** round(exponent / math.log10(2))
    return torch.tensor(10.0**exponent, dtype=torch.float32).item()


def random_code(low: int, high: int, generator: torch.Generator) -> int:
    """Return an integer in low … high."""
    return int(torch.randint(low, high + 1, (), generator=generator))


def same_bits(a: Tensor, b: Tensor) -> bool:
    """Say whether two float32 tensors agree in shape and in every bit."""
    return a.shape == b.shape and torch.equal(
        a.contiguous().view(torch.int32), b.contiguous().view(torch.int32)
    )
