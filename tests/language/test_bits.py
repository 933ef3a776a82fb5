"""Bits for each byte: against odds worked by hand, and against cross entropy."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from qlearn.course import normal
from qlearn.language import bits_per_byte
from qlearn.language.bits import CONTEXT, NEWLINE, WINDOWS


class Told(nn.Module):
    """A model that takes logits from a function, and remembers what it was shown."""

    def __init__(self, odds) -> None:
        super().__init__()
        self.odds = odds
        self.shown: list[Tensor] = []

    def forward(self, tokens: Tensor) -> Tensor:
        self.shown.append(tokens)
        return self.odds(tokens)


def even(tokens: Tensor) -> Tensor:
    return torch.zeros(*tokens.shape, 256)


def test_equal_odds_cost_eight_bits() -> None:
    for length in (1, 255, 256, 257, 16 * 256 + 3):
        assert bits_per_byte(Told(even), bytes(length)) == pytest.approx(8, abs=1e-12)


def test_odds_by_hand() -> None:
    def half(tokens: Tensor) -> Tensor:  # one half for "a", 1/510 for each of the others
        logits = torch.full((*tokens.shape, 256), -math.log(255))
        logits[..., ord("a")] = 0.0
        return logits

    assert bits_per_byte(Told(half), b"aaaa") == pytest.approx(1, abs=1e-6)
    three = (1 + 1 + math.log2(510)) / 3
    assert bits_per_byte(Told(half), b"aab") == pytest.approx(three, abs=1e-6)


def test_each_byte_is_foretold_once_from_those_before_it_in_its_window() -> None:
    text = bytes(i % 251 for i in range((WINDOWS + 2) * CONTEXT + 5))
    model = Told(even)
    bits_per_byte(model, text)
    shown = torch.cat([tokens.flatten() for tokens in model.shown])
    assert shown.tolist() == [NEWLINE, *text[:-1]]
    assert [tuple(t.shape) for t in model.shown] == [(WINDOWS, CONTEXT), (2, CONTEXT), (1, 5)]


def test_it_is_cross_entropy_in_another_unit() -> None:
    table = normal(256, 256, generator=torch.Generator().manual_seed(0))
    text = bytes(torch.randint(256, (300,), generator=torch.Generator().manual_seed(1)).tolist())
    logits = table[torch.tensor([NEWLINE, *text[:-1]])].double()
    nats = cross_entropy(logits, torch.tensor(list(text))).item()
    found = bits_per_byte(Told(lambda tokens: table[tokens]), text)
    assert found == pytest.approx(nats / math.log(2), rel=1e-12)


def test_a_certain_model_pays_nothing_and_a_wrong_one_much() -> None:
    def sure(tokens: Tensor) -> Tensor:
        return 100.0 * nn.functional.one_hot(torch.full_like(tokens, 65), 256)

    assert bits_per_byte(Told(sure), b"AAAA") == 0
    assert bits_per_byte(Told(sure), b"B") == pytest.approx(100 / math.log(2))


def test_bytes_are_shown_where_the_model_is() -> None:
    class Elsewhere(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = nn.Parameter(torch.zeros(1, device="meta"))

        def forward(self, tokens: Tensor) -> Tensor:
            assert tokens.device == self.weight.device
            return torch.zeros(*tokens.shape, 256)

    assert bits_per_byte(Elsewhere(), b"text") == 8


def test_no_gradient_is_kept() -> None:
    table = nn.Parameter(torch.zeros(256, 256))
    model = Told(lambda tokens: table[tokens])
    assert bits_per_byte(model, b"text") == 8
    assert table.grad is None


def test_what_does_not_fit_is_said() -> None:
    with pytest.raises(TypeError, match=r"text is of type str.*text\.encode"):
        bits_per_byte(Told(even), "text")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="but must be a module that takes bytes as numbers"):
        bits_per_byte(Told, b"text")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="the text has no bytes"):
        bits_per_byte(Told(even), b"")
    with pytest.raises(ValueError, match=r"logits of shape \(1, 4, 255\) for \(1, 4\) bytes"):
        bits_per_byte(Told(lambda tokens: even(tokens)[..., 1:]), b"text")
    with pytest.raises(TypeError, match="the model returned a tuple: pass one that returns logits"):
        bits_per_byte(Told(lambda tokens: (even(tokens),)), b"text")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="does not run on .*int64: .* or a model for such"):
        bits_per_byte(torch.nn.Linear(4, 256), b"text")
    for bad in (math.nan, math.inf):
        with pytest.raises(ValueError, match="infinite or NaN: look for the layer"):
            bits_per_byte(Told(lambda tokens, bad=bad: even(tokens) + bad), b"text")
