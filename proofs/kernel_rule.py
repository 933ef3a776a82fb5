"""The rule inside torch's kernels, in both editions, against the kernels that ask for it."""

from __future__ import annotations

from typing import Any

import torch

from proofs.draw import Draw
from proofs.proof import proof
from proofs.public import public
from qlearn import choose_quantization_params


def draw_ends(draw: Draw) -> tuple[float, float]:
    """Return the ends of a range over many decades: around 0, one-sided, a point, and ties."""
    magnitude = draw.power_of_ten(-9, 5) if draw.chance(0.8) else draw.power_of_ten(-44, 34)
    pair = draw.normal(2) * magnitude
    kind = draw.integer(0, 9)
    if kind == 0:
        pair = pair.abs()
    elif kind == 1:
        pair = -pair.abs()
    elif kind == 2:
        pair = pair[:1].expand(2)
    elif kind == 3:
        pair = torch.stack([-pair[0], pair[0]])  # the zero point falls half-way
    elif kind == 4:
        pair = pair * 0
    return pair.min().item(), pair.max().item()


@proof("choose_quantization_params", "torch._choose_qparams_per_tensor, which asks ATen")
def atens(draw: Draw) -> tuple[Any, Any]:
    """Compare the float64 scale and the zero point, at full and at reduced range."""
    low, high = draw_ends(draw)
    reduced = draw.chance(0.5)
    theirs = torch._choose_qparams_per_tensor(torch.tensor([low, high]), reduced)
    scale, zero_point = choose_quantization_params(low, high, 0, 127 if reduced else 255)
    return (_float64(scale), zero_point), (_float64(theirs[0]), theirs[1])


@proof("choose_quantization_params", "torch.fused_moving_avg_obs_fake_quant, which asks FBGEMM")
def fbgemms(draw: Draw) -> tuple[Any, Any]:
    """Compare narrow and wide ranges of codes, signed and unsigned, symmetric and affine."""
    low, high = draw_ends(draw)
    symmetric = draw.chance(0.5)
    codes = draw.integer(3, 256)
    quant_min = draw.choice([0, -(codes // 2), -(codes // 2) + 1])
    ends = quant_min, quant_min + codes - 1
    ours = choose_quantization_params(
        low, high, *ends, library="fbgemm", preserve_sparsity=symmetric
    )
    return ours, _fused(low, high, *ends, symmetric=symmetric)


def _fused(
    low: float, high: float, quant_min: int, quant_max: int, *, symmetric: bool
) -> tuple[float, int]:
    scale, zero_point = torch.ones(1), torch.zeros(1, dtype=torch.int32)
    on, infinity = torch.tensor([1]), torch.tensor([torch.inf])
    state = on, on, infinity, -infinity, scale, zero_point
    options = 0.01, quant_min, quant_max, -1, False, symmetric
    torch.fused_moving_avg_obs_fake_quant(torch.tensor([low, high]), *state, *options)
    return scale.item(), int(zero_point)


def _float64(value: float) -> torch.Tensor:
    return torch.tensor(value, dtype=torch.float64)


public(
    "choose_quantization_params",
    "integers/dynamic_linear_to_the_bit",
    {
        "low": -1.0,
        "high": 3.0,
        "quant_min": -8,
        "quant_max": 7,
        "library": "fbgemm",
        "preserve_sparsity": True,
    },
    not_large="it takes the two ends of a range",
)
