"""Fixed point against the definition in Python's exact fractions."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import torch

from proofs.draw import Draw
from proofs.inputs import sums
from proofs.proof import proof
from proofs.public import Large, public
from qlearn import fixed_point_multiplier, fixed_point_product

HALF = Fraction(1, 2)


def draw_multiplier(draw: Draw) -> float:
    """Return a float32 or a float64 in 2^−31 … 1: any, near a power of two, or near a tie."""
    exponent = draw.integer(-31, -1)
    bits = draw.integer(2, 31)
    near = 1 + draw.integer(0, 2**bits - 1) / 2**bits + draw.choice([0, 2.0**-bits / 2])
    fraction = draw.choice([1.0, 1 + 2.0**-23, 2 - 2.0**-23, near, 2 - 2.0**-32])
    multiplier = math.ldexp(fraction, exponent)
    if draw.chance(0.3):
        multiplier = torch.tensor(multiplier, dtype=torch.float32).item()
    return multiplier if multiplier < 1 else 0.5


@proof("fixed_point_multiplier", "the nearest of all pairs, by Python's fractions")
def nearest_fraction(draw: Draw) -> tuple[Any, Any]:
    """Compare integer and shift with the best of all shifts; of two as good the smaller shift."""
    multiplier, bits = draw_multiplier(draw), draw.integer(2, 31)
    exact = Fraction(multiplier)
    pairs = [(round(exact * 2**shift), shift) for shift in range(bits - 1, bits + 32)]
    fitting = [pair for pair in pairs if 2 ** (bits - 1) <= pair[0] < 2**bits]
    nearest = min(fitting, key=lambda pair: (abs(Fraction(pair[0], 2 ** pair[1]) - exact), pair[1]))
    return fixed_point_multiplier(multiplier, bits), nearest


@proof("fixed_point_product", "the exact product, halves upwards, by Python's fractions")
def rounded_once(draw: Draw) -> tuple[Any, Any]:
    """Compare sums of every size, ties and both ends of int32 among them."""
    whole, shift = fixed_point_multiplier(draw_multiplier(draw), draw.integer(2, 31))
    if draw.chance(0.3):
        whole, shift = draw.integer(1, 9), draw.integer(1, 5)  # ties
    size = 2 ** draw.integer(1, 31)
    total = torch.cat(
        [
            torch.randint(-size, size, (20,), generator=draw.generator),
            torch.tensor([0, 1, -1, 2**31 - 1, -(2**31)]),
        ]
    ).to(torch.int32)
    exact = [math.floor(Fraction(one * whole, 2**shift) + HALF) for one in total.tolist()]
    return fixed_point_product(total, whole, shift), torch.tensor(exact)


public(
    "fixed_point_multiplier",
    "integers/requantization",
    {"multiplier": 0.0008, "bits": 8},
    not_large="it takes one number",
)
public(
    "fixed_point_product",
    "integers/requantization",
    {"total": torch.tensor([-3, -1, 1, 3], dtype=torch.int32), "multiplier": 210, "shift": 18},
    Large("", sums, lambda total: fixed_point_product(total, 210, 18)),
)
