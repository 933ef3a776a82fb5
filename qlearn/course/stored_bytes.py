"""How many bytes a module's numbers take in a file."""

from __future__ import annotations

import io
import zipfile

import torch
from torch import nn


def number_bytes(module: nn.Module) -> int:
    """Return the bytes of the numbers in the file that ``torch.save`` makes of a state_dict.

    ``Σ (size of a storage)``: weights, codes, biases and all other tensors, each storage once.
    Besides them the file holds padding, and a pickle of names, shapes and single numbers, for
    example the scale and the zero point of a tensor quantized per tensor.

    >>> number_bytes(nn.Linear(4, 3))
    60
    """
    with zipfile.ZipFile(_saved(module)) as archive:
        return sum(entry.file_size for entry in archive.infolist() if "/data/" in entry.filename)


def file_bytes(module: nn.Module) -> int:
    """Return the size of that file, which varies by some bytes with the version of torch.

    >>> file_bytes(nn.Linear(4, 3)) > number_bytes(nn.Linear(4, 3))
    True
    """
    return len(_saved(module).getbuffer())


def _saved(module: nn.Module) -> io.BytesIO:
    buffer = io.BytesIO()
    torch.save(module.state_dict(), buffer)
    return buffer
