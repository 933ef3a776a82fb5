"""Wrong answers to the questions of the chapter, and what each of them shows.

Written before the questions; `test_questions.py` asks the judge for all of them.
"""

from __future__ import annotations

SMALL_SYMMETRIC, NF4 = "symmetric marks, 4 bits, groups of 16", "NF4, groups of 32"
THREE_BITS, FIVE_BITS = "symmetric marks, 3 bits, groups of 8", "affine marks, 5 bits, groups of 64"
BOTH_BIT, BOTH_GROUPS = "both: the fifth bit", "both: groups of 16"
SWAPPED = "plain: groups of 16, loud: the fifth bit"
INTX, Q8_0 = "int4 by `IntxWeightOnlyConfig`", "GGUF's Q8_0"
Q6_K, BLOCKS = "GGUF's Q6_K", "NF4 without double quantization"
READ, SCALES = (
    "read two float16 numbers, d and dmin",
    "multiply a part's numbers of six bits by them",
)
TIMES, MINUS = "multiply the code by the part's scale", "subtract the part's minimum"

WRONG: list[tuple[str, str | tuple[str, ...], str]] = [
    # Smaller groups must be best; fewer bits buy smaller groups; a fifth bit must be best.
    ("outlier-at-five-bits", (SMALL_SYMMETRIC,), "where no weight is"),
    ("outlier-at-five-bits", (NF4,), "as far below 0"),
    ("outlier-at-five-bits", (THREE_BITS,), "twice as far apart"),
    ("outlier-at-five-bits", (FIVE_BITS,), "5.5 bits"),
    ("bit-or-groups", (BOTH_BIT,), "12.8 %"),
    ("bit-or-groups", (BOTH_GROUPS,), "5.3 %"),
    ("bit-or-groups", (SWAPPED,), "the other way round"),
    # With pencil and paper: what is shared, by how many, in which unit.
    ("cost-of-three-bits", "3.25 2.84", "The zero point is stored, too"),
    ("cost-of-three-bits", "3.5 3.06", "eight bits here"),
    ("cost-of-three-bits", "27, 2.95", "by 64 weights"),
    ("cost-of-three-bits", "3.75 3.28", "groups of 32"),
    ("cost-of-three-bits", "3,375; 23.6", "Those are gigabits"),
    ("cost-of-three-bits", "3.375 2.75", "of 2³⁰ bytes"),
    ("cost-of-three-bits", "3.375", "Write 2 numbers"),
    # The sign of d, the shift by 8, the place of the upper half.
    ("two-weights-of-a-block", "-4 16 -0.5", "d is below 0"),
    ("two-weights-of-a-block", "4 16 −0,5", "one step below 0"),
    ("two-weights-of-a-block", "0 16 -3.5", "d · (code − 8)"),
    ("two-weights-of-a-block", "4 16 -3.5", "d · (code − 8)"),
    ("two-weights-of-a-block", "4 1 0.5", "16 places on"),
    ("two-weights-of-a-block", "4 17 0.5", "counted from 0"),
    ("two-weights-of-a-block", "0.5 16 4", "The lower half of 70"),
    ("two-weights-of-a-block", "8 16 1", "b800 is −0.5"),
    ("bits-of-ternary", "1.6", "needs its scale, too"),
    ("bits-of-ternary", "1.83", "at the least"),
    ("bits-of-ternary", "2.1", "groups of 32"),
    ("bits-of-ternary", "2.25", "Five codes share a byte"),
    ("the-other-order", "1 2 3 4", "low half first"),
    ("the-other-order", "4 3 2 1", "one after the other"),
    ("the-other-order", "3 4 1 2", "in its own byte"),
    ("the-other-order", "21 43 65 87", "two codes"),
    # The quiz.
    ("smallest-group", "32", "The zero point costs as much again"),
    ("smallest-group", "128", "4.25 bits"),
    ("smallest-group", "7", "four belong to the code"),
    ("smallest-group", "16", "costs 6 bits"),
    ("who-is-protected", ("all weights of the row",), "as wide as before"),
    ("who-is-protected", ("the 31 neighbours in its group",), "They still share its scale"),
    ("who-is-protected", ("the large weight itself",), "decides its own scale"),
    ("reading-q4-k", (READ, TIMES, SCALES, MINUS), "has no scale yet"),
    ("reading-q4-k", (READ, SCALES, MINUS, TIMES), "is not counted in codes"),
    ("reading-q4-k", (SCALES, READ, TIMES, MINUS), "Multiply by what?"),
    ("smaller-than-int8", (INTX, Q6_K, BLOCKS), "a byte for each code"),
    ("smaller-than-int8", (Q6_K, BLOCKS, Q8_0), "8.5 bits"),
    ("smaller-than-int8", (Q6_K, BLOCKS, "affine groups of four, four bits"), "12 bits"),
    ("smaller-than-int8", (BLOCKS,), "Look for another one"),
    ("mark-of-e2m1", "4.5", "too fine"),
    ("mark-of-e2m1", "5", "No mark lies there"),
    ("mark-of-e2m1", "6", "nearer to the mark below"),
    ("mark-of-e2m1", "3", "nearer to the mark above"),
    ("codes-of-an-affine-group", "-3 0 5", "You counted from 0"),
    ("codes-of-an-affine-group", "0 3 8", "You counted from the first mark"),
    ("codes-of-an-affine-group", "−8 0 5", "is not code 0"),
    ("codes-of-an-affine-group", "-8 -5 5", "add the code of 0"),
    ("codes-of-an-affine-group", "-2 0 3", "the symmetric ruler"),
    # The exercise in code: a whole block of one byte.
    ("sixteen-times-97", "-1 -1 1", "How long is one"),
    ("sixteen-times-97", "-2 2 -2", "beside it"),
    ("sixteen-times-97", "2 −2 2", "begins the next byte"),
    ("sixteen-times-97", "2 2 -2", "The lower half comes first"),
    ("sixteen-times-97", "14 14 18", "d · (code − 8)"),
    ("sixteen-times-97", "7 7 9", "d · (code − 8)"),
    ("sixteen-times-97", "-2 -2 -2", "the first of the upper halves"),
    # Base three: 1 added first, the first code counts once.
    ("byte-of-five-codes", "-107", "Add 1 to each code first"),
    ("byte-of-five-codes", "198", "counts once, and the last 81"),
    ("byte-of-five-codes", "8", "not in base two"),
    ("byte-of-five-codes", "22", "two bits for each code"),
    ("byte-of-five-codes", "4", "forgets the places"),
    ("byte-of-five-codes", "21100", "Those are the digits"),
]
