"""Real data that needs no download: 1,797 handwritten digits of 8 × 8 pixels."""

from __future__ import annotations

from functools import cache

import torch
from jaxtyping import Float32, Int64
from torch import Tensor

from qlearn.course.digits.shipped import shipped_tensors


def load_digits() -> tuple[Float32[Tensor, "1797 8 8"], Int64[Tensor, " 1797"]]:
    """Return the images, pixels 0 to 1 in steps of 1/16, and the digit that each one shows.

    Source: the test part of the UCI data set *Optical Recognition of Handwritten Digits*, as
    scikit-learn's function of the same name returns it, divided by 16 here; ``data/README.md``
    says more. They are copies, as those of ``shipped_tensors`` are.

    >>> images, labels = load_digits()
    >>> images.shape, images.max().item(), labels[:5].tolist()
    (torch.Size([1797, 8, 8]), 1.0, [0, 1, 2, 3, 4])
    """
    images, labels = _read()
    return images.clone(), labels.clone()


@cache
def _read() -> tuple[Float32[Tensor, "1797 8 8"], Int64[Tensor, " 1797"]]:
    stored = shipped_tensors("digits")
    return stored["images"].to(torch.float32) / 16, stored["labels"].to(torch.int64)
