"""Wrong answers to the questions of the chapter, and what each of them shows.

Written before the questions; `test_questions.py` asks the judge for all of them.
"""

from __future__ import annotations

BIAS, TIMES, ROUND = "add the bias, in steps of the sum", "multiply by the multiplier", "round"
SHIFT, CLAMP = "add the zero point", "clamp"
ZERO, BOTH = "the zero point of its input", "the product of its two scales"

WRONG: list[tuple[str, str | tuple[str, ...], str]] = [
    # One sum: the zero points, the bias, the nearest step.
    ("code-of-a-third-input", "−21", "Where does 0 lie"),
    ("code-of-a-third-input", "37", "You left out the bias"),
    ("code-of-a-third-input", "81", "The sum is below 0"),
    ("code-of-a-third-input", "40", "rounds to −21"),
    ("code-of-a-third-input", "35", "as they are"),
    ("codes-after-a-relu", "94 0", "does the code 0 mean"),
    ("codes-after-a-relu", "94, 30", "The second output is below 0"),
    ("codes-after-a-relu", "154 60", "You added the zero point"),
    ("codes-after-a-relu", "34 0", "Those are steps"),
    # The border.
    ("edge-and-middle", "6 9", "right sum of an edge"),
    ("edge-and-middle", "3 6", "does not reach the border"),
    ("edge-and-middle", "−1 9", "sum of a corner"),
    ("edge-and-middle", "5 9", "How many places of the border"),
    # With pencil and paper.
    ("two-sums-and-a-relu", "48 32 48 40", "Add the bias"),
    ("two-sums-and-a-relu", "52 36 52 36", "A ReLU replaces"),
    ("two-sums-and-a-relu", "52 36 52 0", "does the code 0 mean"),
    ("two-sums-and-a-relu", "12 −4 12 0", "Those are steps"),
    ("two-sums-and-a-relu", "52 44 52 44", "is below 0, also with the bias"),
    ("integer-to-start-from", "−220", "You added the part"),
    ("integer-to-start-from", "420", "You left out the bias"),
    ("integer-to-start-from", "200", "That is the bias"),
    ("integer-to-start-from", "−420", "below 0, and it is subtracted"),
    ("byte-of-a-sum", ("clip the sum to 0 … 255",), "whether a sum is above 0"),
    ("byte-of-a-sum", ("keep its lowest eight bits",), "start again at 0"),
    ("byte-of-a-sum", ("all three are equally bad",), "One of them divides"),
    # The constants of a channel, without any float.
    ("constants-of-a-channel", "0 169 15", "the bias adds to it"),
    ("constants-of-a-channel", "44 169 15", "in steps of the output there"),
    ("constants-of-a-channel", "8587 194 15", "The sum is multiplied by"),
    ("constants-of-a-channel", "8587 84 14", "only seven bits"),
    ("constants-of-a-channel", "8587 168 15", "cut the fraction off"),
    ("constants-of-a-channel", "8587 1417170176 38", "with 31 bits"),
    ("constants-of-a-channel", "8587 169 16", "eight bits before the point"),
    # A shift rounds down; a border means 0.
    ("codes-without-the-half", "94 30", "Those are right, with the half"),
    ("codes-without-the-half", "93 30", "Below 0 a shift rounds down, too"),
    ("codes-without-the-half", "94 29", "Both are rounded down"),
    ("codes-without-the-half", "33 −31", "Add the zero point"),
    ("codes-without-the-half", "93 31", "become smaller"),
    ("codes-without-the-half", "93 91", "lies below 0"),
    ("codes-without-the-half", "33.58 −30.08", "A code is a whole number"),
    ("codes-without-the-half", "92 28", "above 0 and below"),
    ("code-of-a-border", "0", "means −1"),
    ("code-of-a-border", "128", "the middle of the codes"),
    ("code-of-a-border", "63", "cut the fraction off"),
    ("code-of-a-border", "191", "from the end of the ruler"),
    ("code-of-a-border", "255", "the brightest pixel"),
    ("code-of-a-border", "85", "divided by 3"),
    ("code-of-a-border", "−64", "Look at the sign"),
    # The quiz.
    ("sums-of-255", "12750", "You forgot the zero point"),
    ("sums-of-255", "7750", "half a step earlier"),
    ("sums-of-255", "17,750", "You added the zero point"),
    ("sums-of-255", "154.5", "in steps of the output"),
    ("code-0-at-the-border", "0", "if the zero point were 0"),
    ("code-0-at-the-border", "1.2", "below the mark of 0"),
    ("code-0-at-the-border", "-1", "the picture above"),
    ("code-0-at-the-border", "-2.4", "how many steps"),
    ("from-sum-to-code", (TIMES, BIAS, ROUND, SHIFT, CLAMP), "in steps of the sum"),
    ("from-sum-to-code", (BIAS, ROUND, TIMES, SHIFT, CLAMP), "Multiply first"),
    ("from-sum-to-code", (BIAS, TIMES, ROUND, CLAMP, SHIFT), "leaves the ruler"),
    ("from-sum-to-code", (BIAS, TIMES, SHIFT, ROUND, CLAMP), "between two codes"),
    ("static-knows", (ZERO, BOTH, "the codes of its weights"), "Both know them"),
    ("static-knows", (ZERO, BOTH, "the sums of its products"), "Neither knows them"),
    ("static-knows", (ZERO, BOTH, "the column offsets"), "Both know them"),
    ("static-knows", (BOTH,), "Look for another one"),
    ("a-third-at-255", ("Sums have overflowed the int32.",), "65,793"),
    ("a-third-at-255", ("A border was filled with code 0.",), "near the edges"),
    ("a-third-at-255", ("A ReLU was not fused.",), "low codes"),
    ("multiplier-and-zero-point", "0.02 75", "width of one step of the output"),
    ("multiplier-and-zero-point", "200 75", "The other way round"),
    ("multiplier-and-zero-point", "0.005 −53", "begin at 0"),
    ("multiplier-and-zero-point", "0.005 −75", "is itself a code"),
    ("multiplier-and-zero-point", "0.005 0", "the output can be below 0"),
]
