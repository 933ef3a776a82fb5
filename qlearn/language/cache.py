"""A cache of keys and values in few bits, with a scale for each channel or for each token."""

from __future__ import annotations

from typing import Literal

from jaxtyping import Float
from torch import Tensor

from qlearn.checks import check_choice
from qlearn.checks.tensors import check_tensor
from qlearn.formats.groups import GroupedTensor, quantize_groups

Axis = Literal["channel", "token"]


def quantize_cache(
    x: Float[Tensor, "*heads tokens channels"], *, bits: int, axis: Axis
) -> GroupedTensor:
    """Return keys or values in codes, symmetric, as :func:`quantize_groups` rounds them.

    * "channel": one scale for each channel, over all tokens. A channel that is loud in every token,
      as some channels of keys are, then spoils no other.
    * "token": one scale for each token, over its channels. A new token is quantized alone.

    Args:
        x: float32, bfloat16 or float16, with the tokens on the last axis but one.
        bits: 1 to 8.
        axis: what each scale belongs to.

    Raises:
        TypeError: ``x`` is no such tensor, or bits is no integer.
        ValueError: another axis; fewer than two dimensions; an empty cache; infinities or NaN;
            bits outside 1 … 8; a group too wide for float32.

    Source: Liu et al., KIVI, arXiv 2402.02750, which has keys by channel, in groups of tokens, and
    values by token, both with zero points.

    >>> import torch
    >>> keys = torch.tensor([[0.1, 70.0], [-0.7, 75.0]])
    >>> quantize_cache(keys, bits=4, axis="channel").scales
    tensor([[ 0.0933, 10.0000]])
    >>> quantize_cache(keys, bits=4, axis="token").codes
    tensor([[0, 7],
            [0, 7]], dtype=torch.int8)
    """
    check_tensor(x, "x", "a float32, bfloat16 or float16 tensor")
    check_choice(axis, "axis", ("channel", "token"))
    if x.ndim < 2 or x.numel() == 0:
        raise ValueError(
            f"x has shape {tuple(x.shape)}, but a cache is (…, tokens, channels) and holds one "
            "token at least: run the model on some text first"
        )
    along = -2 if axis == "channel" else -1
    return quantize_groups(x, bits=bits, group_size=x.shape[along], axis=along)
