"""Normally distributed numbers whose bits are the same on every machine.

``torch.randn`` computes logarithms and cosines, and from 16 numbers on the last bits depend on
the processor's instructions. What a page prints must not, so the chapters draw from a table.
"""

from __future__ import annotations

from functools import cache
from statistics import NormalDist

import torch
from jaxtyping import Float32, Int32
from torch import Generator, Tensor

ENTRIES = 2**16
UNIT = 2.0**-20  # the table holds multiples of it


def normal(*shape: int, generator: Generator) -> Float32[Tensor, "*shape"]:
    """Draw float32 numbers with mean 0 and standard deviation 1, the same on every machine.

    Each is ``(t[i] + t[j]) / √2``, where t is a table of 65,536 quantiles of the normal
    distribution, and i and j are random integers. The sum of two normal numbers is normal;
    it is exact, and the multiplication by 1/√2 rounds once, as IEEE 754 says. No number is
    further from 0 than 6.12.

    Raises:
        TypeError: the generator is not a ``torch.Generator``: numbers are never drawn from a
            global state.

    >>> normal(3, generator=torch.Generator().manual_seed(0))
    tensor([-0.6296,  0.6722, -0.0496])
    """
    if not isinstance(generator, Generator):
        raise TypeError(
            f"generator is {generator!r}: pass torch.Generator().manual_seed(0), or another seed"
        )
    places = torch.randint(ENTRIES, (2, *shape), generator=generator)
    first, second = quantiles()[places]
    return (first + second).to(torch.float32) * (UNIT / 2**0.5)


@cache
def quantiles() -> Int32[Tensor, "65536"]:
    """Return the quantiles at (i + ½)/65,536, in multiples of 2⁻²⁰.

    Rounded to integers, they do not depend on a library's logarithm: none lies so close to the
    boundary between two integers that an error in its last digits could move it.
    """
    inverse = NormalDist().inv_cdf
    upper = [round(inverse(0.5 + (i + 0.5) / ENTRIES) / UNIT) for i in range(ENTRIES // 2)]
    return torch.tensor([-q for q in reversed(upper)] + upper, dtype=torch.int32)
