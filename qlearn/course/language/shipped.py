"""The trained model, as it lies in the package: bfloat16, high and low bytes apart."""

from __future__ import annotations

from importlib.resources import as_file, files
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from qlearn.course.language.net import LanguageModel

TARGET = Path(__file__).parent / "data/language_model.npz"


def load_language_model() -> LanguageModel:
    """Return the model as ``data_makers/train_language_model.py`` trained it, in eval mode.

    It takes int64 bytes (batch, time) and returns float32 logits (batch, time, 256): their softmax
    over the last axis holds the probabilities of the byte that follows. Its parameters are float32,
    and each is a number that bfloat16 has.

    Source: the layers of Llama, Touvron et al., arXiv 2302.13971, as in transformers'
    ``LlamaForCausalLM``; trained for this course on ``load_language_text("train")``.

    >>> sum(p.numel() for p in load_language_model().parameters())
    1115264
    """
    # What is drawn here is replaced below. The device "meta" would draw nothing, but takes seconds.
    with torch.random.fork_rng(devices=[]):
        model = LanguageModel()
    source = files("qlearn.course.language") / "data/language_model.npz"
    with as_file(source) as path, np.load(path) as stored:
        model.load_state_dict({name: from_planes(stored[name]) for name in stored.files})
    return model.eval()


def planes(tensor: Tensor) -> np.ndarray:
    """Return the high and the low bytes of a tensor of bfloat16 numbers.

    The high bytes, sign and most of the exponent, take few values: apart, they compress well.
    """
    codes = tensor.bfloat16().view(torch.int16).numpy().view(np.uint16)
    return np.stack([codes >> 8, codes & 255]).astype(np.uint8)


def from_planes(stored: np.ndarray) -> Tensor:
    """Return the float32 tensor of what :func:`planes` made."""
    codes = (stored[0].astype(np.uint16) << 8 | stored[1]).view(np.int16)
    return torch.from_numpy(codes).view(torch.bfloat16).float()
