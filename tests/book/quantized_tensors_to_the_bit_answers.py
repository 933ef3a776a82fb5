"""Wrong answers to the questions of the page, and what each of them shows.

Written before the questions. Options are named by their words, as the page shows them. The judge
is asked for all of them in `test_questions.py`, a browser in
`tests/course/question/test_question_in_browser.py`.
"""

from __future__ import annotations

WRONG: list[tuple[str, str | tuple[str, ...], str]] = [
    ("ten-zero-bytes", "0", "Which code stands for 0.0"),
    ("ten-zero-bytes", "0.0002", "below the zero point"),
    ("ten-zero-bytes", "-2", "in steps"),
    ("ten-zero-bytes", "2", "That is the zero point"),
    ("a-one-becomes-ten", ("The codes were rounded again.",), "computes nothing"),
    ("a-one-becomes-ten", ("The cut took codes from other places.",), "twice the code 1"),
    ("a-one-becomes-ten", ("The codes were clipped.",), "far from the ends"),
    ("assign-beyond-the-ruler", "3,5", "does not lie on this ruler"),
    ("assign-beyond-the-ruler", "255", "That is the code"),
    ("assign-beyond-the-ruler", "0.0255", "Count from the zero point"),
    ("assign-beyond-the-ruler", "0.0125", "unsigned"),
    ("assign-beyond-the-ruler", "-0.0002", "the other end"),
    ("copy-into-coarse-steps", "−2 1", "So an assignment of numbers would work"),
    ("copy-into-coarse-steps", "-1.6; 1", "no mark at −1.6"),
    ("copy-into-coarse-steps", "-15 1", "if the codes came alone"),
    ("copy-into-coarse-steps", "-16 0.1", "That is the code"),
    ("linear-too-small", ("The sums did not fit 16 bits.",), "in 32 bits"),
    ("linear-too-small", ("Fine steps make every number small.",), "multiplies it back"),
    ("linear-too-small", ("The zero point 2 was not subtracted.",), "subtracts both zero points"),
    # The exercise in code: what each row has of its own.
    ("cut-beside-the-codes", ("the scales",), "Look for another one"),
    ("cut-beside-the-codes", ("the zero points",), "Look for another one"),
    ("cut-beside-the-codes", ("the scales", "the zero points", "the axis"), "still the first"),
    ("cut-beside-the-codes", ("the first and the last code",), "All rows have the same two"),
    ("cut-beside-the-codes", ("the dtype",), "still `int8`"),
]
