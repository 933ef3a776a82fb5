"""The cache of keys and values: what it returns is what came, in order, layer by layer."""

from __future__ import annotations

import torch

from qlearn.course import normal
from qlearn.course.language.memory import KeyValueCache


def test_tokens_come_back_in_order() -> None:
    keys, values = normal(2, 1, 2, 9, 4, generator=torch.Generator().manual_seed(0))
    cache = KeyValueCache()
    for part in (slice(0, 4), slice(4, 5), slice(5, 9)):
        seen = cache.append(0, keys[:, :, part], values[:, :, part])
    assert torch.equal(seen[0], keys)
    assert torch.equal(seen[1], values)


def test_layers_are_apart() -> None:
    cache = KeyValueCache()
    ones = torch.ones(1, 2, 3, 4)
    for layer in (0, 1):
        cache.append(layer, ones * layer, ones)
    cache.append(1, ones, ones)
    assert [cache.tokens(layer) for layer in range(3)] == [3, 6, 0]
    assert cache.keys[0].sum() == 0


def test_what_came_is_not_changed() -> None:
    first = torch.ones(1, 1, 2, 4)
    cache = KeyValueCache()
    cache.append(0, first, first)
    cache.append(0, 2 * first, first)
    assert torch.equal(first, torch.ones(1, 1, 2, 4))
