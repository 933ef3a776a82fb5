"""A way to run a model: its name, what executes it, and how it is made from the float model."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from torch import Tensor, nn

from measure.subjects import Subject

LONGEST_MESSAGE = 300


@dataclass(frozen=True)
class Ready:
    """What is timed, and the bytes that its weights take, on disk where there is a file."""

    call: Callable[[], Tensor]
    bytes: int


Build = Callable[[nn.Module, Tensor], Ready]


@dataclass(frozen=True)
class Method:
    """How a model is quantized (``name``) and what runs it (``how``)."""

    name: str
    how: str
    build: Build
    fits: Callable[[Subject], bool] = lambda subject: True


def said(error: BaseException) -> str:
    """Return an error's type and message, without the paths of this machine.

    >>> said(ValueError("no file at /home/me/x.py"))
    'ValueError: no file at …/x.py'
    """
    message = re.sub(r"(?<![\w.])(?:/[\w.+-]+)+/([\w.+-]+)", r"…/\1", str(error).strip())
    message = re.sub(r"\x1b\[[\d;]*m", "", message)
    first = message.split("\n\n")[0]
    return f"{type(error).__name__}: {first}"[:LONGEST_MESSAGE]
