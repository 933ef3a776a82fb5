"""The shape of a convolution, and weights that show by a code how torch computes it."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from jaxtyping import Int8
from torch import Tensor


class Window(NamedTuple):
    """The shape of a convolution: of its image, its kernels, and how they move."""

    image: tuple[int, ...]
    kernels: tuple[int, ...]
    stride: tuple[int, int] = (1, 1)
    padding: tuple[int, int] = (0, 0)
    dilation: tuple[int, int] = (1, 1)
    groups: int = 1

    def moves(self) -> dict[str, Any]:
        """Return how the kernels move, by the names of torch's operators."""
        return {
            "stride": list(self.stride),
            "padding": list(self.padding),
            "dilation": list(self.dilation),
            "groups": self.groups,
        }


def one_weight(window: Window, code: int = 1) -> Int8[Tensor, "n c kh kw"]:
    """Return kernels of zeros, but for one weight each, which the first window lays on the image.

    >>> one_weight(Window((1, 1, 4, 4), (1, 1, 3, 3), padding=(1, 1))).nonzero().tolist()
    [[0, 0, 1, 1]]
    """
    weight = torch.zeros(window.kernels, dtype=torch.int8)
    down, across = _tap(window)
    weight[:, 0, down, across] = code
    return weight


def smallest(window: Window) -> Window:
    """Return the same on one image that is no larger than its kernel, without its padding, reaches.

    >>> smallest(Window((8, 66, 56, 56), (66, 33, 3, 3), dilation=(2, 1), groups=2)).image
    (1, 66, 5, 3)
    """
    batch, channels, *size = window.image
    reach = [
        step * (kernel - 1) + 1
        for step, kernel in zip(window.dilation, window.kernels[2:], strict=True)
    ]
    height, width = map(min, size, reach)
    return window._replace(image=(min(batch, 1), channels, height, width))


def _tap(window: Window) -> tuple[int, int]:
    """Return the place in the kernel that lies on the image in the first window, if one does."""
    down, across = (
        min(-(-padding // step), size - 1)
        for padding, step, size in zip(
            window.padding, window.dilation, window.kernels[2:], strict=True
        )
    )
    return down, across
