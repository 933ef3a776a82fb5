"""Text that a language model writes: byte by byte, from a cache of what it has read."""

from __future__ import annotations

import random
from typing import Any

import torch
from torch import nn

from qlearn.checks import check_integer
from qlearn.course.language.memory import KeyValueCache
from qlearn.course.language.net import CONTEXT
from qlearn.language.quantized_cache import Cache


def sample(
    model: nn.Module,
    prompt: str,
    *,
    length: int = 120,
    temperature: float = 0.7,
    seed: int = 0,
    cache: Cache | None = None,
) -> str:
    """Return what the model writes after a prompt; prompt and text have 256 bytes at most together.

    Each byte is drawn by Python's own random numbers, from probabilities in float64: the same seed
    draws the same way on every machine.

    Args:
        model: takes bytes and a cache, as ``LanguageModel`` does.
        prompt: what the text begins with.
        length: bytes to write, 0 or more.
        temperature: divides the logits; below 1 the likely bytes become likelier.
        seed: of the draws.
        cache: an empty one, if it is to be another than ``KeyValueCache``.

    Raises:
        TypeError: ``length`` is no integer.
        ValueError: the prompt is empty, or too long; ``length`` is below 0; the temperature is not
            above 0; the cache holds tokens.
    """
    check_integer(length, "length", 0)
    tokens: Any = list(prompt.encode())
    if not tokens or len(tokens) + length > CONTEXT:
        raise ValueError(
            f"prompt and text have {len(tokens)} and {length} bytes: the prompt needs one, and "
            f"the model reads {CONTEXT} in all"
        )
    if not temperature > 0:
        raise ValueError(
            f"temperature is {temperature}: it divides the logits, so it must be above 0; with "
            "0.01 nearly always the likeliest byte is drawn"
        )
    cache = KeyValueCache() if cache is None else cache
    if cache.tokens(0):
        raise ValueError(
            f"the cache holds {cache.tokens(0)} tokens of another text, which the model would read "
            "before the prompt: pass an empty one"
        )
    chance, written = random.Random(seed), []
    for _ in range(length):
        with torch.no_grad():
            logits = model(torch.tensor([tokens]), cache)[0, -1]
        odds = (logits.double() / temperature).softmax(0).cumsum(0)
        tokens = [min(255, int((odds < chance.random()).sum()))]
        written += tokens
    return bytes_to_text(written)


def bytes_to_text(codes: list[int]) -> str:
    """Return bytes as text, on one line; what is no UTF-8 or cannot be printed becomes a dot."""
    text = bytes(codes).decode("utf-8", errors="replace")
    return "".join(
        letter if letter.isprintable() and letter != "\ufffd" else "·" for letter in text
    )
