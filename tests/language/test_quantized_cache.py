"""Caches of codes: who waits, what comes back, and what it takes."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from qlearn import QuantizedCache, quantize_cache, quantize_groups
from qlearn.course import normal
from qlearn.language.quantized_cache import Cache


@pytest.fixture
def heads() -> Tensor:
    return normal(2, 1, 2, 21, 6, generator=torch.Generator().manual_seed(0))


def fill(cache: Cache, heads: Tensor, pieces: list[int]) -> tuple[Tensor, Tensor]:
    """Append in pieces; return what the last call returned."""
    for keys, values in zip(heads[0].split(pieces, 2), heads[1].split(pieces, 2), strict=True):
        seen = cache.append(0, keys, values)
    return seen


def test_full_groups_are_codes_and_the_rest_is_float(heads) -> None:
    keys, values = fill(QuantizedCache(bits=4, group_size=8), heads, [21])
    for group in (slice(0, 8), slice(8, 16)):
        expected = quantize_cache(heads[0][:, :, group], bits=4, axis="channel").dequantize()
        assert torch.equal(keys[:, :, group], expected)
    assert torch.equal(keys[:, :, 16:], heads[0][:, :, 16:])
    assert torch.equal(values, quantize_cache(heads[1], bits=4, axis="token").dequantize())


@pytest.mark.parametrize("pieces", [[1] * 21, [3, 1, 17], [8, 13], [7, 2, 12]])
@pytest.mark.parametrize("keys", ["channel", "token"])
def test_the_same_is_held_however_tokens_come(heads, pieces, keys) -> None:
    at_once = fill(QuantizedCache(bits=3, group_size=8, keys=keys), heads, [21])
    cache = QuantizedCache(bits=3, group_size=8, keys=keys)
    found = fill(cache, heads, pieces)
    assert torch.equal(found[0], at_once[0])
    assert torch.equal(found[1], at_once[1])
    assert (cache.tokens(0), cache.tokens(1)) == (21, 0)
    assert cache.waiting(0) == (5 if keys == "channel" else 0, 0)


def test_bytes_are_counted_by_hand(heads) -> None:
    cache = QuantizedCache(bits=4, group_size=8)
    fill(cache, heads, [21])
    keys = 16 * 12 * 4 + 2 * 12 * 16 + 5 * 12 * 16  # codes, scales of two groups, five in float
    values = 21 * 12 * 4 + 21 * 2 * 16  # codes, and a scale for each token of both heads
    assert cache.bytes == (keys + values) / 8


def test_zero_points_are_quantize_groups_and_are_counted(heads) -> None:
    cache = QuantizedCache(bits=3, group_size=7, symmetric=False)
    keys, values = fill(cache, heads + 5, [4, 17])
    rule = {"bits": 3, "symmetric": False}
    expected = quantize_groups(heads[0] + 5, group_size=7, axis=-2, **rule).dequantize()
    assert torch.equal(keys, expected)
    expected = quantize_groups(heads[1] + 5, group_size=6, axis=-1, **rule).dequantize()
    assert torch.equal(values, expected)
    both = 21 * 12 * 3  # the codes of keys; as many of values
    assert cache.bytes == pytest.approx((2 * both + 3 * 12 * 32 + 21 * 2 * 32) / 8, rel=1e-12)


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize(
    ("argument", "error", "said"),
    [
        ({"group_size": 0}, ValueError, "group_size must be an integer of at least 1, not 0"),
        ({"group_size": 1.5}, TypeError, "group_size must be an integer of at least 1, not 1.5"),
        ({"group_size": "32"}, TypeError, "group_size must be an integer .*, not '32'"),
        ({"bits": 99}, ValueError, "bits must be an integer from 1 to 8, not 99"),
        ({"keys": "chanel"}, ValueError, "keys must be 'channel' or 'token', not 'chanel'"),
        ({"values": "head"}, ValueError, "values must be 'channel' or 'token', not 'head'"),
        ({"symmetric": 1}, TypeError, "symmetric must be True or False, not 1"),
    ],
)
def test_arguments_are_checked_before_a_token_comes(symmetric, argument, error, said) -> None:
    with pytest.raises(error, match=said):
        QuantizedCache(**{"symmetric": symmetric, **argument})


def test_in_a_layer_that_saw_nothing_nothing_waits() -> None:
    assert QuantizedCache().waiting(3) == (0, 0)


def test_what_cannot_be_quantized_is_said(heads) -> None:
    with pytest.raises(ValueError, match="keys holds infinities or NaN"):
        fill(QuantizedCache(group_size=8), heads * torch.nan, [21])


@pytest.mark.parametrize(
    ("layer", "change", "error", "said"),
    [
        (2, {}, ValueError, "layer must be an integer from 0 to 1, not 2"),
        (0.0, {}, TypeError, "layer must be an integer from 0 to 1, not 0.0"),
        (0, {"keys": torch.ones(1, 2, 3)}, ValueError, r"keys have shape \(1, 2, 3\), but must be"),
        (0, {"keys": torch.ones(1, 2, 4, 0)}, ValueError, r"keys have shape \(1, 2, 4, 0\)"),
        (0, {"values": [1.0]}, TypeError, "values is a list"),
        (0, {"keys": torch.ones(1, 2, 4, 6).half()}, TypeError, "keys has dtype torch.float16"),
        (0, {"values": torch.ones(1, 2, 3, 6)}, ValueError, "so only the channels may differ"),
        (0, {"values": torch.ones(1, 2, 4, 5)}, ValueError, r"the layer has seen .* \(1, 2, 6\)"),
        (0, {"values": torch.full((1, 2, 4, 6), 3e38)}, ValueError, "a group is too wide for"),
        (1, {"values": torch.full((1, 2, 4, 6), 3e38)}, ValueError, "a group is too wide for"),
    ],
)
def test_what_is_refused_is_not_held(heads, layer, change, error, said) -> None:
    cache = QuantizedCache(bits=2, group_size=3)
    before = fill(cache, heads, [21])
    size = cache.bytes
    tokens = {"keys": torch.ones(1, 2, 4, 6), "values": torch.ones(1, 2, 4, 6)} | change
    with pytest.raises(error, match=said):
        cache.append(layer, **tokens)
    assert (cache.tokens(0), cache.tokens(1), cache.bytes) == (21, 0, size)
    nothing = heads[0][:, :, :0], heads[1][:, :, :0]
    assert all(map(torch.equal, cache.append(0, *nothing), before))


def test_keys_and_values_may_have_different_channels_and_are_not_changed() -> None:
    keys, values = torch.ones(1, 2, 5, 4), torch.ones(1, 2, 5, 3)
    found = QuantizedCache(group_size=2).append(0, keys, values)
    assert [tuple(x.shape) for x in found] == [(1, 2, 5, 4), (1, 2, 5, 3)]
    assert torch.equal(keys, torch.ones(1, 2, 5, 4))


def test_no_gradient_is_kept(heads) -> None:
    keys, values = heads.requires_grad_()
    cache = QuantizedCache(group_size=2)
    for _ in range(2):
        assert not any(part.requires_grad for part in cache.append(0, keys, values))


@pytest.mark.parametrize("ask", [QuantizedCache.tokens, QuantizedCache.waiting])
def test_a_layer_that_cannot_be_is_refused(heads, ask) -> None:
    cache = QuantizedCache()
    fill(cache, heads, [21])
    with pytest.raises(ValueError, match="layer must be an integer of at least 0, not -1"):
        ask(cache, -1)
    with pytest.raises(TypeError, match="layer must be an integer of at least 0, not 'a'"):
        ask(cache, "a")
