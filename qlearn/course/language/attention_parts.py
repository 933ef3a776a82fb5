"""Queries, keys and values of a layer on a text, and the error of attention in two parts."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch.nn.functional import scaled_dot_product_attention

from qlearn.course.language.layers import hooked
from qlearn.course.language.memory import KeyValueCache
from qlearn.course.language.net import HEADS, LanguageModel, rotary
from qlearn.language.quantized_cache import Heads


class Parts(NamedTuple):
    """What attention computes with, behind rotary positions, a row for each token."""

    queries: Heads
    keys: Heads
    values: Heads


def attention_parts(model: LanguageModel, text: bytes, layer: int) -> Parts:
    """Return queries, keys and values of a layer when the model reads a text at once.

    Raises:
        ValueError: the text has no bytes.
    """
    if not text:
        raise ValueError("the text has no bytes, so there are no keys: pass one at least")
    found: list[Any] = []
    attention: Any = model.layers[layer].self_attn
    hook = attention.q_proj.register_forward_hook(lambda *call: found.append(call[2]))
    cache = KeyValueCache()
    with hooked(hook), torch.no_grad():
        model(torch.tensor([list(text)]), cache)
    queries = found[0].unflatten(-1, (HEADS, -1)).transpose(1, 2)
    return Parts(rotary(queries, 0), cache.keys[layer], cache.values[layer])


def error_parts(exact: Parts, keys: Heads, values: Heads) -> tuple[float, float, float]:
    """Return how far attention's output is off, as shares of its size: all, by keys, by values.

    With probabilities p and p′, before and after keys were changed, and values v and v′,
    ``p′v′ − pv = (p′ − p)·v + p′·(v′ − v)``: the first part is due to keys, the second to values.
    Computed in float64.
    """
    q, k, v, k2, v2 = (x.double() for x in (*exact, keys, values))
    whole = scaled_dot_product_attention(q, k, v, is_causal=True)
    other_keys = scaled_dot_product_attention(q, k2, v, is_causal=True)
    both = scaled_dot_product_attention(q, k2, v2, is_causal=True)
    size = whole.norm().item()
    parts = (both - whole, other_keys - whole, both - other_keys)
    off, by_keys, by_values = (part.norm().item() / size for part in parts)
    return off, by_keys, by_values
