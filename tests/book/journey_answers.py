"""Wrong answers to the questions of the chapter, and what each of them shows.

Written before the questions; `test_questions.py` asks the judge for all of them.
"""

from __future__ import annotations

PIXELS, SUMS = "divide the pixels by a scale, and round", "multiply codes by weights, and add"
BIAS, FOUR = "add the bias, and go over to the next ruler", "keep the largest of four codes"
TEN = "look for the largest of ten codes"
FAR, ADDED = "rounding the weights", "adding up the products"
LARGEST, LESS = "keeping the largest of four", "subtracting the zero point"
ROUNDED, REQUANTIZED = "rounding the pixels", "going over to the next ruler"

WRONG: list[tuple[str, str | tuple[str, ...], str]] = [
    # A sum is not a code yet: the bias, then the next ruler.
    ("code-of-the-journey", "210", "left out the bias"),
    ("code-of-the-journey", "159", "cut the fraction off"),
    ("code-of-the-journey", "161", "sum of the real numbers"),
    ("code-of-the-journey", "261", "The bias is below 0"),
    ("code-of-the-journey", "255", "The bias is below 0"),
    ("code-of-the-journey", "2", "the number that it means"),
    # Windows of windows overlap.
    ("pixels-of-one-number", "9 36", "conv1"),
    ("pixels-of-one-number", "81 36", "overlap"),
    ("pixels-of-one-number", "144; 36", "products"),
    ("pixels-of-one-number", "25 100", "The four windows overlap"),
    ("pixels-of-one-number", "25 25", "four numbers side by side"),
    ("pixels-of-one-number", "5 6", "a side"),
    # One pixel of sixty-four.
    ("erase-the-pixel", ("Another digit has the largest score.",), "one product of nine"),
    ("erase-the-pixel", ("The score of 4 falls to the code 0.",), "other products stay"),
    ("erase-the-pixel", ("No score changes.",), "the pixel is part of"),
    ("erase-the-pixel", ("The score of 4 changes, and no other.",), "the same 256 codes"),
    # With pencil and paper.
    ("codes-of-two-pixels", "63 159", "rounds to 64"),
    ("codes-of-two-pixels", "64 160", "not 256"),
    ("codes-of-two-pixels", "4 10", "steps of the data"),
    ("codes-of-two-pixels", "−64 31", "begin at 0"),
    ("products-of-conv2", "2304", "each weight is used"),
    ("products-of-conv2", "9,216", "sixteen channels come in"),
    ("products-of-conv2", "144", "A single sum"),
    ("products-of-conv2", "159232", "all layers"),
    ("sums-behind-code-0", ("−36,000",), "Another sum"),
    ("sums-behind-code-0", ("−36,000", "0"), "Another sum"),
    ("sums-behind-code-0", ("−36,000", "0", "12,000", "12,600"), "more than half a step"),
    ("sums-behind-code-0", ("−36,000", "0", "12,000", "30,000"), "more than seventy"),
    ("sums-behind-code-0", ("−36,000", "0", "12,000", "51,259"), "has the code 160"),
    # Before one sum is written in code.
    ("products-at-the-edge", "3 5", "The other way round"),
    ("products-at-the-edge", "4 6", "And the others"),
    ("products-at-the-edge", "6 3", "belongs to both sides"),
    ("products-at-the-edge", "3 3", "A corner has two"),
    ("products-at-the-edge", "1 1", "The window is 3 wide"),
    ("products-at-the-edge", "5 6", "And the others"),
    ("products-at-the-edge", "5 0", "reaches beyond the edge"),
    ("products-at-the-edge", "8 2", "Draw the window"),
    # A sum counts steps, and a bias does not.
    ("fault-of-the-next-codes", ("`step / scale`",), "the one multiplication"),
    ("fault-of-the-next-codes", ("`.round()`",), "the nearest mark"),
    ("fault-of-the-next-codes", ("`.clamp(0, 255)`",), "a ReLU cuts off"),
    # The quiz.
    ("order-of-the-journey", (SUMS, PIXELS, BIAS, FOUR, TEN), "no codes yet"),
    ("order-of-the-journey", (PIXELS, BIAS, SUMS, FOUR, TEN), "no sum yet"),
    ("order-of-the-journey", (PIXELS, SUMS, FOUR, BIAS, TEN), "codes, and they are sums"),
    ("order-of-the-journey", (PIXELS, SUMS, BIAS, TEN, FOUR), "The ten come last"),
    ("what-makes-a-difference", (ROUNDED, FAR, REQUANTIZED, ADDED), "exact"),
    ("what-makes-a-difference", (ROUNDED, FAR, REQUANTIZED, LARGEST), "Nothing is computed"),
    ("what-makes-a-difference", (ROUNDED, FAR, REQUANTIZED, LESS), "less an integer"),
    ("what-makes-a-difference", (ROUNDED, REQUANTIZED), "Look for another one"),
    ("what-makes-a-difference", (ROUNDED, FAR), "Look for another one"),
    ("empty-image", ("A sum has overflowed.",), "products of 0"),
    ("empty-image", ("The differences have grown on the way.",), "in steps of the last ruler"),
    ("empty-image", ("An integer network guesses where no ink is.",), "Nothing is left to chance"),
    ("code-of-no-score", "0 50", "the smallest score"),
    ("code-of-no-score", "128 178", "reached equally far"),
    ("code-of-no-score", "140 50", "steps from 0"),
    ("code-of-no-score", "−140 190", "a code of 0 … 255"),
    ("beyond-the-last-mark", "4.3", "no mark lies there"),
    ("beyond-the-last-mark", "3", "the code"),
    ("beyond-the-last-mark", "2.6", "255 is the code"),
    ("products-in-16-bits", "2", "−65,280"),
    ("products-in-16-bits", "65793", "32 bits"),
    ("products-in-16-bits", "128", "one of its factors"),
    ("products-in-16-bits", "256", "one of its factors"),
]
