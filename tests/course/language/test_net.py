"""The network: whole windows, pieces and single bytes give the same logits, and what it refuses."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from qlearn.course.language.memory import KeyValueCache
from qlearn.course.language.net import CONTEXT, LanguageModel, rotary

# A logit is a sum of 128 products behind four layers; orders of adding differ by some ulps.
NEAR = {"rtol": 0, "atol": 1e-5}


@pytest.fixture(scope="module")
def tokens() -> Tensor:
    return torch.randint(256, (2, 24), generator=torch.Generator().manual_seed(1))


@pytest.mark.parametrize("pieces", [[24], [1] * 24, [9, 1, 14], [23, 1]])
def test_a_cache_changes_no_logits(model, tokens, pieces) -> None:
    cache = KeyValueCache()
    with torch.no_grad():
        whole = model(tokens)
        found = torch.cat([model(part, cache) for part in tokens.split(pieces, 1)], 1)
    torch.testing.assert_close(found, whole, **NEAR)
    assert cache.tokens(0) == cache.tokens(3) == 24


def test_a_byte_does_not_see_those_after_it(model, tokens) -> None:
    other = tokens.clone()
    other[:, 12:] = 0
    with torch.no_grad():
        assert torch.equal(model(tokens)[:, :12], model(other)[:, :12])


def test_a_row_does_not_see_the_other(model, tokens) -> None:
    with torch.no_grad():
        torch.testing.assert_close(model(tokens)[1:], model(tokens[1:]), **NEAR)


def test_its_parts_have_llamas_names() -> None:
    names = set(dict(LanguageModel().named_parameters()))
    expected = {"embed_tokens.weight", "norm.weight", "lm_head.weight"}
    parts = {
        "self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj", "self_attn.o_proj",
        "mlp.gate_proj", "mlp.up_proj", "mlp.down_proj",
        "input_layernorm", "post_attention_layernorm",
    }  # fmt: skip
    expected |= {f"layers.{i}.{part}.weight" for i in range(4) for part in parts}
    assert names == expected


def test_scores_depend_on_the_distance_alone() -> None:
    generator = torch.Generator().manual_seed(2)
    q, k = torch.rand(2, 1, 1, 1, 32, generator=generator).double()
    scores = [(rotary(q, at + 5) * rotary(k, at)).sum().item() for at in (0, 1, 100, CONTEXT - 6)]
    # Angles are float32; at position 255 they are off by 255 · 2⁻²⁴ at most.
    assert max(scores) - min(scores) < 1e-3
    assert rotary(k, 0).tolist() == k.tolist()


def test_turning_keeps_lengths() -> None:
    x = torch.rand(1, 2, 40, 32, generator=torch.Generator().manual_seed(3))
    torch.testing.assert_close(rotary(x, 7).norm(dim=-1), x.norm(dim=-1), **NEAR)


@pytest.mark.parametrize("bad", [256, -1])
def test_what_is_no_byte_is_refused(model, bad) -> None:
    with pytest.raises(IndexError, match="out of range"):
        model(torch.tensor([[bad]]))


def test_floats_are_no_bytes(model) -> None:
    with pytest.raises(RuntimeError, match="Long, Int"):
        model(torch.rand(1, 3))
