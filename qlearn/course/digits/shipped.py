"""The arrays that come with the package, as tensors."""

from __future__ import annotations

from functools import cache
from importlib.resources import as_file, files

import numpy as np
import torch
from torch import Tensor


def shipped_tensors(name: str) -> dict[str, Tensor]:
    """Return the arrays of ``data/<name>.npz`` by their names; ``data/README.md`` says of each.

    They are copies, so that whoever writes into them changes nobody else's.

    >>> shipped_tensors("digits")["images"].shape
    torch.Size([1797, 8, 8])
    """
    return {key: stored.clone() for key, stored in _read(name).items()}


@cache
def _read(name: str) -> dict[str, Tensor]:
    with (
        as_file(files("qlearn.course.digits") / "data" / f"{name}.npz") as path,
        np.load(path) as stored,
    ):
        return {key: torch.from_numpy(stored[key]) for key in stored.files}
