"""What a language model keeps of the text so far: in each layer a key and a value a token."""

from __future__ import annotations

import torch

from qlearn.language.quantized_cache import Cache, Heads


class KeyValueCache(Cache):
    """Keys and values of every token so far, in float32, layer by layer.

    >>> cache = KeyValueCache()
    >>> _ = cache.append(0, torch.zeros(1, 4, 7, 32), torch.zeros(1, 4, 7, 32))
    >>> cache.tokens(0), cache.tokens(1)
    (7, 0)
    """

    def __init__(self) -> None:
        self.keys: list[Heads] = []
        self.values: list[Heads] = []

    def tokens(self, layer: int) -> int:
        """Return how many tokens a layer has seen."""
        return self.keys[layer].shape[2] if layer < len(self.keys) else 0

    def append(self, layer: int, keys: Heads, values: Heads) -> tuple[Heads, Heads]:
        """Add the next tokens; return keys and values of all so far, as attention sees them."""
        if layer == len(self.keys):
            self.keys.append(keys)
            self.values.append(values)
        else:
            self.keys[layer] = torch.cat([self.keys[layer], keys], 2)
            self.values[layer] = torch.cat([self.values[layer], values], 2)
        return self.keys[layer], self.values[layer]
