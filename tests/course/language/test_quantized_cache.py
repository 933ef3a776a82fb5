"""Caches of codes: who waits, what comes back, what it takes, and what byte by byte changes."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from qlearn import quantize_cache, quantize_groups
from qlearn.course import normal
from qlearn.course.language.memory import Cache, KeyValueCache
from qlearn.course.language.net import LanguageModel
from qlearn.course.language.quantized_cache import (
    ByteByByte,
    QuantizedCache,
    RoundedCache,
    WithCache,
    with_changes,
)


@pytest.fixture
def heads() -> Tensor:
    return normal(2, 1, 2, 21, 6, generator=torch.Generator().manual_seed(0))


@pytest.fixture(scope="module")
def model() -> LanguageModel:
    with torch.random.fork_rng():
        torch.manual_seed(0)
        return LanguageModel().eval()


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
    ],
)
def test_arguments_are_checked_before_a_token_comes(symmetric, argument, error, said) -> None:
    with pytest.raises(error, match=said):
        QuantizedCache(symmetric=symmetric, **argument)


def test_in_a_layer_that_saw_nothing_nothing_waits() -> None:
    assert QuantizedCache().waiting(3) == (0, 0)


def test_what_cannot_be_quantized_is_said(heads) -> None:
    with pytest.raises(ValueError, match="x holds infinities or NaN"):
        fill(QuantizedCache(group_size=8), heads * torch.nan, [21])


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
