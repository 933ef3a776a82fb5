"""The leaf of LLM Compressor: GPTQ on the course's language model."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Float32
from torch import Tensor

from measure.guide import llama
from measure.guide.byte_tokens import for_transformers
from measure.guide.found import LANGUAGE, Found, sizes
from qlearn import sqnr
from qlearn.course.decisions import LEAVES
from qlearn.course.leaf_trials import run_config

TEXTS = 64
FILE = "model.safetensors"


def run(name: str) -> Found:
    """Let the config round the model, write it, and run what was written."""
    llama.as_transformers().save_pretrained("float")
    for_transformers(Path("float"))  # LLM Compressor looks for it where the model came from
    changed: Any = run_config(LEAVES[name].config, loaded("float"), texts=texts())
    changed.save_pretrained("small", save_compressed=True)
    noise = sqnr(llama.exact(), logits("small"))
    files = sizes(f"small/{FILE}", f"float/{FILE}")
    return Found(LANGUAGE, *files, noise, version("llmcompressor"))


def texts() -> Any:
    """Return windows of the training text as a data set."""
    from datasets import Dataset

    windows = llama.calibration(TEXTS).tolist()
    texts = [bytes(window).decode(errors="ignore") for window in windows]
    return Dataset.from_dict({"text": texts})


def loaded(folder: str) -> Any:
    """Return a model that transformers has loaded from a folder."""
    from transformers import AutoModelForCausalLM

    return AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()


def logits(folder: str) -> Float32[Tensor, "windows time logits"]:
    """Return what the model in a folder computes."""
    with torch.no_grad():
        return loaded(folder)(llama.inputs()).logits
