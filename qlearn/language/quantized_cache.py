"""A cache of keys and values in codes, as tokens come: those that share a scale wait in float."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import partial
from typing import get_args

import torch
from jaxtyping import Float32
from torch import Tensor

from qlearn.checks import check_choice, check_flag, check_float32, check_integer
from qlearn.checks.finite import check_finite
from qlearn.formats.groups import GroupedTensor, quantize_groups
from qlearn.language.cache import Axis, quantize_cache

Heads = Float32[Tensor, "batch heads time channels"]


class Cache(ABC):
    """What attention needs of a cache, of whatever kind it is."""

    @abstractmethod
    def tokens(self, layer: int) -> int:
        """Return how many tokens a layer has seen."""

    @abstractmethod
    def append(self, layer: int, keys: Heads, values: Heads) -> tuple[Heads, Heads]:
        """Add the next tokens; return keys and values of all so far, as attention sees them."""


class QuantizedCache(Cache):
    """A cache of codes. Tokens that share a scale wait in float until their group is full.

    A scale for each channel belongs to many tokens, so it can be chosen only when they are there.
    A scale for each token needs no other: such tokens never wait. So after n tokens

    * "channel": the first ``⌊n / group_size⌋ · group_size`` are in codes, in groups of
      ``group_size`` tokens with a scale for each channel, and the others are the floats that came;
    * "token": all are in codes, with a scale for each head of a token.

    The codes are those of :func:`quantize_cache`, or with zero points of :func:`quantize_groups`.
    What is held does not depend on how many tokens come at once.

    Args:
        bits: 1 to 8, for keys and values.
        group_size: tokens that share the scales of their channels.
        keys: "channel" for a scale for each channel of a group, "token" for one for each token.
        values: the same for values.
        symmetric: False for a zero point beside each scale, as KIVI has.

    Raises:
        TypeError: ``bits`` or ``group_size`` is no integer, or ``symmetric`` neither True nor
            False; a layer is no integer. From ``append``: keys or values are not float32.
        ValueError: ``bits`` is outside 1 … 8, or ``group_size`` below 1; ``keys`` or ``values`` is
            another word; a layer is below 0. From ``append``: infinities or NaN; shapes that are no
            heads, or not those that the layer has seen; a layer that skips one; groups that are too
            wide for float32. What is refused is not held.

    Source: KIVI, Liu et al., arXiv 2402.02750, which holds keys so; of values it leaves the newest
    in float, too.

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
        """Check the options; there is nothing in any layer."""
        check_integer(bits, "bits", 1, 8)
        check_integer(group_size, "group_size", 1)
        check_choice(keys, "keys", get_args(Axis))
        check_choice(values, "values", get_args(Axis))
        check_flag(symmetric, "symmetric")
        held = partial(Held, bits=bits, group_size=group_size, symmetric=symmetric)
        self.new_keys, self.new_values = partial(held, axis=keys), partial(held, axis=values)
        self.layers: list[tuple[Held, Held]] = []

    def tokens(self, layer: int) -> int:
        """Return how many tokens a layer has seen."""
        check_integer(layer, "layer", 0)
        return self.layers[layer][0].tokens if layer < len(self.layers) else 0

    def waiting(self, layer: int) -> tuple[int, int]:
        """Return how many keys and how many values of a layer are still in float."""
        check_integer(layer, "layer", 0)
        if layer >= len(self.layers):
            return 0, 0
        keys, values = self.layers[layer]
        return keys.waiting.shape[2], values.waiting.shape[2]

    def append(self, layer: int, keys: Heads, values: Heads) -> tuple[Heads, Heads]:
        """Add the next tokens, quantize groups that became full, return all as they are held.

        Args:
            layer: 0 for the first; each is begun after the one before it.
            keys: float32, (batch, heads, tokens, channels).
            values: as many tokens for as many heads.
        """
        check_integer(layer, "layer", 0, len(self.layers))
        _check_heads(keys, "keys")
        _check_heads(values, "values")
        if values.shape[:3] != keys.shape[:3]:
            raise ValueError(
                f"keys have shape {tuple(keys.shape)} and values {tuple(values.shape)}: each token "
                "of each head has one of both, so only the channels may differ"
            )
        if new := layer == len(self.layers):
            held = self.new_keys(keys[:, :, :0]), self.new_values(values[:, :, :0])
        else:
            held = self.layers[layer]
        coming_keys, coming_values = held[0].prepared(keys), held[1].prepared(values)
        if new:
            self.layers.append(held)
        return held[0].hold(*coming_keys), held[1].hold(*coming_values)

    @property
    def bytes(self) -> float:
        """Return its size: packed codes, and 16 bits for a scale, a zero point or a float."""
        return sum(held.bits for layer in self.layers for held in layer) / 8


class Held:
    """The keys of a layer, or its values: groups in codes, then those that wait in float."""

    def __init__(
        self, none_yet: Heads, *, bits: int, axis: Axis, group_size: int, symmetric: bool
    ) -> None:
        """Begin with no token."""
        self.code_bits, self.axis, self.symmetric = bits, axis, symmetric
        # A scale for each channel needs a full group, one for each token only this token.
        self.at_once = group_size if axis == "channel" else 1
        self.groups: list[GroupedTensor] = []
        # What the codes mean. A kernel computes it as it reads; here it is computed once.
        self.back = self.waiting = none_yet.detach()

    @property
    def tokens(self) -> int:
        """Return how many tokens there are, in codes and in float."""
        return self.back.shape[2] + self.waiting.shape[2]

    @property
    def bits(self) -> float:
        """Return the bits of codes, scales, zero points and floats."""
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

    def prepared(self, x: Heads) -> tuple[list[GroupedTensor], Heads]:
        """Return the groups that new tokens fill, and the tokens that wait; nothing is held yet."""
        before = (*self.waiting.shape[:2], self.waiting.shape[3])
        if (*x.shape[:2], x.shape[3]) != before:
            raise ValueError(
                f"the new tokens have shape {tuple(x.shape)}, but the layer has seen batches, "
                f"heads and channels of {before}: take a new cache for another text"
            )
        waiting = torch.cat([self.waiting, x.detach()], 2)
        full = waiting.shape[2] // self.at_once * self.at_once
        ready, waiting = waiting[:, :, :full], waiting[:, :, full:]
        # Tokens with scales of their own are not grouped: all that are ready make one part.
        parts = ready.split(self.at_once, 2) if self.axis == "channel" else (ready,)
        return [self.quantized(part) for part in parts if part.numel()], waiting

    def hold(self, groups: list[GroupedTensor], waiting: Heads) -> Heads:
        """Add these groups, let the others wait, return all tokens."""
        self.groups += groups
        self.waiting = waiting
        self.back = torch.cat([self.back, *(group.dequantize() for group in groups)], 2)
        return torch.cat([self.back, self.waiting], 2)


def _check_heads(x: Heads, name: str) -> None:
    """Raise unless these are the float32 keys or values of some heads, all finite."""
    check_float32(x, name)
    if x.ndim != 4 or not (x.shape[0] and x.shape[1] and x.shape[3]):
        raise ValueError(
            f"{name} have shape {tuple(x.shape)}, but must be (batch, heads, tokens, channels): "
            "pass what attention computes in one layer"
        )
    if x.numel():
        check_finite(x, *x.detach().aminmax(), name=name)
