"""Wrong answers to the questions of the chapter, and what each of them shows.

Written before the questions. Options are named by their words, as the page shows them. The judge
is asked for all of them in `test_questions.py`, a browser in
`tests/course/question/test_question_in_browser.py`.
"""

from __future__ import annotations

FIRST = "let the first mark lie at the largest size"
ROUND = "round all weights to codes"
FIT = "take the scale with which these codes fit best"
AGAIN = "round the weights again with this scale"
SHORTER, GROUPS = "end the ruler before a few far weights", "give each group of 32 its own scale"
MOVED = "change the zero point and not the scale"
LARGEST, FINER = "let the ruler reach the largest weight", "store the scale with more bits"

WRONG: list[tuple[str, str | tuple[str, ...], str]] = [
    # The reach of a ruler, the best end, outliers.
    ("clipped-at-0-7", ("2.5",), "Another number lies beyond"),
    ("clipped-at-0-7", ("2.5", "−1.1", "1.0"), "rounded to the last mark"),
    ("clipped-at-0-7", ("2.5", "−1.1", "−0.9"), "rounded to the first mark"),
    ("clipped-at-0-7", ("2.5", "−1.1", "0.8"), "0.1 from the last mark"),
    ("at-the-best-end", ("The two errors are equally large.",), "Equal sizes make no minimum"),
    ("at-the-best-end", ("Nothing is clipped.",), "3.80"),
    ("at-the-best-end", ("The rounding error is smallest.",), "nearly everything is clipped"),
    ("end-for-outliers", "3.5", "for the ordinary numbers alone"),
    ("end-for-outliers", "27", "40 is still clipped"),
    ("end-for-outliers", "31.5", "40 is still clipped"),
    ("end-for-outliers", "20", "how large is its squared error"),
    # With pencil and paper.
    ("step-of-1-by-hand", "1 1.5", "Square each error"),
    ("step-of-1-by-hand", "0,2; 6,25", "comes back as 1"),
    ("step-of-1-by-hand", "0.025 0.28125", "Those are the means"),
    ("step-of-1-by-hand", "0.8 2.25", "0.8 is nearer to 1"),
    ("step-of-1-by-hand", "2.25 0.2", "The other way round"),
    ("bits-for-30-decibels", "6.92 6", "Bits are whole"),
    ("bits-for-30-decibels", "2.92 2", "Add the four, and take whole bits"),
    ("bits-for-30-decibels", "3 2", "how many more bits"),
    ("bits-for-30-decibels", "5, 5", "Begin at what four bits give"),
    ("bits-for-30-decibels", "6.9 6", "Bits are whole"),
    ("bits-for-30-decibels", "7 7", "18 dB are a better start"),
    ("evenly-spread", ("at 0.45",), "a thin tail"),
    ("evenly-spread", ("at 0.9",), "a twentieth of"),
    ("evenly-spread", ("at 1.1",), "only the steps become wider"),
    ("sum-of-a-thousand", "28.9 40", "as if they were all the same"),
    ("sum-of-a-thousand", "0.91 1.26", "nothing cancels"),
    ("sum-of-a-thousand", "1.58 40", "the worst case"),
    ("sum-of-a-thousand", "0.029 0.04", "of a single product"),
    # The quiz.
    ("typical-error", "0.01", "the worst case"),
    ("typical-error", "0,02", "a whole step"),
    ("typical-error", "0.005", "the mean size"),
    ("bits-for-a-longer-ruler", "4", "twice as long, and twice again"),
    ("bits-for-a-longer-ruler", "12", "in decibels"),
    ("bits-for-a-longer-ruler", "1", "only twice as long"),
    ("four-bit-codes", "7 −12 3", "There is no code −12"),
    ("four-bit-codes", "6 -8 3", "rounds to 7"),
    ("four-bit-codes", "7 -7 3", "one mark more on the left"),
    ("four-bit-codes", "7, 4, 3", "ran over"),
    ("narrower-steps", (SHORTER, GROUPS, LARGEST), "That is the longest ruler"),
    ("narrower-steps", (SHORTER, GROUPS, FINER), "the marks lie as far apart"),
    ("narrower-steps", (SHORTER, GROUPS, MOVED), "move by the same distance"),
    ("narrower-steps", (SHORTER,), "Look for a second one"),
    ("order-of-the-search", (FIRST, FIT, ROUND, AGAIN), "needs codes"),
    ("order-of-the-search", (ROUND, FIRST, FIT, AGAIN), "needs a ruler"),
    ("order-of-the-search", (FIRST, ROUND, AGAIN, FIT), "no new scale yet"),
    ("weights-or-outputs", ("At least as many as before.",), "of our layer"),
    ("weights-or-outputs", ("Yes, more than before.",), "of our layer"),
    ("weights-or-outputs", ("As many as before.",), "of our layer"),
    # What a learner wrote.
    ("typical-error", "0.000033", "Take the root"),
    ("typical-error", "0.29", "in steps"),
    ("sum-of-a-thousand", "29 40", "as if they were all the same"),
    ("sum-of-a-thousand", "0.91 50", "How far is 1.26"),
    # The exercise in code: the sign of an error, and where the reach of the ruler ends.
    ("errors-beyond-the-end", "0.1 0 0 0.2", "minus the number"),
    ("errors-beyond-the-end", "-0.1 0 0 0.2", "minus the number"),
    ("errors-beyond-the-end", "0 −0.1 0 −0.2", "is a rounding error"),
    ("errors-beyond-the-end", "-0,1 0 -0,2 0", "the mark 1.25"),
    ("errors-beyond-the-end", "-0.1 0 0.05 0", "the mark 1.25"),
    ("errors-beyond-the-end", "-0.1 -0.1 -0.2 -0.2", "of one kind"),
    ("errors-beyond-the-end", "-0.1 0 0 -0.075", "the last mark"),
    ("errors-beyond-the-end", "-0.1 -0.2", "Write 4 numbers"),
    ("end-for-ten-numbers", ("1",), "off by 3"),
    ("end-for-ten-numbers", ("2.5",), "which mark is 1 nearest"),
    ("end-for-ten-numbers", ("4",), "each 1 becomes 0"),
]
