"""Train the network of qlearn.course.digits.net and write qlearn/course/digits/data/digits_net.npz.

    .venv/bin/python -m data_makers.train_digits_net

takes about a second. The same machine and torch give the same file; others give another
network of about the same accuracy, and the chapters' numbers change with it.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from qlearn.course.digits.net import DigitsNet, count_right, split_digits

TARGET = Path(__file__).resolve().parents[1] / "qlearn/course/digits/data/digits_net.npz"


def train(seed: int, epochs: int = 12) -> DigitsNet:
    """Train on the training images; return the network in eval mode."""
    data = split_digits()
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        net = DigitsNet()
        fit(net, data.train_images, data.train_labels, epochs)
    return net.eval()


def fit(net: nn.Module, inputs: Tensor, labels: Tensor, epochs: int) -> None:
    """Train ``net`` by Adam in batches of 64 inputs, drawn anew each epoch."""
    optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
    for _ in range(epochs):
        for batch in torch.randperm(len(labels)).split(64):
            optimizer.zero_grad()
            cross_entropy(net(inputs[batch]), labels[batch]).backward()
            optimizer.step()


def main() -> None:
    """Write the parameters and the batch norms' statistics, and say how good the network is."""
    torch.set_num_threads(1)
    net, data = train(seed=0), split_digits()
    np.savez_compressed(TARGET, **{name: t.numpy() for name, t in net.state_dict().items()})
    with torch.no_grad():
        right = count_right(net(data.test_images), data.test_labels)
    print(f"{TARGET.stat().st_size} bytes; {right} of {len(data.test_labels)} test images right")


if __name__ == "__main__":
    main()
