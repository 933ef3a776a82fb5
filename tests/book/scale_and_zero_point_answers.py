"""Wrong answers to the questions of the chapter, and what each of them shows.

Written before the questions. Options are named by their words, as the page shows them. The judge
is asked for all of them in `test_questions.py`, a browser in
`tests/course/question/test_question_in_browser.py`.
"""

from __future__ import annotations

RELU, PIXELS = "outputs of a ReLU", "pixel values from 0 to 255"
DIVIDE, ROUND, ADD, CLAMP = "divide by the scale", "round", "add the zero point", "clamp"
ROWS_FIT = "A scale for each row suits the last column better."
COLUMNS_FIT = "A scale for each column suits the last column better."
WHOLE_FITS = "A scale for each column suits the whole much better."
ROWS_WORK = "A layer of integers can use a scale for each row."
COLUMNS_WORK = "A layer of integers can use a scale for each column."

WRONG: list[tuple[str, str | tuple[str, ...], str]] = [
    # The forgotten zero point, the other ruler, rounding, the wrong end.
    ("affine-code", "57", "You counted the steps from 0"),
    ("affine-code", "49", "That is its code on the symmetric ruler"),
    ("affine-code", "79", "57.4 rounds to 57"),
    ("affine-code", "-71", "You counted from the first mark"),
    ("affine-code", "78.4", "A code is a whole number"),
    ("affine-code", "seventy", "Write a whole number"),
    ("code-of-zero", "−2,550", "You counted from mark 0"),
    ("code-of-zero", "2 422", "0 lies to the left of 10"),
    ("code-of-zero", "- 128", "Mark −128 lies at 10"),
    ("code-of-zero", "", "Write a number"),
    ("codes-of-row-7", "2", "Numbers nearer to 0 than half a step"),
    ("codes-of-row-7", "1", "reaches one step from 0"),
    ("codes-of-row-7", "256", "That is the whole ruler"),
    ("half-unused", (RELU,), "Look for a second kind"),
    ("half-unused", ("weights of a linear layer", RELU, PIXELS), "They lie on both sides of 0"),
    ("half-unused", (RELU, "audio samples"), "They swing around 0"),
    ("half-unused", (RELU, PIXELS, "outputs of a tanh"), "from −1 to 1"),
    # With pencil and paper.
    ("four-bits-by-hand", "0,2667; −5; −2", "you rounded towards 0"),
    ("four-bits-by-hand", "4/15 -4 2", "Add the zero point"),
    ("four-bits-by-hand", "0.25 -4 -2", "16 marks have 15 steps"),
    ("four-bits-by-hand", "0.27 -4 -2", "Give more digits"),
    # The quiz.
    ("symmetric-step", "0.02988", "127.5"),
    ("symmetric-step", "0,01494", "the whole ruler"),
    ("symmetric-step", "0.0249", "the affine ruler"),
    ("symmetric-step", "0.02", "The largest size decides"),
    ("order-of-steps", (DIVIDE, ROUND, CLAMP, ADD), "leaves the ruler"),
    ("order-of-steps", (DIVIDE, ADD, ROUND, CLAMP), "exactly between two"),
    ("order-of-steps", (ROUND, DIVIDE, ADD, CLAMP), "no longer whole"),
    ("place-of-a-mark", "-2.0", "You forgot the zero point"),
    ("place-of-a-mark", "-1.75", "Subtract the zero point"),
    ("place-of-a-mark", "2.25", "to the left of 0"),
    ("three-codes", "3 −1 127", "You forgot the zero point"),
    ("three-codes", "0, −4, 177", "There is no code 177"),
    ("three-codes", "0 -4 124", "Clip after the shift"),
    ("three-codes", "−1 −3 127", "Round to the nearest"),
    ("bytes-of-a-layer", "5,050", "A scale is a float32 number"),
    ("bytes-of-a-layer", "5008", "The scales have to be stored, too"),
    ("bytes-of-a-layer", "20 200", "A code has eight bits"),
    ("worst-row", ("At least 36 dB.",), "The large rows dominate"),
    ("worst-row", ("About 36 dB.",), "The large rows dominate"),
    ("worst-row", ("6 dB less.",), "in this chapter's matrix"),
    # What a learner wrote.
    ("affine-code", "36", "You subtracted 21"),
    ("symmetric-step", "0.025", "affine ruler"),
    ("symmetric-step", "0.015", "both halves"),
    ("three-codes", "0 -3 127", "−0.8 is −1"),
    ("three-codes", "-1 -4 127", "2.6 is 3"),
    ("four-bits-by-hand", "0.429 0 1", "a symmetric ruler"),
    ("four-bits-by-hand", "0.4 0 1", "a symmetric ruler"),
    ("four-bits-by-hand", "4/15 -4 -3", "1.875 steps from 0. Round to the nearest"),
    ("four-bits-by-hand", "4/15 -4.25 -2", "Round the steps from −1 to 0"),
    ("four-bits-by-hand", "4/15 -3.75 -2", "That is −1 in steps"),
    ("four-bits-by-hand", "4/15 -4 -1", "divided by the number of steps. Mark −8 lies at −1"),
    ("code-of-zero", "-138", "From 10 to 0 it is far more than ten steps"),
    # What fits best is taken for what a layer can use; the whole for its worst column.
    ("scales-of-columns", (COLUMNS_FIT,), "Look for another one"),
    ("scales-of-columns", (ROWS_WORK,), "Look for another one"),
    ("scales-of-columns", (ROWS_FIT, ROWS_WORK), "128 times smaller"),
    ("scales-of-columns", (COLUMNS_FIT, ROWS_WORK, WHOLE_FITS), "dominate it"),
    ("scales-of-columns", (COLUMNS_FIT, COLUMNS_WORK), "stays inside this sum"),
    # The exercises in code: a range without 0, and a zero point that is rounded once.
    ("ruler-of-the-cold", "0.098 127", "Widen the range first"),
    ("ruler-of-the-cold", "0.1176 -128", "At −128 lies −30"),
    ("ruler-of-the-cold", "0.118 128", "The last code is 127"),
    ("ruler-of-the-cold", "0,118 255", "`uint8`"),
    ("ruler-of-the-cold", "0.118 0", "symmetric ruler"),
    ("ruler-of-the-cold", "0.236 0", "half of it would"),
    ("ruler-of-the-cold", "0.137 127", "How long is it"),
    ("why-all-are-too-large", ("The clamp cuts off the smallest pixels.",), "of the pixels"),
    ("why-all-are-too-large", ("Each pixel is rounded, and 64 errors add up.",), "both signs"),
    ("why-all-are-too-large", ("The scale should be divided by 256.",), "255 steps"),
]
