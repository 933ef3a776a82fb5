"""The fused multiply-add: a product and a sum that are rounded once, together.

Where a processor and torch have the instruction, torch computes it. Elsewhere float64 does, which
is slower and gives the same bits.
"""

from __future__ import annotations

import torch
from jaxtyping import Float, Float32
from torch import Tensor

from qlearn.checks import check_float32
from qlearn.machine import torch_fuses


def fma(
    a: Float32[Tensor, ...], b: Float32[Tensor, ...], c: Float32[Tensor, ...]
) -> Float32[Tensor, ...]:
    """Return a·b + c rounded to float32 once, as the fused multiply-add instruction does.

    The three are broadcast to one shape.

    Raises:
        TypeError: one of the three is not float32.
        ValueError: their shapes do not go together.

    Source: IEEE 754-2019, fusedMultiplyAdd; in C ``fmaf``.

    >>> tick = torch.tensor(2.0**-12)
    >>> fma(1 + tick, 1 + tick, torch.tensor(-1.0)).item() - (2 * tick + tick**2).item()
    0.0
    """
    for name, factor in (("a", a), ("b", b), ("c", c)):
        check_float32(factor, name)
    try:
        torch.broadcast_shapes(a.shape, b.shape, c.shape)
    except RuntimeError as error:
        raise ValueError(
            f"the shapes {tuple(a.shape)}, {tuple(b.shape)} and {tuple(c.shape)} cannot be "
            "broadcast to one: pass tensors of one shape, or single numbers"
        ) from error
    if not torch_fuses():
        return _fma_in_float64(a, b, c)
    # add is faster, but takes a single number only for b, through which then no gradient passes,
    # and rounds twice where it repeats a's.
    if b.ndim == 0 and not b.requires_grad and a.shape == torch.broadcast_shapes(a.shape, c.shape):
        return torch.add(c, a, alpha=b.item())
    return torch.addcmul(c, a, b)


def _fma_in_float64(
    a: Float32[Tensor, ...], b: Float32[Tensor, ...], c: Float32[Tensor, ...]
) -> Float32[Tensor, ...]:
    """Return the same on any processor, by float64 alone.

    The product of two float32 numbers is exact in float64; the sum may not be. So the sum is
    rounded to odd: where it is inexact, the last bit of the float64 is made 1. Then the
    second rounding, to float32, lands where a single one would (Boldo and Melquiond, 2008).
    """
    product = a.to(torch.float64) * b.to(torch.float64)
    addend = c.to(torch.float64)
    total = product + addend
    error = _two_sum_error(product, addend, total)
    return _round_to_odd(total, error).to(torch.float32)


def _two_sum_error(
    a: Float[Tensor, ...], b: Float[Tensor, ...], total: Float[Tensor, ...]
) -> Float[Tensor, ...]:
    """Return (a + b) − total, exactly, when total is a + b rounded (Knuth's TwoSum)."""
    b_part = total - a
    a_part = total - b_part
    return (a - a_part) + (b - b_part)


def _round_to_odd(total: Float[Tensor, ...], error: Float[Tensor, ...]) -> Tensor:
    """Move an inexact even ``total`` one float64 towards the exact value, so that it is odd."""
    is_even = (total.view(torch.int64) & 1) == 0
    inexact = torch.isfinite(total) & (error != 0)
    target = torch.where(error > 0, torch.inf, -torch.inf).to(total.dtype)
    return torch.where(inexact & is_even, torch.nextafter(total, target), total)
