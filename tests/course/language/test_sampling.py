"""Sampled text: the same for a seed, whatever the cache; and prompts that do not fit."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from qlearn.course.language.memory import KeyValueCache
from qlearn.course.language.sampling import bytes_to_text, sample


class After(nn.Module):
    """Says of each byte that the next one follows it, and fills the cache."""

    def forward(self, tokens: torch.Tensor, cache: KeyValueCache) -> torch.Tensor:
        """Return the logits."""
        entry = torch.zeros(1, 1, tokens.shape[1], 1)
        cache.append(0, entry, entry)
        return 100.0 * nn.functional.one_hot((tokens + 1) % 256, 256)


class Even(After):
    """Finds all bytes equally likely."""

    def forward(self, tokens: torch.Tensor, cache: KeyValueCache) -> torch.Tensor:
        """Return the logits."""
        return 0 * super().forward(tokens, cache)


def test_what_is_certain_is_written() -> None:
    cache = KeyValueCache()
    assert sample(After(), "ab", length=5, cache=cache) == "cdefg"
    assert cache.tokens(0) == 6  # the last byte written was not read


def test_a_seed_draws_the_same() -> None:
    texts = [sample(Even(), "a", seed=seed) for seed in (0, 0, 1)]
    assert texts[0] == texts[1] != texts[2]
    assert len(texts[0]) > 60  # 120 bytes; some make a letter together


def test_every_byte_can_be_drawn() -> None:
    written = sample(Even(), "a", length=255, seed=2)
    assert len(set(written)) > 60  # of 95 that can be printed


@pytest.mark.parametrize(("prompt", "length"), [("", 10), ("a", 256), ("é" * 100, 100)])
def test_what_does_not_fit_is_said(prompt, length) -> None:
    with pytest.raises(ValueError, match="the model reads 256 in all"):
        sample(Even(), prompt, length=length)


def test_a_cache_is_empty() -> None:
    cache = KeyValueCache()
    sample(Even(), "ab", length=5, cache=cache)
    with pytest.raises(ValueError, match="the cache holds 6 tokens of another text"):
        sample(Even(), "ab", length=5, cache=cache)


@pytest.mark.parametrize(("length", "error"), [(-5, ValueError), (1.5, TypeError)])
def test_a_length_is_an_integer_of_at_least_0(length, error) -> None:
    with pytest.raises(error, match="length must be an integer of at least 0, not"):
        sample(Even(), "a", length=length)


@pytest.mark.parametrize("temperature", [0.0, -1.0, float("nan")])
def test_a_temperature_is_above_0(temperature) -> None:
    with pytest.raises(ValueError, match="temperature is .*: it divides the logits"):
        sample(Even(), "a", temperature=temperature)


def test_what_cannot_be_printed_is_a_dot() -> None:
    assert bytes_to_text([72, 10, 255, 105]) == "H··i"
    assert bytes_to_text(list("é".encode())) == "é"
