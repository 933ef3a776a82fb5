"""Caches that hold codes: keys and values come back from them a little changed."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, get_args

import torch
from jaxtyping import Float32, Int64
from torch import Tensor, nn

from qlearn.checks import check_choice, check_integer
from qlearn.course.language.memory import Cache, Heads, KeyValueCache
from qlearn.formats.groups import GroupedTensor, quantize_groups
from qlearn.language.cache import Axis, quantize_cache

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


class QuantizedCache(Cache):
    """A cache of codes. Tokens that share a scale wait in float until their group is full.

    A scale for each channel belongs to many tokens, so it can be chosen only when they are there.
    A scale for each token needs no other: such tokens never wait. KIVI (Liu et al., arXiv
    2402.02750) holds keys so; of values it leaves the newest in float, too.

    Args:
        bits: 1 to 8, for keys and values.
        group_size: tokens that share the scales of their channels.
        keys: "channel" for a scale for each channel of a group, "token" for one for each token.
        values: the same for values.
        symmetric: False for a zero point beside each scale, as KIVI has.

    Raises:
        TypeError: ``bits`` or ``group_size`` is no integer.
        ValueError: ``bits`` is outside 1 … 8, or ``group_size`` below 1; ``keys`` or ``values`` is
            another word. From ``append``: infinities or NaN.

    >>> cache = QuantizedCache(bits=4, group_size=32)
    >>> _ = cache.append(0, torch.ones(1, 4, 70, 32), torch.ones(1, 4, 70, 32))
    >>> cache.tokens(0), cache.waiting(0)
    (70, (6, 0))
    """

    def __init__(
        self,
        *,
        bits: int = 4,
        group_size: int = 32,
        keys: Axis = "channel",
        values: Axis = "token",
        symmetric: bool = True,
    ) -> None:
        check_integer(bits, "bits", 1, 8)
        check_integer(group_size, "group_size", 1)
        check_choice(keys, "keys", get_args(Axis))
        check_choice(values, "values", get_args(Axis))
        held = partial(Held, bits=bits, group_size=group_size, symmetric=symmetric)
        self.new_keys, self.new_values = partial(held, axis=keys), partial(held, axis=values)
        self.layers: list[tuple[Held, Held]] = []

    def tokens(self, layer: int) -> int:
        """Return how many tokens a layer has seen."""
        return self.layers[layer][0].tokens if layer < len(self.layers) else 0

    def waiting(self, layer: int) -> tuple[int, int]:
        """Return how many keys and how many values of a layer are still in float."""
        if layer >= len(self.layers):
            return 0, 0
        keys, values = self.layers[layer]
        return keys.waiting.shape[2], values.waiting.shape[2]

    def append(self, layer: int, keys: Heads, values: Heads) -> tuple[Heads, Heads]:
        """Add the next tokens, quantize groups that became full, return all as they are held."""
        if layer == len(self.layers):
            self.layers.append((self.new_keys(keys[:, :, :0]), self.new_values(values[:, :, :0])))
        held = self.layers[layer]
        return held[0].append(keys), held[1].append(values)

    @property
    def bytes(self) -> float:
        """Return what the cache takes: packed codes, and 16 bits for a scale or a float."""
        return sum(held.bits for layer in self.layers for held in layer) / 8


class Held:
    """The keys of a layer, or its values: groups in codes, then those that wait in float."""

    def __init__(
        self, none_yet: Heads, *, bits: int, axis: Axis, group_size: int, symmetric: bool
    ) -> None:
        self.code_bits, self.axis, self.symmetric = bits, axis, symmetric
        # A scale for each channel needs a full group, one for each token only this token.
        self.at_once = group_size if axis == "channel" else 1
        self.groups: list[GroupedTensor] = []
        # What the codes mean. A kernel computes it as it reads; here it is computed once.
        self.back = self.waiting = none_yet

    @property
    def tokens(self) -> int:
        """Return how many tokens there are, in codes and in float."""
        return self.back.shape[2] + self.waiting.shape[2]

    @property
    def bits(self) -> float:
        """Return the bits of codes, scales and floats."""
        coded = [group.codes.numel() * group.bits_per_weight for group in self.groups]
        return sum(map(round, coded)) + 16 * self.waiting.numel()

    def quantized(self, part: Heads) -> GroupedTensor:
        """Return some tokens in codes."""
        if self.symmetric:
            return quantize_cache(part, bits=self.code_bits, axis=self.axis)
        along = -2 if self.axis == "channel" else -1
        size = part.shape[along]
        return quantize_groups(
            part, bits=self.code_bits, group_size=size, symmetric=False, axis=along
        )

    def append(self, x: Heads) -> Heads:
        """Add tokens, quantize what is full, return all."""
        waiting = torch.cat([self.waiting, x], 2)
        full = waiting.shape[2] // self.at_once * self.at_once
        ready, self.waiting = waiting[:, :, :full], waiting[:, :, full:]
        # Tokens with scales of their own are not grouped: all that are ready make one part.
        parts = ready.split(self.at_once, 2) if self.axis == "channel" else (ready,)
        groups = [self.quantized(part) for part in parts if part.numel()]
        self.groups += groups
        self.back = torch.cat([self.back, *(group.dequantize() for group in groups)], 2)
        return torch.cat([self.back, self.waiting], 2)


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
