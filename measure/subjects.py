"""What is measured: four networks, and one token of a language model's linear layers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from qlearn.course import split_digits, trained_digits_net
from qlearn.course.digits.vit import trained_digits_vit

TOKEN_LAYERS = 8  # in turn, so that no cache holds the weights from one token to the next
WIDTH = 4096


@dataclass(frozen=True)
class Subject:
    """A float model in eval mode, inputs for it, and the numbers of rows that are measured."""

    name: str
    what: str
    batches: tuple[int, ...]
    model: Callable[[], nn.Module]
    inputs: Callable[[int], Tensor]
    linear: bool  # has linear layers that count; torchao's configs take those alone

    def made(self) -> nn.Module:
        """Return the model, with the same numbers each time."""
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)
            return self.model().eval().requires_grad_(False)


def mlp() -> nn.Module:
    """Return three linear layers of 1,024 features with ReLUs between them."""
    layers = [nn.Linear(1024, 1024), nn.ReLU(), nn.Linear(1024, 1024), nn.ReLU()]
    return nn.Sequential(*layers, nn.Linear(1024, 1024))


def cnn() -> nn.Module:
    """Return four convolutions for colour images of 32 × 32 pixels."""
    channels = [(3, 32, 1), (32, 64, 2), (64, 64, 1), (64, 128, 2)]
    layers: list[nn.Module] = []
    for before, after, stride in channels:
        layers += [nn.Conv2d(before, after, 3, stride=stride, padding=1), nn.ReLU()]
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(128, 10))


def token() -> nn.Module:
    """Return eight linear layers of 4,096 × 4,096, one after the other."""
    return nn.Sequential(*(nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(TOKEN_LAYERS)))


def random(*shape: int) -> Callable[[int], Tensor]:
    """Return a function that draws inputs of this shape for a number of rows."""
    return lambda rows: torch.randn(rows, *shape, generator=torch.Generator().manual_seed(1))


def digits(rows: int) -> Tensor:
    """Return the first images of the test set."""
    return split_digits().test_images[:rows]


SUBJECTS = {
    subject.name: subject
    for subject in (
        Subject("mlp", "3 linear layers, 1,024 × 1,024", (1, 64), mlp, random(1024), True),
        Subject("cnn", "4 convolutions, 32 × 32 pixels", (8,), cnn, random(3, 32, 32), False),
        Subject("digits", "the digits' network", (1, 360), trained_digits_net, digits, True),
        Subject("vit", "the digits' vision transformer", (360,), trained_digits_vit, digits, True),
        Subject("token", "8 linear layers, 4,096 × 4,096", (1,), token, random(WIDTH), True),
    )
}
