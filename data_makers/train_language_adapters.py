"""Train adapters on top of frozen weights and write qlearn/course/language/data/adapters.npz.

    .venv/bin/python -m data_makers.train_language_adapters

takes some ten minutes on one core. Three bases are frozen: the float weights, NF4 in blocks of 64,
and two bits in groups of 32. The adapters are trained alike on each, on the text that the model
was trained on. Another processor or torch gives others of about the same quality. Run
measure_weights afterwards: it records what they gain.
"""

from __future__ import annotations

import time
from typing import Any, get_args

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from qlearn import nf4_quantize, quantize_groups
from qlearn.course.language.adapter import TARGET, Base, adapters, with_adapters
from qlearn.course.language.layers import with_weights
from qlearn.course.language.net import BYTES, CONTEXT, LanguageModel
from qlearn.course.language.shipped import load_language_model, planes
from qlearn.course.language.text import load_language_text
from qlearn.language.bits import bits_per_byte

STEPS, BATCH, WARM_UP, RATE = 300, 8, 20, 3e-3


def frozen(base: Base) -> nn.Module:
    """Return the model with the weights that a base means."""

    def change(_: str, weight: Tensor) -> Tensor:
        if base == "nf4":
            return nf4_quantize(weight).dequantize()
        return quantize_groups(weight, bits=2).dequantize() if base == "int2" else weight

    return with_weights(load_language_model(), change)


def fresh(base: Base, seed: int) -> nn.Module:
    """Return the model with the adapters that training begins with."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        LanguageModel()  # the shipped adapters were drawn after the numbers of a new model
        return with_adapters(frozen(base), generator=torch.default_generator)


def train(base: Base, *, seed: int = 0) -> nn.Module:
    """Train the adapters by Adam on random windows; print the loss now and then."""
    text = torch.frombuffer(bytearray(load_language_text("train")), dtype=torch.uint8).long()
    generator = torch.Generator().manual_seed(seed)
    model = fresh(base, seed)
    optimizer = torch.optim.Adam(adapters(model).values(), lr=RATE)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1.0, (step + 1) / WARM_UP) * (1 - step / STEPS)
    )
    losses, began = [], time.perf_counter()
    for step in range(1, STEPS + 1):
        starts = torch.randint(len(text) - CONTEXT, (BATCH, 1), generator=generator)
        windows = text[starts + torch.arange(CONTEXT + 1)]
        logits = model(windows[:, :-1])
        loss = cross_entropy(logits.reshape(-1, BYTES), windows[:, 1:].reshape(-1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        losses.append(loss.item() / np.log(2))
        if step % 50 == 0:
            now = time.perf_counter() - began
            print(f"{base} {step:4} {np.mean(losses[-50:]):.4f} bits, {now:.0f} s", flush=True)
    return model


def main() -> None:
    """Train on each base, and write the adapters as bfloat16."""
    torch.set_num_threads(1)
    text = load_language_text("held_out")[:16384]
    arrays: dict[str, Any] = {}
    for base in get_args(Base):
        before = bits_per_byte(frozen(base), text)
        model = train(base)
        for name, parameter in adapters(model).items():
            arrays[f"{base}/{name}"] = planes(parameter.detach())
            parameter.data = parameter.data.bfloat16().float()
        print(f"{base}: {before:.4f} before, {bits_per_byte(model, text):.4f} after", flush=True)
    np.savez_compressed(TARGET, **arrays)
    print(f"{TARGET.stat().st_size} bytes")


if __name__ == "__main__":
    main()
