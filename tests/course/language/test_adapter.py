"""Adapters: nothing at first, alone in training, and shipped for three bases."""

from __future__ import annotations

from typing import get_args

import pytest
import torch
from torch import nn

from qlearn import bits_per_byte, load_language_model, load_language_text, nf4_quantize
from qlearn.course.language.adapter import (
    Adapted,
    Base,
    adapters,
    with_adapters,
    with_trained_adapters,
)
from qlearn.course.language.layers import with_weights

TOKENS = torch.tensor([list(b"The new harbor ")])


def test_fresh_adapters_add_nothing() -> None:
    model = load_language_model()
    with torch.no_grad():
        assert torch.equal(with_adapters(model)(TOKENS), model(TOKENS))


def test_adapters_are_drawn_from_a_generator_alone() -> None:
    model, before = load_language_model(), torch.get_rng_state()
    first, same = (adapters(with_adapters(model)) for _ in range(2))
    other = adapters(with_adapters(model, generator=torch.Generator().manual_seed(1)))
    assert torch.equal(torch.get_rng_state(), before)
    query, key = (f"layers.0.self_attn.{name}_proj.a" for name in "qk")
    assert torch.equal(first[query], same[query])
    assert not torch.equal(first[query], other[query])
    assert not torch.equal(first[query], first[key])


def test_only_adapters_are_trained() -> None:
    model = with_adapters(load_language_model())
    model(TOKENS).sum().backward()
    trained = {name for name, p in model.named_parameters() if p.grad is not None}
    assert trained == set(adapters(model))
    assert len(trained) == 56
    assert sum(p.numel() for p in adapters(model).values()) == 47_104


def test_the_product_by_hand() -> None:
    for bias, expected in ((False, [10.0, 1.0]), (True, [15.0, 7.0])):
        linear = nn.Linear(2, 2, bias=bias)
        linear.weight.data = torch.eye(2)
        if bias:
            linear.bias.data = torch.tensor([5.0, 6.0])
        layer = Adapted(linear, rank=1)
        layer.a.data, layer.b.data = torch.tensor([[1.0, 2.0]]), torch.tensor([[3.0], [0.0]])
        assert layer(torch.tensor([1.0, 1.0])).tolist() == expected
        assert {*adapters(layer)} == {"a", "b"}


@pytest.mark.parametrize("base", get_args(Base))
def test_each_base_has_its_own(base: Base) -> None:
    loaded = adapters(with_trained_adapters(load_language_model(), base))
    assert all(p.abs().sum() > 0 for p in loaded.values())


def test_another_base_has_none() -> None:
    with pytest.raises(ValueError, match="base must be 'nf4', 'float' or 'int2', not 'int4'"):
        with_trained_adapters(nn.Linear(2, 2), "int4")  # type: ignore[arg-type]


def test_the_adapter_helps_the_base_that_it_was_trained_on() -> None:
    text = load_language_text("held_out")[:2048]
    rough = with_weights(load_language_model(), lambda _, w: nf4_quantize(w).dequantize())
    before, after, wrong = (
        bits_per_byte(model, text)
        for model in (
            rough,
            with_trained_adapters(rough, "nf4"),
            with_trained_adapters(rough, "int2"),
        )
    )
    assert after < before < wrong
