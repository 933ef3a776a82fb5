"""Why a cell may print something else on some machines: the marks, which the proofs' page lists.

A cell carries a mark as a tag, ``machine-NAME``. It allows another output only where the mark
applies; everywhere else the cell prints what is stored. An error is never allowed.
"""

from __future__ import annotations

import platform
from collections.abc import Callable
from dataclasses import dataclass

PREFIX = "machine-"
RELEASE = "2.13"  # of torch, in requirements.txt


def without_fbgemm() -> bool:
    """Tell whether FBGEMM's kernels do not run here: on ARM, on a Mac, and without AVX2."""
    import torch

    arm = platform.machine().lower() in ("aarch64", "arm64")
    return arm or "fbgemm" not in torch.backends.quantized.supported_engines


def saturates_at_int32() -> bool:
    """Tell whether a float that int32 cannot hold becomes the nearest end, as on ARM."""
    from qlearn.machine import int32_saturates

    return int32_saturates()


def another_release() -> bool:
    """Tell whether this torch is of another release than the one that the course pins."""
    import torch

    return not torch.__version__.startswith(f"{RELEASE}.")


@dataclass(frozen=True)
class Mark:
    """A reason, and the machines to which it applies."""

    reason: str
    applies: Callable[[], bool]


MARKS = {
    "kernel": Mark(
        "The kernel that the cell is about is not there: the cell says so, and shows what qlearn "
        "computes",
        without_fbgemm,
    ),
    "range": Mark(
        "qnnpack ignores reduce_range, so its numbers are those of the whole range of codes",
        without_fbgemm,
    ),
    "int32": Mark(
        "The processor converts a float that int32 cannot hold to the nearest end, as ARM does, "
        "and not to the smallest integer",
        saturates_at_int32,
    ),
    "bias": Mark(
        "qnnpack rounds each bias to a multiple of the product of two scales, a coarse step where "
        "weights have few bits, and some codes differ",
        without_fbgemm,
    ),
    "release": Mark(
        "Another release of torch rounds activations otherwise, or has other lines in its source",
        another_release,
    ),
    "engines": Mark("The cell lists or counts this machine's engines", without_fbgemm),
}


def allows(mark: str) -> bool:
    """Tell whether a cell with this mark may print something else on this machine."""
    return mark in MARKS and MARKS[mark].applies()


def mark_of(tags: list[str]) -> str:
    """Return the name of the mark among a cell's tags, or an empty string."""
    return next((tag.removeprefix(PREFIX) for tag in tags if tag.startswith(PREFIX)), "")
