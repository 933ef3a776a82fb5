"""Wrong answers to the questions of the page to the bit, and what each of them shows.

Written before the questions; `test_questions.py` asks the judge for all of them.
"""

from __future__ import annotations

WRONG: list[tuple[str, str | tuple[str, ...], str]] = [
    ("through-float-and-back", ("a few",), "a tiny part of a step"),
    ("through-float-and-back", ("about half",), "half a step come from"),
    ("through-float-and-back", ("all",), "the rounding of float32"),
    # How many sums lie beside a boundary: none of them, one at each, or all near it.
    ("codes-by-a-rounded-bias", ("none",), "that near to a boundary"),
    ("codes-by-a-rounded-bias", ("255, one at each boundary",), "Not each time"),
    ("codes-by-a-rounded-bias", ("about ten thousand",), "a hundred sums wide"),
    ("codes-by-fixed-point", ("none",), "a number and a half"),
    ("codes-by-fixed-point", ("some thousands",), "several at each boundary"),
    ("codes-by-fixed-point", ("about half of them",), "some millionths of a step"),
    # Read in the figure.
    ("a-red-mark", "81.5 121 122", "The other way round"),
    ("a-red-mark", "81.5 82 81", "Add the zero point"),
    ("a-red-mark", "81.5, 122, 122", "where the two differ"),
    ("a-red-mark", "121.5 122 121", "after the rounding"),
    ("a-red-mark", "101875 122 121", "in its own steps"),
    # In the exercises.
    ("at-most-so-many-sums", "256", "How many boundaries"),
    ("at-most-so-many-sums", "156", "With other multipliers"),
    ("at-most-so-many-sums", "510", "have room there"),
    ("at-most-so-many-sums", "127", "float32 and fixed point"),
    ("three-integers-to-start-from", "−3,350 −1,429 1,633", "The bias in steps"),
    ("three-integers-to-start-from", "202 −405 607", "Those are the biases"),
    ("three-integers-to-start-from", "-3552 -1024 -2240", "Where is the bias"),
    ("three-integers-to-start-from", "3754 619 2847", "It is subtracted"),
    ("three-integers-to-start-from", "-3350 -1428 -1633", "cut the fraction"),
    ("three-integers-to-start-from", "91 -437 537", "says how often"),
    ("network-without-floats", ("about four in a thousand",), "a layer without a bias"),
    ("network-without-floats", ("about one at each boundary",), "convenient"),
    ("network-without-floats", ("about half",), "farther from a boundary"),
]
