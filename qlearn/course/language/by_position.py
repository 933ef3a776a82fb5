"""How well each byte of a window is foreseen: the more it can look back on, the better."""

from __future__ import annotations

import math

import torch
from jaxtyping import Float64
from torch import Tensor, nn

from qlearn.language.bits import CONTEXT, surprises


def bits_by_position(model: nn.Module, text: bytes) -> Float64[Tensor, "256"]:
    """Return the mean of ``−log₂ p`` for each place in windows of 256 bytes.

    The mean of all places is what ``bits_per_byte`` gives for the same whole windows.

    Raises:
        ValueError: the text has no whole window; and what ``bits_per_byte`` raises.
    """
    whole = len(text) // CONTEXT * CONTEXT
    if not whole:
        raise ValueError(f"the text has {len(text)} bytes: a window has {CONTEXT}")
    return torch.cat([part / math.log(2) for part in surprises(model, text[:whole])]).mean(0)
