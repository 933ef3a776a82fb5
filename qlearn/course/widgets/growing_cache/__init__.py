"""A cache to watch: keys and values of one head, token by token, in few bits."""

from __future__ import annotations

from typing import Any

from jaxtyping import Float32
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention as attention
from traitlets import Bool, Bytes, Enum, Int

from qlearn.course.widgets.shared.figure import Figure
from qlearn.course.widgets.shared.traits import present
from qlearn.course.widgets.shared.values import loaded, matrix_shape, stored
from qlearn.language.quantized_cache import QuantizedCache

LOUDER = 8  # a power of two, so that what the query is divided by leaves every bit
AXES = ("channel", "token")
Head = Float32[Tensor, "tokens channels"]


class GrowingCache(Figure):
    """Show which numbers of a cache share a scale, its bytes, and how far attention is off.

    The cache is a ``QuantizedCache``; the query of the newest token asks all keys.

    Args:
        keys, values, queries: float32, of one head, a row for each token; after rotary positions.
        start: the ``tokens`` so far; ``group_size``; ``bits``, 8, 4, 3 or 2; ``key_axis`` and
            ``value_axis``, "channel" or "token"; a ``channel``, and whether it is ``loud``: its
            keys 8 times as large, its queries divided by 8.

    >>> import torch
    >>> chance = torch.Generator().manual_seed(0)
    >>> head = [torch.randn(12, 8, generator=chance) for _ in range(3)]
    >>> GrowingCache(*head, tokens=10, group_size=4)
    GrowingCache(10 tokens, 4 bits, keys by channel, values by token): 156 of 320 bytes, 4.8 % off
    """

    numbers = Bytes().tag(sync=True)
    channels = Int(1, min=1).tag(sync=True)
    tokens = Int(1, min=1).tag(sync=True)
    group_size = Int(8, min=1).tag(sync=True)
    bits = Enum((8, 4, 3, 2), 4).tag(sync=True)
    key_axis = Enum(AXES, "channel").tag(sync=True)
    value_axis = Enum(AXES, "token").tag(sync=True)
    channel = Int(0, min=0).tag(sync=True)
    loud = Bool(False).tag(sync=True)
    _check_channel = present("channel", lambda self: range(self.channels))
    _check_tokens = present("tokens", lambda self: range(1, len(self.head[0]) + 1))

    def __init__(self, keys: Head, values: Head, queries: Head, **start: Any) -> None:
        tokens, channels = matrix_shape(keys, "keys", "a token")
        if not keys.shape == values.shape == queries.shape:
            shapes = [tuple(x.shape) for x in (keys, values, queries)]
            raise ValueError(f"keys, values and queries have shapes {shapes}: pass those of a head")
        numbers = stored(keys=keys, values=values, queries=queries)
        super().__init__(numbers=numbers, channels=channels, **{"tokens": tokens} | start)

    @property
    def head(self) -> tuple[Head, Head, Head]:
        """Keys, values and queries of all tokens."""
        keys, values, queries = loaded(self.numbers).view(3, -1, self.channels)
        if self.loud:
            keys[:, self.channel] *= LOUDER
            queries[:, self.channel] /= LOUDER
        return keys, values, queries

    @property
    def held(self) -> tuple[Head, Head, float]:
        """Keys and values as the cache gives them, and its bytes."""
        axes: Any = {"keys": self.key_axis, "values": self.value_axis}
        cache = QuantizedCache(bits=self.bits, group_size=self.group_size, **axes)
        keys, values = (x[None, None, : self.tokens] for x in self.head[:2])
        back = cache.append(0, keys, values)
        return back[0][0, 0], back[1][0, 0], cache.bytes

    @property
    def error(self) -> float:
        """The size of the error of attention's output, as a share of the output's own."""
        keys, values, queries = (x[: self.tokens].double() for x in self.head)
        exact = attention(queries[-1:], keys, values)
        held = [x.double() for x in self.held[:2]]
        off = attention(queries[-1:], held[0], held[1]) - exact
        return (off.norm() / (exact.norm() or 1.0)).item()

    def __repr__(self) -> str:
        """Say in one line what the widget shows; a notebook's re-run compares it."""
        loud = f", channel {self.channel} loud" if self.loud else ""
        cache = f"{self.bits} bits, keys by {self.key_axis}, values by {self.value_axis}{loud}"
        size = f"{self.held[2]:,.0f} of {4 * self.tokens * self.channels:,} bytes"
        return f"GrowingCache({self.tokens} tokens, {cache}): {size}, {100 * self.error:.1f} % off"
