"""What the page of symptoms says on merging an adapter, on the course's language model."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from qlearn import (
    bits_per_byte,
    load_language_model,
    load_language_text,
    nf4_quantize,
    quantize_groups,
)
from qlearn.course.language.adapter import with_trained_adapters
from qlearn.course.language.layers import linear_layers, with_weights

ROUNDINGS: dict[str, Callable[[Tensor], Tensor]] = {
    "nf4": lambda weight: nf4_quantize(weight).dequantize(),
    "int2": lambda weight: quantize_groups(weight, bits=2).dequantize(),
}


@pytest.mark.parametrize(("base", "kept"), [("nf4", 0.2), ("int2", 0.0)])
def test_a_merged_adapter_keeps_its_gain_until_it_is_rounded(base: str, kept: float) -> None:
    rounded, text = ROUNDINGS[base], load_language_text("held_out")[:8192]
    with torch.no_grad():
        frozen = with_weights(load_language_model(), lambda _, weight: rounded(weight))
        beside = with_trained_adapters(frozen, base)
        products = {
            name: layer.b @ layer.a for name, layer in beside.named_modules() if hasattr(layer, "b")
        }
        sums = {
            name: layer.weight + products[name] for name, layer in linear_layers(frozen).items()
        }
        merged = with_weights(frozen, lambda name, _: sums[name])
        again = with_weights(frozen, lambda name, _: rounded(sums[name]))
        before, after, whole, lost = (
            bits_per_byte(model, text) for model in (frozen, beside, merged, again)
        )
    assert after < before and abs(whole - after) < 1e-3
    assert before - lost < kept * (before - after)
