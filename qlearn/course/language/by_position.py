"""How well each byte of a window is foreseen: the more it can look back on, the better."""

from __future__ import annotations

import math

import torch
from jaxtyping import Float64
from torch import Tensor, nn

from qlearn.language.bits import CONTEXT, NEWLINE, WINDOWS


def bits_by_position(model: nn.Module, text: bytes) -> Float64[Tensor, "256"]:
    """Return the mean of ``−log₂ p`` for each place in windows of 256 bytes.

    The mean of all places is what ``bits_per_byte`` gives for the same whole windows.

    Raises:
        ValueError: the text has no whole window.
    """
    whole = len(text) // CONTEXT * CONTEXT
    if not whole:
        raise ValueError(f"the text has {len(text)} bytes: a window has {CONTEXT}")
    tokens = torch.tensor([NEWLINE, *text[:whole]])
    before, coming = tokens[:-1].view(-1, CONTEXT), tokens[1:].view(-1, CONTEXT)
    found = []
    with torch.no_grad():
        for windows, truth in zip(before.split(WINDOWS), coming.split(WINDOWS), strict=True):
            likely = model(windows).double().log_softmax(-1)
            found.append(-likely.gather(-1, truth[..., None])[..., 0] / math.log(2))
    return torch.cat(found).mean(0)
