"""Bits per byte: how well a language model foresees a text, in a unit that files have too."""

from __future__ import annotations

import math
from collections.abc import Iterator

import torch
from jaxtyping import Float64, Int64
from torch import Tensor, nn

from qlearn.models.calls import run_model

CONTEXT = 256  # bytes in a window
WINDOWS = 16  # that are computed together
NEWLINE = 10  # stands before the text, so that its first byte is foretold too


def bits_per_byte(model: nn.Module, text: bytes) -> float:
    """Return the mean of ``−log₂ p`` over a text, p what the model gave the byte that came.

    The text is cut into windows of 256 bytes, and of each window every byte is foretold from the
    byte before the window (a newline before the first) and those before it inside. 8 bits is what
    equal odds for all 256 bytes cost. Probabilities are added up in float64.

    Args:
        model: takes int64 bytes (batch, time), returns logits (batch, time, 256). It is shown the
            bytes on the device of its first parameter. It must be in eval mode: dropout would draw
            another result at each call.
        text: at least one byte.

    Raises:
        TypeError: ``text`` is no bytes, ``model`` cannot be called, or it returns no tensor.
        ValueError: ``text`` is empty, the model does not run on bytes, or the logits have another
            shape or are not all finite.

    Source: bits per byte as in Gao et al., The Pile, arXiv 2101.00027. It is the mean of
    ``torch.nn.functional.cross_entropy`` divided by ln 2, in float64 here.

    >>> class Even(nn.Module):
    ...     def forward(self, tokens):
    ...         return torch.zeros(*tokens.shape, 256)
    >>> bits_per_byte(Even(), b"any text")
    8.0
    """
    return sum(part.sum().item() / math.log(2) for part in surprises(model, text)) / len(text)


def surprises(model: nn.Module, text: bytes) -> Iterator[Float64[Tensor, "batch time"]]:
    """Yield ``−ln p`` of each byte, windows together: whole ones first, then what is left."""
    if not callable(model) or isinstance(model, type):
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
    for pair in pairs:
        if pair[0].numel():
            yield surprise(model, *pair)


def surprise(
    model: nn.Module, before: Int64[Tensor, "batch time"], coming: Int64[Tensor, "batch time"]
) -> Float64[Tensor, "batch time"]:
    """Return ``−ln p`` of the bytes that came."""
    first = next(model.parameters(), None) if isinstance(model, nn.Module) else None
    given = before if first is None else before.to(first.device)
    logits = run_model(model, given)
    if not isinstance(logits, Tensor):
        raise TypeError(
            f"the model returned a {type(logits).__name__}: pass one that returns logits alone, a "
            "tensor of shape (batch, time, 256)"
        )
    logits = logits.cpu()
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
    return -logits.double().log_softmax(-1).gather(-1, coming[..., None])[..., 0]
