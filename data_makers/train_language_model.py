"""Train the model of qlearn.course.language and write its data/language_model.npz.

    .venv/bin/python -m data_makers.train_language_model

takes 20 to 30 minutes on two cores. The shipped file is the truth, this program its provenance:
another processor, torch or number of threads gives another model of about the same quality, and
the numbers of the chapters change with it. Parameters are rounded to bfloat16, as most language
models are published; all numbers of the chapters are those of the rounded ones.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from qlearn.course.language.net import BYTES, CONTEXT, LanguageModel
from qlearn.course.language.shipped import TARGET, planes
from qlearn.course.language.text import load_language_text

STEPS, BATCH, WARM_UP = 4000, 16, 50
MATRIX_RATE, OTHER_RATE = 1e-2, 6e-3  # at their peaks


def train(steps: int, *, seed: int = 0) -> LanguageModel:
    """Train on windows from the training text; print the loss now and then."""
    text = torch.frombuffer(bytearray(load_language_text("train")), dtype=torch.uint8).long()
    generator = torch.Generator().manual_seed(seed)
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = LanguageModel()
        start_small(model)
    optimizers = optimizers_of(model)
    schedules = [
        torch.optim.lr_scheduler.LambdaLR(o, lambda step: rate(step, steps)) for o in optimizers
    ]
    losses, began = [], time.perf_counter()
    for step in range(1, steps + 1):
        starts = torch.randint(len(text) - CONTEXT, (BATCH, 1), generator=generator)
        windows = text[starts + torch.arange(CONTEXT + 1)]
        logits = model(windows[:, :-1])
        loss = cross_entropy(logits.reshape(-1, BYTES), windows[:, 1:].reshape(-1))
        model.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for optimizer, schedule in zip(optimizers, schedules, strict=True):
            optimizer.step()
            schedule.step()
        losses.append(loss.item() / np.log(2))
        if step % 100 == 0:
            now = time.perf_counter() - began
            print(f"{step:5} {np.mean(losses[-100:]):.4f} bits a byte, {now:.0f} s", flush=True)
    return model.bfloat16().float().eval()


def optimizers_of(model: LanguageModel) -> list[torch.optim.Optimizer]:
    """Return Muon for the matrices of the layers, and AdamW for the rest."""
    matrices, others = in_two(model)
    muon = torch.optim.Muon(
        matrices, lr=MATRIX_RATE, weight_decay=0.05, adjust_lr_fn="match_rms_adamw"
    )
    adam = torch.optim.AdamW(others, lr=OTHER_RATE, betas=(0.9, 0.95), weight_decay=0.0)
    return [muon, adam]


def start_small(model: LanguageModel) -> None:
    """Begin with layers that add next to nothing to the state."""
    for name, parameter in model.named_parameters():
        if parameter.ndim == 2:
            nn.init.normal_(parameter, std=0.002 if "o_proj" in name or "down" in name else 0.02)


def in_two(model: LanguageModel) -> tuple[list[Tensor], list[Tensor]]:
    """Return the matrices of the layers, and all other parameters."""
    parameters = dict(model.named_parameters())
    inside = [n for n, p in parameters.items() if n.startswith("layers") and p.ndim == 2]
    return [parameters[n] for n in inside], [p for n, p in parameters.items() if n not in inside]


def rate(step: int, steps: int) -> float:
    """Return the share of the peak: up in ``WARM_UP`` steps, then down to 0 in a line."""
    return min(1.0, (step + 1) / WARM_UP) * (1 - step / steps)


def main() -> None:
    """Train, write the parameters, and say how large the file is."""
    options = argparse.ArgumentParser()
    options.add_argument("--steps", type=int, default=STEPS)
    torch.set_num_threads(2)
    model = train(options.parse_args().steps)
    arrays: dict[str, Any] = {name: planes(t) for name, t in model.state_dict().items()}
    np.savez_compressed(TARGET, **arrays)
    print(f"{TARGET.stat().st_size} bytes")


if __name__ == "__main__":
    main()
