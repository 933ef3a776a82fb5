"""Caches that change what comes, and a model that reads its windows through a cache."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from jaxtyping import Float32, Int64
from torch import Tensor, nn

from qlearn.course.language.memory import KeyValueCache
from qlearn.language.quantized_cache import Cache, Heads

Change = Callable[[Heads], Heads]


class RoundedCache(KeyValueCache):
    """A cache whose keys and values are changed at once when they come, each by a function.

    It is for texts that are read at once: in decoding a change sees one token at a time, and a
    scale for each channel would then be one for each number.

    Args:
        keys: the change of new keys; None for none.
        values: that of new values.

    >>> cache = RoundedCache(keys=torch.round)
    >>> cache.append(0, torch.full((1, 1, 1, 2), 0.7), torch.full((1, 1, 1, 2), 0.7))[0]
    tensor([[[[1., 1.]]]])
    """

    def __init__(self, keys: Change | None = None, values: Change | None = None) -> None:
        super().__init__()
        self.change_keys, self.change_values = keys, values

    def append(self, layer: int, keys: Heads, values: Heads) -> tuple[Heads, Heads]:
        """Add the next tokens, changed; return all so far, as they were stored."""
        keys = self.change_keys(keys) if self.change_keys else keys
        values = self.change_values(values) if self.change_values else values
        return super().append(layer, keys, values)


class WithCache(nn.Module):
    """A model that reads each window through a new cache of a kind, all tokens at once."""

    def __init__(self, model: nn.Module, new_cache: Callable[[], Cache]) -> None:
        super().__init__()
        self.model, self.new_cache = model, new_cache

    def forward(self, tokens: Int64[Tensor, "batch time"]) -> Float32[Tensor, "batch time 256"]:
        """Return the logits of the byte after each of ``tokens``."""
        logits: Tensor = self.model(tokens, self.new_cache())
        return logits


class ByteByByte(WithCache):
    """A model that reads each window as it is read in decoding: one token at a time."""

    def forward(self, tokens: Int64[Tensor, "batch time"]) -> Float32[Tensor, "batch time 256"]:
        """Return the logits of the byte after each of ``tokens``."""
        cache: Any = self.new_cache()
        return torch.cat([self.model(token, cache) for token in tokens.split(1, 1)], 1)


def with_changes(
    model: nn.Module, keys: Change | None = None, values: Change | None = None
) -> WithCache:
    """Return the model as it reads when keys and values are changed as they come."""
    return WithCache(model, lambda: RoundedCache(keys, values))
