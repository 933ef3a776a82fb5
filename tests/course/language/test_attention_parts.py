"""Parts of attention: they are the model's own, and their errors add up."""

from __future__ import annotations

import copy

import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention

from qlearn.course.language.attention_parts import attention_parts, error_parts


def test_they_give_the_layers_output(model) -> None:
    text, outputs = b"Fellow-Citizens", []
    hook = model.layers[2].self_attn.o_proj.register_forward_pre_hook(
        lambda _, inputs: outputs.append(inputs[0])
    )
    parts = attention_parts(model, text, 2)
    hook.remove()
    mixed = scaled_dot_product_attention(*parts, is_causal=True)
    torch.testing.assert_close(mixed.transpose(1, 2).flatten(2), outputs[0])


def test_no_hook_stays_where_the_model_raises(model) -> None:
    broken = copy.deepcopy(model)
    broken.norm = None  # type: ignore[assignment]
    with pytest.raises(TypeError, match="not callable"):
        attention_parts(broken, b"text", 2)
    assert not broken.layers[2].self_attn.q_proj._forward_hooks


def test_a_text_has_a_byte(model) -> None:
    with pytest.raises(ValueError, match="the text has no bytes"):
        attention_parts(model, b"", 2)


def test_each_part_of_the_error_is_from_its_side(model) -> None:
    parts = attention_parts(model, b"of the United States", 1)
    _, keys, values = parts
    assert error_parts(parts, keys, values) == (0, 0, 0)
    whole, by_keys, by_values = error_parts(parts, keys + 0.5 * keys.round(), values)
    assert whole == by_keys > 0 == by_values
    whole, by_keys, by_values = error_parts(parts, keys, 2 * values)
    assert by_keys == 0
    assert whole == by_values == pytest.approx(1, rel=1e-12)
