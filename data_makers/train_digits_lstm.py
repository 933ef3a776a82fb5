"""Train the network of qlearn.course.digits.lstm and write its digits_lstm.npz.

    .venv/bin/python -m data_makers.train_digits_lstm

takes about six seconds. The same machine and torch give the same file; others give another
network of about the same accuracy, and the numbers of the chapter on it change with it.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch

from data_makers.train_digits_net import fit
from qlearn.course.digits.lstm import DigitsLSTM
from qlearn.course.digits.net import count_right, split_digits

TARGET = Path(__file__).resolve().parents[1] / "qlearn/course/digits/data/digits_lstm.npz"


def train(seed: int, epochs: int = 25) -> DigitsLSTM:
    """Train on the rows of the training images; return the network in eval mode."""
    data = split_digits()
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        net = DigitsLSTM()
        fit(net, data.train_images.squeeze(1), data.train_labels, epochs)
    return net.eval()


def main() -> None:
    """Write the parameters, and say how good the network is."""
    torch.set_num_threads(1)
    net, data = train(seed=0), split_digits()
    np.savez_compressed(TARGET, **{name: t.numpy() for name, t in net.state_dict().items()})
    with torch.no_grad():
        right = count_right(net(data.test_images.squeeze(1)), data.test_labels)
    print(f"{TARGET.stat().st_size} bytes; {right} of {len(data.test_labels)} test images right")


if __name__ == "__main__":
    main()
