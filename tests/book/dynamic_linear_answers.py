"""Wrong answers to the questions of the chapter, and what each of them shows.

Written before the questions; `test_questions.py` asks the judge for all of them.
"""

from __future__ import annotations

RANGE, CODES = "look for the smallest and the largest input", "make codes of the inputs"
SUM, OFFSET = "add up the products of codes", "subtract the part of the zero point"
SCALES, BIAS = "multiply by the two scales", "add the bias"
OF_WEIGHTS, COLUMN = "the codes of the weights", "the sum of the codes of an output's weights"
ZERO, STEP = "the zero point of the input", "the product of the two scales"

WRONG: list[tuple[str, str | tuple[str, ...], str]] = [
    # The column offset: each product, each feature, or the sum of the weights' codes.
    ("zero-sum-of-weights", "8", "the change of the zero point"),
    ("zero-sum-of-weights", "32", "by the number of features"),
    ("zero-sum-of-weights", "888", "of the first output's weights"),
    ("zero-sum-of-weights", "320", "zero point times a sum"),
    # Who shares a ruler.
    ("beside-a-thirty", "64 16 96 40", "beside a 3"),
    ("beside-a-thirty", "76, 0, 127, 38", "alone in the batch"),
    ("beside-a-thirty", "4 −2 8 1", "counted from 0"),
    ("beside-a-thirty", "6 127 0 4", "codes of row 2"),
    ("codes-beside-a-bad-image", "1", "half a step"),
    ("codes-beside-a-bad-image", "128", "the whole ruler"),
    ("codes-beside-a-bad-image", "0", "Each feature gets a code"),
    ("codes-beside-a-bad-image", "3", "less than one step"),
    # Inputs that are too small.
    ("a-millionth", "8 0.1", "so many different numbers"),
    ("a-millionth", "1 0", "What does the layer add"),
    ("a-millionth", "1 2.12", "the output for `x`"),
    ("a-millionth", "1 2.10", "the float output for `x`"),
    ("a-millionth", "2 0,1", "on both sides of 0"),
    ("a-millionth", "0 0.1", "0 has a code"),
    # With pencil and paper.
    ("ruler-of-an-input", "0.01 50 151", "divided by 255"),
    ("ruler-of-an-input", "0.02 25 50", "add the zero point"),
    ("ruler-of-an-input", "0.02 −25 25", "is itself a code"),
    ("ruler-of-an-input", "0.02 0 50", "The first code, 0, lies"),
    ("ruler-of-an-input", "0,016 31 93", "to the other"),
    ("ruler-without-zero", "0.016 −31 31", "has to hold 0"),
    ("ruler-without-zero", "0.02 25 75", "the first case"),
    ("ruler-without-zero", "0.02 −25 25", "no code −25"),
    ("ruler-without-zero", "0.02 0 25", "from 0.5"),
    ("smaller-batches", "347", "has 35 companions"),
    ("smaller-batches", "37", "Here only 35 images suffer"),
    ("smaller-batches", "36", "Here only 35 images suffer"),
    ("smaller-batches", "10", "do not hold the bad image"),
    ("smaller-batches", "180", "in how many batches"),
    # What mends tiny inputs, and what an int16 does at its end.
    ("factors-that-will-do", "4 18", "use only two codes"),
    ("factors-that-will-do", "10 18", "half of their ruler"),
    ("factors-that-will-do", "12 18", "their whole ruler already"),
    ("factors-that-will-do", "11 17", "With half of it"),
    ("factors-that-will-do", "11 24", "nearly so"),
    ("factors-that-will-do", "2048 262144", "Write its exponent"),
    ("factors-that-will-do", "11 21", "Try one power after another"),
    ("three-products-in-int16", "48387", "That is the right sum"),
    ("three-products-in-int16", "32767", "stopped at the end"),
    ("three-products-in-int16", "17149", "at the other end, below 0"),
    ("three-products-in-int16", "15620", "Where does it start again"),
    ("three-products-in-int16", "15619", "Where does that lie"),
    ("three-products-in-int16", "−17148", "itself, not"),
    ("three-products-in-int16", "65536", "First the right sum"),
    # What a ruler for each row changes, before it is written in code.
    ("same-codes-two-zero-points", "−26 0 39", "smaller, or larger"),
    ("same-codes-two-zero-points", "0 0 0", "What is then subtracted"),
    ("same-codes-two-zero-points", "13 13 13", "between the zero points"),
    ("same-codes-two-zero-points", "39 39 39", "the number of features"),
    ("same-codes-two-zero-points", "2 0 −3", "How often is each of them"),
    ("same-codes-two-zero-points", "40 0 −60", "from the second?"),
    ("same-codes-two-zero-points", "14, 0, −21", "from the first?"),
    ("same-codes-two-zero-points", "54 0 −81", "each from its own row"),
    ("same-codes-two-zero-points", "156 156 130", "Begin with the first output"),
    ("bits-of-a-shared-ruler", "4", "began at 0.5"),
    ("bits-of-a-shared-ruler", "8", "steps are that many times as wide"),
    ("bits-of-a-shared-ruler", "16", "what you count are doublings"),
    ("bits-of-a-shared-ruler", "2", "both sides of 0"),
    ("bits-of-a-shared-ruler", "18 dB", "How many bits is that"),
    ("bits-of-a-shared-ruler", "7", "are left"),
    ("bits-of-a-shared-ruler", "1", "Both hold 0"),
    # The quiz.
    ("what-is-left", "−40", "as they are"),
    ("what-is-left", "−60", "of each code"),
    ("what-is-left", "0", "You added it"),
    ("what-is-left", "80", "Look at the sign"),
    ("what-waits", (ZERO, STEP, OF_WEIGHTS), "quantized once"),
    ("what-waits", (ZERO, STEP, COLUMN), "nothing but weights"),
    ("what-waits", (ZERO,), "Look for another one"),
    ("order-of-an-integer-layer", (CODES, RANGE, SUM, OFFSET, SCALES, BIAS), "need a ruler"),
    ("order-of-an-integer-layer", (RANGE, CODES, OFFSET, SUM, SCALES, BIAS), "no sum yet"),
    ("order-of-an-integer-layer", (RANGE, CODES, SUM, SCALES, OFFSET, BIAS), "is an integer"),
    ("order-of-an-integer-layer", (RANGE, CODES, SUM, OFFSET, BIAS, SCALES), "is not quantized"),
    ("comes-back-as-more", "10", "a mark itself"),
    ("comes-back-as-more", "2.5", "255 steps"),
    ("comes-back-as-more", "15", "the next mark"),
    ("comes-back-as-more", "0.5", "one step of this ruler"),
    ("steps-of-eight", "8", "as large as before"),
    ("steps-of-eight", "3", "Those are the bits"),
    ("steps-of-eight", "48", "Six decibels are for each doubling"),
    ("steps-of-eight", "64", "The square of the error"),
    ("steps-of-eight", "6", "only twice as wide"),
    ("seven-bits-with-vnni", ("It costs one bit, and it saves sums.",), "in 32 bits at once"),
    ("seven-bits-with-vnni", ("It costs nothing, and it saves sums.",), "twice as wide"),
    ("seven-bits-with-vnni", ("It costs one bit, and it saves time.",), "as many bytes"),
]
