"""The network that the later chapters quantize: two convolutions and a linear layer."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Float32, Int64
from torch import Tensor, nn

from qlearn.course.digits.dataset import load_digits
from qlearn.course.digits.shipped import shipped_tensors

TRAINING_IMAGES = 1437  # of 1,797; the last 360 are kept for testing


class DigitsNet(nn.Module):
    """Tell which digit an image of 8 × 8 pixels shows, by ten logits.

    Each step is a module of its own, as fusing in eager mode wants it, and the convolutions have
    no bias, which the batch norm behind them would take away again.

    >>> DigitsNet()(torch.zeros(5, 1, 8, 8)).shape
    torch.Size([5, 10])
    """

    def __init__(self, channels: int = 16):
        super().__init__()
        self.conv1 = nn.Conv2d(1, channels, 3, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(channels)
        self.relu1 = nn.ReLU()
        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(channels)
        self.relu2 = nn.ReLU()
        self.pool = nn.MaxPool2d(2)
        self.flatten = nn.Flatten()
        self.fc = nn.Linear(channels * 4 * 4, 10)

    def forward(self, x: Float32[Tensor, "n 1 8 8"]) -> Float32[Tensor, "n 10"]:
        """Return the logits of ``n`` images."""
        x = self.relu1(self.bn1(self.conv1(x)))
        x = self.relu2(self.bn2(self.conv2(x)))
        return self.fc(self.flatten(self.pool(x)))


class Split(NamedTuple):
    """Images with a channel axis and their labels, in two parts."""

    train_images: Float32[Tensor, "1437 1 8 8"]
    train_labels: Int64[Tensor, " 1437"]
    test_images: Float32[Tensor, "360 1 8 8"]
    test_labels: Int64[Tensor, " 360"]


def split_digits() -> Split:
    """Return the first 1,437 digits to train and calibrate with, and the last 360 to test with.

    >>> split_digits().test_images.shape
    torch.Size([360, 1, 8, 8])
    """
    images, labels = load_digits()
    images = images.unsqueeze(1)
    return Split(
        images[:TRAINING_IMAGES],
        labels[:TRAINING_IMAGES],
        images[TRAINING_IMAGES:],
        labels[TRAINING_IMAGES:],
    )


def trained_digits_net() -> DigitsNet:
    """Return the network as ``data_makers/train_digits_net.py`` trained it, in eval mode.

    A shipped checkpoint gives the same logits to about six digits on every machine. A new
    training would not, because the order of float additions differs and training amplifies it.

    >>> trained_digits_net().training
    False
    """
    net = DigitsNet()
    net.load_state_dict(shipped_tensors("digits_net"))
    return net.eval()


def count_right(logits: Float32[Tensor, "n classes"], labels: Int64[Tensor, " n"]) -> int:
    """Return how many rows have their largest logit at the label.

    >>> count_right(torch.tensor([[0.0, 2.0], [3.0, 1.0]]), torch.tensor([1, 1]))
    1
    """
    return int((logits.argmax(dim=1) == labels).sum())


def digits_right(
    model: Callable[[Tensor], Tensor], images: Float32[Tensor, "360 ..."] | None = None
) -> int:
    """Return how many of the 360 test digits the model reads right.

    Args:
        model: gives ten logits for each image.
        images: the test images in another form; None for those of :func:`split_digits`.

    >>> digits_right(trained_digits_net())
    348
    """
    split = split_digits()
    with torch.no_grad():
        logits = model(split.test_images if images is None else images)
    return count_right(logits, split.test_labels)
