"""Train the network of qlearn.course.digits.separable and write its digits_separable.npz.

    .venv/bin/python -m data_makers.train_digits_separable

takes some seconds. The same machine and torch give the same file; others give another network of
about the same accuracy, and the numbers of the chapter on debugging change with it.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from torch import nn

from data_makers.train_digits_net import fit
from qlearn.course.digits.net import digits_right, split_digits
from qlearn.course.digits.separable import separable_net

TARGET = Path(__file__).resolve().parents[1] / "qlearn/course/digits/data/digits_separable.npz"


def train(seed: int, epochs: int = 20) -> nn.Sequential:
    """Train on the training images as ink on white paper; return the network in eval mode."""
    data = split_digits()
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        net = separable_net()
        fit(net, 1 - data.train_images, data.train_labels, epochs)
    return net.eval()


def main() -> None:
    """Write the parameters and the batch norms' statistics, and say how good the network is."""
    torch.set_num_threads(1)
    net = train(seed=0)
    np.savez_compressed(TARGET, **{name: t.numpy() for name, t in net.state_dict().items()})
    right = digits_right(net, 1 - split_digits().test_images)
    print(f"{TARGET.stat().st_size} bytes; {right} of 360 test images right")


if __name__ == "__main__":
    main()
