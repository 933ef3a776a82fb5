"""Wrong answers to the questions of the page to the bit, and what each of them shows.

Written before the questions; `test_questions.py` asks the judge for all of them.
"""

from __future__ import annotations

A, B = "A: 256 codes for the input", "B: float64 behind the sums"
C = "C: PyTorch's codes, in float32"

WRONG: list[tuple[str, str | tuple[str, ...], str]] = [
    # An old file: what its two versions decide.
    ("file-of-version-3", ("its codes and its outputs",), "something about its inputs"),
    ("file-of-version-3", ("its outputs alone",), "holds the codes themselves"),
    ("file-of-version-3", ("neither",), "quantizes the weight anew"),
    # A finer number is taken for a nearer one, or other codes for a few last bits.
    ("three-layers-that-come-close", (C, B, A), "It rounds once"),
    ("three-layers-that-come-close", (B, A, C), "twice as many codes"),
    ("three-layers-that-come-close", (A, B, C), "twice as many codes"),
    ("three-layers-that-come-close", (C, A, B), "It rounds once"),
    # In the exercises.
    ("constant-left-out", "96", "That is what is there"),
    ("constant-left-out", "384", "the whole constant"),
    ("constant-left-out", "9", "the zero point of the input"),
    ("constant-left-out", "128", "the zero point of the weight"),
    ("constant-left-out", "−288", "Look at the sign"),
    ("line-for-many-scales", ("that of the input's codes",), "stays as it was"),
    ("line-for-many-scales", ("that of the sums",), "and no scale"),
    ("line-for-many-scales", ("the last one",), "a column of accumulators"),
    ("half-of-it-in-floats", "1 2", "are four"),
    ("half-of-it-in-floats", "4 2", "a product and its addition"),
    ("half-of-it-in-floats", "2 4", "still be quantized"),
    ("half-of-it-in-floats", "2 1", "two ends"),
    ("half-of-it-in-floats", "2, 0", "looks at each feature"),
    ("half-of-it-in-floats", "1024 2", "How many float operations"),
]
