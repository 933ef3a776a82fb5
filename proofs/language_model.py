"""The language model against transformers' Llama, which loads the same tensors."""

from __future__ import annotations

from functools import cache
from typing import Any

import torch

from proofs.draw import Draw
from proofs.proof import proof
from proofs.public import public
from qlearn import load_language_model, load_language_text
from qlearn.course.language.net import BASE, BYTES, CONTEXT, HEADS, HIDDEN, LAYERS, WIDTH

CHAPTER = "language/weights"


@cache
def both() -> tuple[Any, Any]:
    """Return the model, and transformers' Llama with its tensors under its names."""
    from transformers import LlamaConfig, LlamaForCausalLM

    ours = load_language_model()
    shape = LlamaConfig(
        vocab_size=BYTES,
        hidden_size=WIDTH,
        intermediate_size=HIDDEN,
        num_hidden_layers=LAYERS,
        num_attention_heads=HEADS,
        max_position_embeddings=CONTEXT,
        rms_norm_eps=1e-5,
        rope_parameters={"rope_type": "default", "rope_theta": BASE},
        tie_word_embeddings=False,
    )
    theirs = LlamaForCausalLM(shape).eval()
    tensors = ours.state_dict()
    head = tensors.pop("lm_head.weight")
    theirs.load_state_dict(
        {"lm_head.weight": head, **{f"model.{name}": t for name, t in tensors.items()}}
    )
    return ours, theirs


@proof(
    "load_language_model",
    "LlamaForCausalLM of transformers",
    quick=10,
    package="transformers",
    tolerance=1e-4,
    why="four layers of float32 sums in another order; logits reach 20",
)
def logits_of_windows(draw: Draw) -> tuple[Any, Any]:
    """Compare the logits of windows of the held-out text, of 1 to 256 bytes."""
    ours, theirs = both()
    text = torch.tensor(list(load_language_text("held_out")))
    batch = draw.integer(1, 2)
    time = draw.integer(1, CONTEXT if draw.chance(0.02) else 40)
    windows = torch.stack([text[at : at + time] for at in draw_starts(draw, batch, len(text))])
    with torch.no_grad():
        return ours(windows), theirs(windows).logits


def draw_starts(draw: Draw, count: int, length: int) -> list[int]:
    """Return places at which a window fits."""
    return [draw.integer(0, length - CONTEXT) for _ in range(count)]


public("load_language_model", CHAPTER, {}, not_large="it takes no argument")
public(
    "load_language_text",
    CHAPTER,
    {"part": "held_out"},
    not_large="it takes no tensor",
    not_proven="it unpacks a file; a test holds its length and its checksum",
)
