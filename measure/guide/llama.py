"""The course's language model as transformers' Llama, and texts for it."""

from __future__ import annotations

from typing import Any

import torch
from jaxtyping import Float32, Int64
from torch import Tensor

from proofs.language_model import both
from qlearn import load_language_model, load_language_text
from qlearn.course.language.layers import calibration_text
from qlearn.course.language.net import CONTEXT

WINDOWS = 16  # to measure with; two from each year of the text that no training saw
APART = 1024


def as_transformers() -> Any:
    """Return transformers' Llama with the tensors of the course's model."""
    return both()[1]


def inputs() -> Int64[Tensor, "windows time"]:
    """Return windows of the text that no training saw."""
    text = load_language_text("held_out")
    starts = range(0, WINDOWS * APART, APART)
    return torch.tensor([list(text[start : start + CONTEXT]) for start in starts])


def calibration(windows: int) -> Int64[Tensor, "windows time"]:
    """Return windows of the training text, from random places."""
    return torch.tensor(list(calibration_text(0, windows=windows))).view(windows, CONTEXT)


def exact() -> Float32[Tensor, "windows time logits"]:
    """Return the float model's logits of the windows to measure with."""
    with torch.no_grad():
        return load_language_model()(inputs())
