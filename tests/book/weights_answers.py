"""Wrong answers to the questions of the chapter, and what each of them shows.

Written before the questions. Options are named by their words, as the page shows them. The judge
is asked for all of them in `test_questions.py`, a browser in
`tests/course/question/test_question_in_browser.py`.
"""

from __future__ import annotations

THREE_IN_32, TWO_IN_8 = "3 bits, groups of 32", "2 bits, groups of 8"
FOUR_IN_128, FOUR_IN_32 = "4 bits, groups of 128", "4 bits, groups of 32"
WEIGHTS, MEMORY = "weights of four bits", "a memory twice as fast"
MULTIPLIERS, ACTIVATIONS = "multipliers twice as fast", "activations of eight bits"

WRONG: list[tuple[str, str | tuple[str, ...], str]] = [
    # Bits that buy nothing, and bits that are spent in the wrong place.
    ("five-bits-a-weight", ("4 bits, groups of 16",), "both give 1.318"),
    ("five-bits-a-weight", ("3 bits, groups of 8",), "1.407"),
    ("five-bits-a-weight", ("4 bits, a scale for each row",), "It costs less, and loses"),
    ("five-bits-a-weight", ("6 bits, a scale for each row",), "more than five bits"),
    # With pencil and paper.
    ("a-file-of-seventy", "4.125 36.3", "the zero point, too"),
    ("a-file-of-seventy", "4.5 39.6", "128 weights, not 32"),
    ("a-file-of-seventy", "24 207", "of 128 weights share"),
    ("a-file-of-seventy", "4.25; 37.3", "takes 4 bits, not 16"),
    ("a-file-of-seventy", "4.156 35.9", "stay in 16 bits"),
    ("a-file-of-seventy", "4.156 35.6", "Embedding and head"),
    ("a-file-of-seventy", "4.156 292.9", "Those are gigabits"),
    ("tokens-until-waiting-ends", "82.5 23", "for one byte"),
    ("tokens-until-waiting-ends", "41.25 147", "two bytes"),
    ("tokens-until-waiting-ends", "165 587", "fetched sooner"),
    ("tokens-until-waiting-ends", "165 371", "bits, and not bytes"),
    ("tokens-until-waiting-ends", "1320 371", "bits, and not bytes"),
    ("inputs-that-cancel", "1 1 −8", "right with the inputs above"),
    ("inputs-that-cancel", "1 0 -7", "divided by 7"),
    ("inputs-that-cancel", "1, 0.4, -8", "A code is a whole number"),
    ("inputs-that-cancel", "1 -1 -8", "cancel"),
    ("loss-of-attention", ("about a tenth",), "a quarter of the weights"),
    ("loss-of-attention", ("about a quarter",), "mattered alike"),
    ("loss-of-attention", ("about three quarters",), "the other way round"),
    # Before GPTQ and AWQ are written in code.
    ("passed-to-the-second", "2 1", "which way"),
    ("passed-to-the-second", "1 1", "nearer to 2"),
    ("passed-to-the-second", "1 0", "nearer to 2"),
    ("passed-to-the-second", "2 −1", "so far"),
    ("passed-to-the-second", "2 0.27", "A code is a whole number"),
    ("passed-to-the-second", "3 0", "Round the first"),
    ("factors-by-power", "0 3", "to the power of 0"),
    ("factors-by-power", "9 3", "power of 1"),
    ("factors-by-power", "1 4.5", "not a half"),
    ("factors-by-power", "1 0.33", "The input is divided"),
    ("factors-by-power", "1 81", "square"),
    ("factors-by-power", "3 1", "The other way round"),
    ("factors-by-power", "1 0.5", "The mean size of the inputs"),
    # The quiz.
    ("writes-faster", (WEIGHTS, MULTIPLIERS), "idle already"),
    ("writes-faster", (WEIGHTS, ACTIVATIONS), "fetched as before"),
    ("writes-faster", (WEIGHTS, MEMORY, "a memory twice as large"), "a larger model fits"),
    ("writes-faster", (WEIGHTS,), "Look for a second one"),
    ("move-of-the-second", "0.3 1", "as if both inputs were alike"),
    ("move-of-the-second", "0.24 1", "squares of the first input"),
    ("move-of-the-second", "1.2 2", "Divide by the squares"),
    ("move-of-the-second", "0.45 1", "the other way round"),
    ("move-of-the-second", "0.6 1", "after the move"),
    ("move-of-the-second", "−0.2 0", "too small"),
    ("move-of-the-second", "0.2 0", "0.6 is nearer to 1"),
    ("move-of-the-second", "0.2 0.6", "Which mark is nearest"),
    ("columns-of-awq", ("the columns with the largest weights",), "What is this multiplied by"),
    ("columns-of-awq", ("the columns with the largest errors",), "until it meets its input"),
    ("columns-of-awq", ("the columns that are rounded first",), "GPTQ"),
    ("codes-of-three-weights", "8 -3 1", "There is no code 8"),
    ("codes-of-three-weights", "7 −2 1", "and not 3.0 / 7"),
    ("codes-of-three-weights", "3 -1 1", "the weights themselves"),
    ("order-of-sizes", (TWO_IN_8, THREE_IN_32, FOUR_IN_128, FOUR_IN_32), "two bits more"),
    ("order-of-sizes", (THREE_IN_32, FOUR_IN_128, TWO_IN_8, FOUR_IN_32), "4.125"),
    ("order-of-sizes", (THREE_IN_32, TWO_IN_8, FOUR_IN_32, FOUR_IN_128), "fewer scales"),
    ("adapter-of-a-layer", "16,384 0.016", "one of the two matrices"),
    ("adapter-of-a-layer", "16777216 16", "frozen weights"),
    ("adapter-of-a-layer", "32768 0.002", "16 bits"),
    ("adapter-of-a-layer", "32768 0.72", "our narrow model"),
    ("adapter-of-a-layer", "32768 0.5", "divide by the weights of the layer"),
]
