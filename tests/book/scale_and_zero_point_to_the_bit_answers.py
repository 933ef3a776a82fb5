"""Wrong answers to the questions of the page, and what each of them shows.

Written before the questions. Options are named by their words, as the page shows them. The judge
is asked for all of them in `test_questions.py`, a browser in
`tests/course/question/test_question_in_browser.py`.
"""

from __future__ import annotations

WRONG: list[tuple[str, str | tuple[str, ...], str]] = [
    ("both-ends-by-127-5", "128 −128", "There is no code 128"),
    ("both-ends-by-127-5", "127 −127", "even neighbour"),
    ("both-ends-by-127-5", "-128 127", "The other way round"),
    ("both-ends-by-127-5", "255 0", "from −128 to 127"),
    ("half-the-marks", "1 0", "Those are bits"),
    ("half-the-marks", "3 0", "20 times"),
    ("half-the-marks", "12 0", "one bit"),
    ("half-the-marks", "6 6", "as many codes"),
    ("half-the-marks", "0 6", "as many codes"),
    ("half-the-marks", "-6 0", "Which has the finer steps"),
    ("decibels-of-a-gelu", "36.8 6", "before you switch"),
    ("decibels-of-a-gelu", "42.6 6", "after you switched"),
    ("decibels-of-a-gelu", "5.8 36.9", "with seven bits"),
    ("decibels-of-a-gelu", "1 1", "in bits"),
    ("three-bits-and-a-tail", ("It falls.",), "finer steps for all others"),
    ("three-bits-and-a-tail", ("It stays the same.",), "not in balance"),
    ("three-bits-and-a-tail", ("It rises by six decibels or more.",), "half as wide"),
    ("rows-by-the-textbook", "0.7 -0.9", "does not hold these numbers"),
    ("rows-by-the-textbook", "0.2 0.2", "below 0"),
    ("rows-by-the-textbook", "0.5 −0.7", "clamped"),
    ("rows-by-the-textbook", "0 0", "the other end"),
    ("spoilt-by-the-textbook", ("They are close together.",), "as close together"),
    ("spoilt-by-the-textbook", ("Three numbers are too few.",), "as few"),
    ("spoilt-by-the-textbook", ("They have more decimals.",), "Decimals are no difficulty"),
]
