"""Caches that change what comes, and what reading byte by byte changes."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from qlearn import QuantizedCache
from qlearn.course import normal
from qlearn.course.language.memory import KeyValueCache
from qlearn.course.language.rounded_cache import ByteByByte, RoundedCache, WithCache, with_changes
from qlearn.language.quantized_cache import Cache


@pytest.fixture
def heads() -> Tensor:
    return normal(2, 1, 2, 21, 6, generator=torch.Generator().manual_seed(0))


def fill(cache: Cache, heads: Tensor, pieces: list[int]) -> tuple[Tensor, Tensor]:
    """Append in pieces; return what the last call returned."""
    for keys, values in zip(heads[0].split(pieces, 2), heads[1].split(pieces, 2), strict=True):
        seen = cache.append(0, keys, values)
    return seen


def test_changes_are_made_as_tokens_come(heads) -> None:
    keys, values = fill(RoundedCache(keys=torch.round), heads, [10, 11])
    assert torch.equal(keys, heads[0].round())
    assert torch.equal(values, heads[1])
    keys, values = fill(RoundedCache(values=torch.floor), heads, [10, 11])
    assert torch.equal(keys, heads[0])
    assert torch.equal(values, heads[1].floor())


def test_models_read_through_caches(model) -> None:
    tokens = torch.randint(256, (2, 20), generator=torch.Generator().manual_seed(1))
    with torch.no_grad():
        exact = model(tokens)
        assert torch.equal(WithCache(model, KeyValueCache)(tokens), exact)
        assert torch.equal(with_changes(model, lambda x: x)(tokens), exact)
        no_values = with_changes(model, values=torch.zeros_like)(tokens)
        assert not torch.allclose(no_values, exact)
        near = {"rtol": 0, "atol": 1e-5}  # sums of float32 in another order
        torch.testing.assert_close(ByteByByte(model, KeyValueCache)(tokens), exact, **near)
        rounded = WithCache(model, lambda: QuantizedCache(bits=2, group_size=8))(tokens)
        newest = ByteByByte(model, lambda: QuantizedCache(bits=2, group_size=8))(tokens)
    assert (rounded - exact).abs().max() > 1e-3
    assert not torch.allclose(rounded, newest)  # in decoding, the newest keys are float
