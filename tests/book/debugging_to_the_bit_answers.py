"""Wrong answers to the questions of the page to the bit, and what each of them shows.

Written before the questions; `test_questions.py` asks the judge for all of them.
"""

from __future__ import annotations

WRONG: list[tuple[str, str | tuple[str, ...], str]] = [
    # What is compared if the batch norms were not folded before.
    ("convolutions-without-folding", ("about as many decibels as before",), "Which two operators"),
    ("convolutions-without-folding", ("infinitely many",), "never free"),
    ("convolutions-without-folding", ("nothing: it finds no pair",), "from one export"),
    # Which output is the signal.
    ("two-signals", "−6.0 3.5", "The other way round"),
    ("two-signals", "3.5 6.0", "larger than the float signal"),
    ("two-signals", "1.76 −3.01", "10 times that of their squares"),
    ("two-signals", "9.54 0", "How large is it"),
    ("two-signals", "1.5 0.5", "Those are the ratios"),
    ("two-signals", "3.5 3.5", "takes the quantized output"),
]
