"""Wrong answers to the questions of the chapter, and what each of them shows.

Written before the questions; `test_questions.py` asks the judge for all of them.
"""

from __future__ import annotations

INFINITE, OLD = "infinity, and infinity", "NaN, and infinity"
ONNX, ERROR = "448, and 57,344", "an error, and infinity"
BIAS, SCALE = "The two sides subtract different biases.", "The two sides have different scales."
MANTISSA, BEYOND = "One side has a bit more mantissa.", "The largest weight was beyond the end."
EVEN, BELL = "numbers spread evenly from −1 to 1", "weights with a crest factor of 4.5"
LOUD, FAR = (
    "this page's activations, of crest factor 33",
    "numbers of typical size 1, the largest is 40",
)
TINY = "those weights, each divided by 1,000"
SMALLER = "those activations, each divided by 33"
INFINITY, BITS = "Its code is that of infinity.", "It takes four bits of mantissa."
POWER, NAN = "It takes a larger power of two.", "Its code is that of NaN."
LOOK, CHOOSE = "look at typical inputs", "take their largest size / 448 as scale"
DIVIDE, CLAMP = "divide each new number by the scale", "clamp to −448 … 448"
CAST = "cast to `float8_e4m3fn`"

WRONG: list[tuple[str, str | tuple[str, ...], str]] = [
    # Beyond the end there is infinity, as in float32; libraries agree; an error comes.
    ("a-billion-in-float8", (INFINITE,), "no code for infinity"),
    ("a-billion-in-float8", (OLD,), "torch 2.11"),
    ("a-billion-in-float8", (ONNX,), "ONNX"),
    ("a-billion-in-float8", (ERROR,), "raises none"),
    ("equally-good-at", "4.4", "int8 is ahead"),
    ("equally-good-at", "8.8", "one doubling"),
    ("equally-good-at", "8.4", "6 of the 8.4 dB are used up"),
    ("equally-good-at", "17.6", "Two doublings"),
    ("equally-good-at", "33", "int8 is behind"),
    ("equally-good-at", "1.4", "how many doublings"),
    ("equally-good-at", "6.2", "factor of two"),
    # With pencil and paper: the way of rounding, the bias, what the mantissa leaves out.
    ("write-5-2", "5.5 5 9 2", "10.4 rounds to 10"),
    ("write-5-2", "5.25 5 9 2", "eight steps"),
    ("write-5-2", "5 6 9 2", "5.2 is nearer to 5"),
    ("write-5-2", "5 4 9 2", "four steps"),
    ("write-5-2", "5 5.5 9 2", "four steps"),
    ("write-5-2", "5 5 7 2", "That is the bias alone"),
    ("write-5-2", "5 5 9 010", "if you mean the bits"),
    ("write-5-2", "5 5 2 2", "with the bias 7 added"),
    ("write-5-2", "5 5 17 2", "the bias of E5M2"),
    ("write-5-2", "5; 5; 9; 10", "8 are the power of two"),
    ("write-5-2", "5 5 1001 010", "Those are its bits"),
    ("write-5-2", "5 5", "Write 4 numbers"),
    ("a-subnormal", "0.00488", "2⁻⁶ is the least power of two"),
    ("a-subnormal", "0", "not the least mark"),
    ("a-subnormal", "0.0156", "That is the least power of two"),
    ("a-subnormal", "0,00586", "2.4 rounds to 2"),
    ("twice-as-large", (SCALE,), "no NaN"),
    ("twice-as-large", (MANTISSA,), "Both have three bits"),
    ("twice-as-large", (BEYOND,), "at the end"),
    ("crest-of-a-row", "34 22.3", "of the 506"),
    ("crest-of-a-row", "1.7 48.3", "all 512"),
    ("crest-of-a-row", "14.3 76", "Subtract: a larger"),
    ("crest-of-a-row", "14.3 23.1", "how much the crest factor costs"),
    ("crest-of-a-row", "14.3 31.5", "That is E4M3"),
    ("crest-of-a-row", "6 37.3", "the mean of the squares"),
    # The quiz.
    ("mark-above-16", "21", "steps of 1"),
    ("mark-above-16", "20", "nearer to the mark above"),
    ("mark-above-16", "24", "another one nearer"),
    ("better-as-int8", (EVEN, BELL, LOUD), "behind by about 9 dB"),
    ("better-as-int8", (EVEN, BELL, FAR, TINY), "The crest factor is 40"),
    ("better-as-int8", (EVEN, BELL), "Look for another one"),
    ("better-as-int8", (EVEN, BELL, TINY, SMALLER), "is still 33"),
    ("no-480", (INFINITY,), "has no infinity"),
    ("no-480", (BITS,), "three bits"),
    ("no-480", (POWER,), "2⁸"),
    ("bytes-of-nvfp4", "2,048", "Each block has a scale, too"),
    ("bytes-of-nvfp4", "2176", "blocks of 32"),
    ("bytes-of-nvfp4", "18432", "Those are bits"),
    ("bytes-of-nvfp4", "2560", "one byte"),
    ("bytes-of-nvfp4", "2308", "of the whole tensor"),
    ("order-before-a-cast", (LOOK, CHOOSE, DIVIDE, CAST, CLAMP), "too late"),
    ("order-before-a-cast", (LOOK, CHOOSE, CLAMP, DIVIDE, CAST), "The end is 448 for"),
    ("order-before-a-cast", (CHOOSE, LOOK, DIVIDE, CLAMP, CAST), "Nobody knows"),
    ("codes-beside-an-outlier", "128 -128 0", "There is no code 128"),
    ("codes-beside-an-outlier", "127 −127 0", "one code more below 0"),
    ("codes-beside-an-outlier", "127 -128 1", "less than half a step"),
    ("codes-beside-an-outlier", "-128 -128 0", "ran over"),
]
