"""Wrong answers to the questions of the page, and what each of them shows.

Written before the questions. Options are named by their words, as the page shows them. The judge
is asked for all of them in `test_questions.py`, a browser in
`tests/course/question/test_question_in_browser.py`.
"""

from __future__ import annotations

ALL, ABOVE = "All three fall.", "Above 9.3: no batch reaches beyond it."
REVERSED = "It drops it at 90,000, and keeps it at 110,000."
REPAIRED = "It rises, and with $c$ = 0.1 small batches do as well."
SIZE = "It hardly does: the pictures are the same."

WRONG: list[tuple[str, str | tuple[str, ...], str]] = [
    ("end-of-the-average", (ABOVE,), "between what it was and the end of a batch"),
    ("end-of-the-average", ("At 9.3: one batch reaches it.",), "That is MinMax"),
    ("end-of-the-average", ("Below 9.3: nearly all batches reach beyond it.",), "as often above"),
    ("lift-by-the-outlier", "1", "From where it was"),
    ("lift-by-the-outlier", "93.33", "a hundredth of the way"),
    ("lift-by-the-outlier", "7.6", "where the end is then"),
    ("lift-by-the-outlier", "9.33", "is 0.01"),
    ("who-loses-by-the-outlier", (ALL,), "too narrow before"),
    ("who-loses-by-the-outlier", ("MinMax and the moving average fall.",), "too narrow before"),
    ("who-loses-by-the-outlier", ("MinMax and the histogram observer fall.",), "drops it"),
    ("counts-that-move", "3 2 1 2", "the counts move"),
    ("counts-that-move", "5 1 2 0", "cut in two at 1.5"),
    ("counts-that-move", "3 3 2 0", "cut in two at 1.5"),
    ("counts-that-move", "2 2 2 2", "from 4.5 to 6"),
    ("balance-of-an-outlier", "65536", "a twelfth"),
    ("balance-of-an-outlier", "10000", "what dropping costs"),
    ("balance-of-an-outlier", "307,200", "Square the step"),
    ("balance-of-an-outlier", "3072", "Square the 256"),
    ("ninety-and-110-thousand", ("It keeps it at both.",), "is not compared"),
    ("ninety-and-110-thousand", ("It drops it at both.",), "more than a hundred-thousandth"),
    ("ninety-and-110-thousand", (REVERSED,), "more room"),
    ("error-of-the-zeros", "1", "for each of the zeros"),
    ("error-of-the-zeros", "2", "three times as large"),
    ("error-of-the-zeros", "0.3", "for each of the zeros"),
    ("error-of-the-zeros", "6", "the other half"),
    ("after-an-infinity", ("3 / 255: it drops the infinity.",), "the second one"),
    ("after-an-infinity", ("2 / 255: it stops at the broken batch.",), "look for broken"),
    ("after-an-infinity", ("None: it raises an error.",), "look for infinities"),
    ("two-bins-by-hand", "8 4 8 4", "cut at 1.5"),
    ("two-bins-by-hand", "8 4 12 0", "cut at 1.5"),
    ("two-bins-by-hand", "6 6 10 2", "One old bin lies in each new one"),
    ("two-bins-by-hand", "8 4 8 2", "twelve numbers"),
    ("best-percentiles", "99.999 99.999", "wider steps"),
    ("best-percentiles", "99.9 99.9", "narrow"),
    ("best-percentiles", "99.9 99.999", "The other way round"),
    ("best-percentiles", "99.99 99.99", "Not the one in the middle"),
    ("what-the-average-follows", (SIZE,), "larger of more numbers"),
    ("what-the-average-follows", ("It falls: there are fewer steps of the average.",), "wider"),
    (
        "what-the-average-follows",
        ("It rises, and with $c$ = 0.1 small batches do as well.",),
        "28.4",
    ),
]
