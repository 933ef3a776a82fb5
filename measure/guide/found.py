"""What the program of a leaf made of the stand-in."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from qlearn.course.decisions import Kind

MODELS: dict[Kind, str] = {"conv": "the digits' network", "linear": "the ViT"}
LANGUAGE = "the small Llama"


class Found(NamedTuple):
    """A model's quantized file and outputs, compared with the float model's.

    ``whole`` is the size of the float32 model's file in the same format.
    """

    model: str
    size: int  # bytes of the quantized file
    whole: int
    sqnr: float  # of the outputs, in dB
    version: str
    said: str = ""  # what the program said that a reader should see


def sizes(small: str, whole: str) -> tuple[int, int]:
    """Return how many bytes two files have."""
    return Path(small).stat().st_size, Path(whole).stat().st_size
