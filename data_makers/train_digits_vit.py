"""Train the network of qlearn.course.digits.vit and write its digits_vit.npz.

    .venv/bin/python -m data_makers.train_digits_vit

takes about a minute. The same machine and torch give the same file; others give another
network of about the same accuracy, and the numbers of the first chapter change with it. The
parameters are stored as float16, which halves the file; all of them are rounded before they
are counted.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy, pad

from qlearn.course.digits.net import count_right, split_digits
from qlearn.course.digits.vit import DigitsViT

TARGET = Path(__file__).resolve().parents[1] / "qlearn/course/digits/data/digits_vit.npz"
BATCH = 64
PEAK_RATE = 2e-3


def shifted(images: Tensor, generator: torch.Generator) -> Tensor:
    """Return the images, each moved by −1, 0 or 1 pixels across and down."""
    padded, moved = pad(images, (1, 1, 1, 1)), torch.empty_like(images)
    moves = torch.randint(0, 3, (len(images), 2), generator=generator)
    for down in range(3):
        for right in range(3):
            here = (moves == torch.tensor([down, right])).all(1)
            moved[here] = padded[here][..., down : down + 8, right : right + 8]
    return moved


def train(seed: int, epochs: int = 100) -> DigitsViT:
    """Train on the training images; return the network in eval mode, rounded to float16."""
    data, generator = split_digits(), torch.Generator().manual_seed(seed)
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        net = DigitsViT()
    optimizer = torch.optim.AdamW(net.parameters(), lr=PEAK_RATE, weight_decay=0.05)
    steps = max(1, epochs * -(-len(data.train_labels) // BATCH))
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, PEAK_RATE, total_steps=steps)
    for _ in range(epochs):
        for batch in torch.randperm(len(data.train_labels), generator=generator).split(BATCH):
            logits = net(shifted(data.train_images[batch], generator))
            optimizer.zero_grad()
            cross_entropy(logits, data.train_labels[batch], label_smoothing=0.1).backward()
            optimizer.step()
            schedule.step()
    return net.half().float().eval()


def main() -> None:
    """Write the parameters, and say how good the network is."""
    torch.set_num_threads(1)
    net, data = train(seed=0), split_digits()
    arrays = {name: tensor.half().numpy() for name, tensor in net.state_dict().items()}
    np.savez_compressed(TARGET, **arrays)
    with torch.no_grad():
        right = count_right(net(data.test_images), data.test_labels)
    print(f"{TARGET.stat().st_size} bytes; {right} of {len(data.test_labels)} test images right")


if __name__ == "__main__":
    main()
