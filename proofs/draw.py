"""One random case of a proof: all that is drawn in it follows from its number.

It is the same case on every machine. Integers and ``torch.rand`` are the generator's bits, normal
numbers come from a table, and what is computed of them here is sums, products, quotients and
square roots, which IEEE 754 rounds in one way. Powers and logarithms are a library's own.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeVar

import torch
from torch import Tensor

from qlearn import QParams, quant_range
from qlearn.course import normal

T = TypeVar("T")

DECADE = 3.321928094887362  # log2(10)

# Zeros, infinities, denormals, and numbers beyond every range.
SPECIAL = torch.tensor(
    [0.0, -0.0, math.inf, -math.inf, 1e-45, -1e-45, 1e-39, -1e-39, 3.4e38, -3.4e38, 1e30, -1e30]
)


class Draw:
    """Draw a case's numbers, shapes and choices; the same number draws the same case.

    >>> Draw(7).integer(0, 100) == Draw(7).integer(0, 100)
    True
    """

    def __init__(self, number: int) -> None:
        """Seed the generator with the number of the case."""
        self.number = number
        self.generator = torch.Generator().manual_seed(number)

    def integer(self, low: int, high: int) -> int:
        """Return an integer in low … high, both included."""
        return int(torch.randint(low, high + 1, (), generator=self.generator))

    def chance(self, share: float) -> bool:
        """Return True in that share of the cases."""
        return torch.rand((), generator=self.generator).item() < share

    def choice(self, options: Sequence[T]) -> T:
        """Return one of the options."""
        return options[self.integer(0, len(options) - 1)]

    def scale(self, decades: float = 6.0) -> float:
        """Return a float32 scale around 1, each octave as likely, one in four a power of two."""
        exponent = (torch.rand((), generator=self.generator).item() - 0.5) * decades * DECADE
        if self.chance(0.25):
            return math.ldexp(1.0, round(exponent))
        octave = math.floor(exponent)
        scale = math.ldexp(1 + exponent - octave, octave)
        return torch.tensor(scale, dtype=torch.float32).item()

    def power_of_ten(self, low: int, high: int) -> float:
        """Return the float64 nearest to a power of ten, its exponent in low … high."""
        return float(f"1e{self.integer(low, high)}")

    def normal(self, *shape: int) -> Tensor:
        """Return normally distributed float32 numbers."""
        return normal(*shape, generator=self.generator)

    def codes(self, shape: Sequence[int], dtype: torch.dtype, low: int, high: int) -> Tensor:
        """Return integers in low … high."""
        return torch.randint(low, high + 1, tuple(shape), generator=self.generator).to(dtype)

    def hard_values(self, scale: float, n: int = 24) -> Tensor:
        """Return 6·n + 12 values: ties of the scale, their neighbours, noise, and SPECIAL."""
        step = torch.tensor(scale, dtype=torch.float32)
        ties = (torch.randint(-300, 300, (n,), generator=self.generator) + 0.5) * step
        infinity = torch.full_like(ties, math.inf)
        noise = self.normal(n) * step * 150
        return torch.cat(
            [
                ties,
                torch.nextafter(ties, infinity),
                torch.nextafter(ties, -infinity),
                torch.round(noise / step) * step,
                noise,
                self.normal(n) * step,
                SPECIAL,
            ]
        )

    def hard_tensor(self, scale: float) -> Tensor:
        """Return hard values, or one of the tensors that are easily forgotten."""
        x = torch.cat([self.hard_values(scale), torch.tensor([math.nan])])
        rare = {
            0: lambda: x[:0],
            1: lambda: x[self.integer(0, x.numel() - 1)],  # 0-d
            2: lambda: torch.zeros(self.integer(1, 9)),
            3: lambda: x[: self.integer(1, x.numel())][::2],  # strided
            4: lambda: x[:150].reshape(10, 15).T,
            5: lambda: x[:7].expand(3, 7),
            6: lambda: torch.full((2, 2, 2), scale / 2),
            7: lambda: self.normal(self.integer(1000, 20_000)) * scale * 100,
        }
        return rare.get(self.integer(0, 99), lambda: x)()

    def qparams(self, dtype: torch.dtype, channels: int | None = None) -> QParams:
        """Return qparams over the whole range of codes; in int32 with |zero_point| ≤ 2^20."""
        low, high = quant_range(dtype)
        ends = max(low, -(2**20)), min(high, 2**20)
        if channels is None:
            return QParams(self.scale(), self.integer(*ends), low, high, dtype)
        scales = [self.scale() for _ in range(channels)]
        zero_points = [self.integer(*ends) for _ in range(channels)]
        return QParams(scales, zero_points, low, high, dtype, axis=self.integer(0, 2))
