"""Bits per byte: how well a language model foresees a text, in a unit that files have too."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

CONTEXT = 256  # bytes in a window
WINDOWS = 16  # that are computed together
NEWLINE = 10  # stands before the text, so that its first byte is foretold too


def bits_per_byte(model: nn.Module, text: bytes) -> float:
    """Return the mean of ``−log₂ p`` over a text, p what the model gave the byte that came.

    The text is cut into windows of 256 bytes, and of each window every byte is foretold from the
    byte before the window (a newline before the first) and those before it inside. 8 bits is what
    equal odds for all 256 bytes cost. Probabilities are added up in float64.

    Args:
        model: takes int64 bytes (batch, time), returns logits (batch, time, 256).
        text: at least one byte.

    Raises:
        TypeError: ``text`` is no bytes, or ``model`` cannot be called.
        ValueError: it is empty, or the logits have another shape or are not all finite.

    >>> class Even(nn.Module):
    ...     def forward(self, tokens):
    ...         return torch.zeros(*tokens.shape, 256)
    >>> bits_per_byte(Even(), b"any text")
    8.0
    """
    if not callable(model):
        raise TypeError(f"model is {model!r}, but must be a module that takes bytes as numbers")
    if not isinstance(text, bytes):
        raise TypeError(
            f"text is of type {type(text).__name__}, but the model reads bytes: "
            "pass text.encode() of a str"
        )
    if not text:
        raise ValueError("the text has no bytes, so there is no mean over them: pass one at least")
    tokens = torch.tensor([NEWLINE, *text])
    whole = len(text) // CONTEXT * CONTEXT
    before, coming = tokens[:-1], tokens[1:]
    parts = [t[:whole].view(-1, CONTEXT).split(WINDOWS) for t in (before, coming)]
    pairs = [*zip(*parts, strict=True), (before[None, whole:], coming[None, whole:])]
    return sum(surprise(model, *pair) for pair in pairs if pair[0].numel()) / len(text)


def surprise(model: nn.Module, before: Tensor, coming: Tensor) -> float:
    """Return the sum of ``−log₂ p`` of the bytes that came."""
    with torch.no_grad():
        logits = model(before)
    if logits.shape != (*before.shape, 256):
        raise ValueError(
            f"the model returned logits of shape {tuple(logits.shape)} for {tuple(before.shape)} "
            "bytes: each byte needs 256 of them"
        )
    if not logits.isfinite().all():
        raise ValueError(
            "the model returned logits that are infinite or NaN: look for the layer where they "
            "begin, for example with torch.isfinite in a forward hook"
        )
    likely = logits.double().log_softmax(-1).gather(-1, coming[..., None])
    return -likely.sum().item() / math.log(2)
