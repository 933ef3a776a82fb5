"""Train the three models of qlearn.course.own_model.examples and write their own_models.npz.

    .venv/bin/python -m data_makers.train_own_models

takes some two minutes. The same machine and torch give the same file; others give other models
of about the same accuracy, and the numbers of the chapter change with them. The parameters are
rounded to float16 before they are counted.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn.functional import cross_entropy

from data_makers.train_digits_vit import shifted
from qlearn.course.digits.net import count_right, split_digits
from qlearn.course.own_model.examples import MODELS, as_words

TARGET = Path(__file__).resolve().parents[1] / "qlearn/course/digits/data/own_models.npz"
BATCH = 64
PEAK_RATE = {"encoder": 4e-3, "rows": 4e-3, "words": 1e-2}


def train(name: str, epochs: int = 120) -> nn.Module:
    """Train one on the training images; return it in eval mode, rounded to float16."""
    data, generator = split_digits(), torch.Generator().manual_seed(0)
    with torch.random.fork_rng():
        torch.manual_seed(0)
        model = MODELS[name]()
    rate = PEAK_RATE[name]
    optimizer = torch.optim.AdamW(model.parameters(), lr=rate, weight_decay=0.05)
    steps = max(1, epochs * -(-len(data.train_labels) // BATCH))
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, rate, total_steps=steps)
    for _ in range(epochs):
        for batch in torch.randperm(len(data.train_labels), generator=generator).split(BATCH):
            images = shifted(data.train_images[batch], generator)
            logits = model(as_words(images) if name == "words" else images)
            optimizer.zero_grad()
            cross_entropy(logits, data.train_labels[batch]).backward()
            optimizer.step()
            schedule.step()
    return model.half().float().eval()


def main() -> None:
    """Write the parameters, and say how good the models are."""
    torch.set_num_threads(1)
    data, arrays = split_digits(), {}
    for name in MODELS:
        model = train(name)
        for key, tensor in model.state_dict().items():
            arrays[f"{name}.{key}"] = tensor.half().numpy()
        inputs = as_words(data.test_images) if name == "words" else data.test_images
        with torch.no_grad():
            right = count_right(model(inputs), data.test_labels)
        print(f"{name}: {right} of {len(data.test_labels)} test images right")
    np.savez_compressed(TARGET, **arrays)
    print(f"{TARGET.stat().st_size} bytes")


if __name__ == "__main__":
    main()
