"""Wrong answers to the questions of the page to the bit, and what each of them shows.

Written before the questions; `test_questions.py` asks the judge for all of them.
"""

from __future__ import annotations

CODES = ("`quant`, converted", "`conv`, converted", "`relu`, converted")
EARLY, LATE = "`quant`, before converting", "`dequant`, converted"

WRONG: list[tuple[str, str | tuple[str, ...], str]] = [
    # Which tensors hold codes, before and after converting.
    ("outputs-that-are-codes", (EARLY, *CODES), "only look"),
    ("outputs-that-are-codes", ("`conv`, before converting", *CODES), "only look"),
    ("outputs-that-are-codes", (*CODES, LATE), "floats again"),
    ("outputs-that-are-codes", CODES[:2], "computes nothing"),
    ("class-of-a-fused-relu", ("`ReLU`",), "there twice"),
    ("class-of-a-fused-relu", ("`ConvReLU2d`",), "under the name `conv`"),
    ("class-of-a-fused-relu", ("`Quantize`",), "makes no codes"),
    ("other-answers-in-codes", ("about ten",), "change places"),
    ("other-answers-in-codes", ("about fifty",), "small beside"),
    ("other-answers-in-codes", ("about half",), "does not shuffle"),
    # Where the error enters, and where the ratio is lowest.
    ("no-error-of-their-own", ("`quant`", "`pool`", "`flatten`"), "rounds the pixels"),
    ("no-error-of-their-own", ("`conv1`",), "rounded weights"),
    ("no-error-of-their-own", ("`pool`", "`flatten`", "`fc`"), "rounded weights"),
    ("no-error-of-their-own", ("`flatten`",), "Look for another one"),
    ("lowest-in-the-chain", ("`fc`",), "errors of both signs"),
    ("lowest-in-the-chain", ("`conv1`",), "The next layer"),
    ("lowest-in-the-chain", ("`quant`",), "rounded once"),
    ("enough-images", "10 10", "does not see small errors"),
    ("enough-images", "100 100", "needs far fewer"),
    ("enough-images", "1 1", "is a zero"),
    ("enough-images", "1 3", "three digits"),
    ("enough-images", "1 30", "the last digit"),
    ("enough-images", "1, 100", "after the tenth"),
    ("enough-images", "1 1200", "rare large numbers"),
    ("detour-through-floats", ("before `conv1`",), "quantized once"),
    ("detour-through-floats", ("between `conv1` and `conv2`",), "hand codes on"),
    ("detour-through-floats", ("behind `fc`",), "wants numbers"),
    # In the exercises.
    ("scales-without-fusing", "8 4", "a maximum of codes"),
    ("scales-without-fusing", "5 4", "Does the image count"),
    ("scales-without-fusing", "4 4", "with everything fused"),
    ("scales-without-fusing", "6 6", "no batch norm left"),
    ("scales-without-fusing", "6 3", "is quantized, too"),
    ("scale-of-a-sum", ("Its steps are the product of both scales.",), "for a product"),
    ("scale-of-a-sum", ("Its terms are floats.",), "on a ruler of its own"),
    ("scale-of-a-sum", ("It needs none: it gets that of the first term.",), "How large can"),
    ("layer-to-leave-in-float", ("`conv1`",), "sums and cancels"),
    ("layer-to-leave-in-float", ("`conv2`",), "sums and cancels"),
    ("layer-to-leave-in-float", ("for all three alike",), "still meets a sum"),
    ("bits-of-the-first-change", "4 4", "Look at each row"),
    ("bits-of-the-first-change", "5 4", "from above"),
    ("bits-of-the-first-change", "4 6", "The other way round"),
    ("bits-of-the-first-change", "6 3", "13 digits"),
    ("bits-of-the-first-change", "7 4", "all digits stay"),
    ("bits-of-the-first-change", "6 6", "six bits all digits stay"),
]
