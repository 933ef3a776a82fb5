"""The layers that are quantized: which they are, what enters them, and others in their place."""

from __future__ import annotations

import copy

import pytest
import torch
from torch.nn.functional import linear

from qlearn import load_language_text
from qlearn.course.language.layers import (
    calibration_text,
    layer_inputs,
    linear_layers,
    with_products,
    with_weights,
)

TOKENS = torch.randint(256, (1, 20), generator=torch.Generator().manual_seed(1))


def test_all_linear_layers_but_the_head(model) -> None:
    layers = linear_layers(model)
    assert len(layers) == 4 * 7
    assert "lm_head" not in layers
    weights = sum(layer.weight.numel() for layer in layers.values())
    assert weights == sum(p.numel() for p in model.layers.parameters() if p.ndim == 2)


def test_calibration_texts_are_windows_of_the_training_text() -> None:
    texts = [calibration_text(seed) for seed in (0, 0, 1)]
    assert texts[0] == texts[1] != texts[2]
    windows = [texts[0][at : at + 256] for at in range(0, 4096, 256)]
    assert len(texts[0]) == 4096
    assert all(window in load_language_text("train") for window in windows)
    assert len(calibration_text(0, windows=3)) == 768


def test_inputs_are_what_reaches_the_layers(model) -> None:
    text = bytes(range(256)) * 2
    inputs = layer_inputs(model, text + b"a window that is not whole is left out")
    assert inputs.keys() == linear_layers(model).keys()
    first, tokens = inputs["layers.0.self_attn.q_proj"], torch.arange(256)
    with torch.no_grad():
        expected = model.layers[0].input_layernorm(model.embed_tokens(tokens))
    assert first.shape == (512, 128)
    torch.testing.assert_close(first[256:], expected)
    assert torch.equal(first, inputs["layers.0.self_attn.v_proj"])
    assert inputs["layers.3.mlp.down_proj"].shape == (512, 512)
    assert not any(layer._forward_pre_hooks for layer in linear_layers(model).values())


def test_no_hook_stays_where_the_model_raises(model) -> None:
    broken = copy.deepcopy(model)
    broken.norm = None
    with pytest.raises(TypeError, match="not callable"):
        layer_inputs(broken, bytes(256))
    assert not any(layer._forward_pre_hooks for layer in linear_layers(broken).values())


def test_inputs_need_a_window(model) -> None:
    with pytest.raises(ValueError, match="the text has 255 bytes: a window has 256"):
        layer_inputs(model, bytes(255))


def test_weights_are_changed_in_a_copy(model) -> None:
    seen = []

    def double(name: str, weight: torch.Tensor) -> torch.Tensor:
        seen.append(name)
        return 2 * weight

    changed = linear_layers(with_weights(model, double))
    assert seen == list(linear_layers(model))
    for name, layer in linear_layers(model).items():
        assert torch.equal(changed[name].weight, 2 * layer.weight)


def test_products_stand_for_layers_in_a_copy(model) -> None:
    with torch.no_grad():
        same = with_products(model, linear)
        assert torch.equal(same(TOKENS), model(TOKENS))
        nothing = with_products(model, lambda x, weight: 0 * linear(x, weight))
        assert not torch.allclose(nothing(TOKENS), model(TOKENS))
    assert len(linear_layers(model)) == 28


def test_a_bias_stays_behind_a_product() -> None:
    layers = torch.nn.Sequential(torch.nn.Linear(4, 3))
    x = torch.ones(2, 4)
    found = with_products(layers, lambda x, weight: 2 * linear(x, weight))(x)
    torch.testing.assert_close(found, 2 * linear(x, layers[0].weight) + layers[0].bias)
