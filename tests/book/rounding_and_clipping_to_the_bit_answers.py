"""Wrong answers to the questions of the page, and what each of them shows.

Written before the questions. Options are named by their words, as the page shows them. The judge
is asked for all of them in `test_questions.py`, a browser in
`tests/course/question/test_question_in_browser.py`.
"""

from __future__ import annotations

RIGHT_TO_TEN = "It is right to ten percent, but not to one."

WRONG: list[tuple[str, str | tuple[str, ...], str]] = [
    ("step-as-wide-as-the-spread", ("It is more than a tenth too small.",), "a bound"),
    ("step-as-wide-as-the-spread", ("It is more than a tenth too large.",), "near to a mark"),
    ("step-as-wide-as-the-spread", (RIGHT_TO_TEN,), "better still"),
    ("lost-by-the-shape", "13.4 8.1", "The other way round"),
    ("lost-by-the-shape", "4.1 6.7", "20 times"),
    ("lost-by-the-shape", "12.9 18.2", "`uniform` has one as well"),
    ("lost-by-the-shape", "12.9 21.2", "Divide each by its spread"),
    ("lost-by-the-shape", "0 0", "The bits are the same"),
    ("bits-for-40-decibels", "7", "34.8 dB"),
    ("bits-for-40-decibels", "6", "loading factor"),
    ("bits-for-40-decibels", "231", "the number of steps"),
    ("bits-for-40-decibels", "9", "one bit more than needed"),
    ("below-the-formula", ("The rounding error is larger than $s^2/12$.",), "a thousandth"),
    ("below-the-formula", ("The spread of the numbers is not 1.",), "1.000"),
    ("below-the-formula", ("Float32 rounds the numbers that come back.",), "ten-millionth"),
    ("end-for-uniform", "1.056 3", "beyond the largest number"),
    ("end-for-uniform", "0.9503 2", "15 steps"),
    ("end-for-uniform", "0.947 -7", "promises"),
    ("end-for-uniform", "0.947 −2.6", "Which of the two sums is larger"),
    ("end-for-uniform", "0.947 0", "Measure both sums"),
    ("end-for-uniform", "1 0", "neither clipped"),
    ("wall-at-the-end", ("The rounding error is not $s^2/12$ here.",), "spread evenly"),
    ("wall-at-the-end", ("The negative side has one code more.",), "smaller, not larger"),
    ("wall-at-the-end", ("Too few numbers were measured.",), "A hundred thousand"),
    ("rounding-by-chance", "40 40 2", "six times in ten"),
    ("rounding-by-chance", "0 0 2", "All thousand become 0.3"),
    ("rounding-by-chance", "40 0 1", "than half a step away"),
    ("rounding-by-chance", "40 0 4", "square"),
    ("rounding-by-chance", "-40 0 2", "larger than 0.26"),
    ("chance-in-training", ("Its errors are smaller.",), "twice"),
    ("chance-in-training", ("It clips less.",), "the same ruler"),
    ("chance-in-training", ("It is faster.",), "random number"),
]
