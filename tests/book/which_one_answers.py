"""Wrong answers to the questions of the chapter, and what each of them shows.

Written before the questions; `test_questions.py` asks the judge for all of them.
"""

from __future__ import annotations

PHONE = "a language model in an Android app: "
SERVER = "a ResNet on a server, with pictures and no labels: "
TABLE = "a recommender whose table has fifty million rows: "
FOUR, STATIC, ROWS = (
    PHONE + "four bits, with int8 inputs",
    SERVER + "static int8",
    TABLE + "int8 rows in the table",
)
THREE = (FOUR, STATIC, ROWS)
Q4, INT8, INTX, HALF = (
    "Q4_K_M of llama.cpp",
    "int8 weights, a scale for each row",
    "four bits in groups of 32 by `IntxWeightOnlyConfig`",
    "bfloat16",
)
PT2E, AWQ, SMOOTH = "static int8 by PT2E", "four bits with AWQ", "SmoothQuant"
INPUTS = (PT2E, AWQ, SMOOTH)

WRONG: list[tuple[str, str | tuple[str, ...], str]] = [
    # The layers that work are taken for those that weigh.
    ("tagger-int8-layers", "4", "if the whole file shrank"),
    ("tagger-int8-layers", "1.25", "A quarter of them stays"),
    ("tagger-int8-layers", "2.5", "the table alone"),
    ("tagger-int8-layers", "3.8", "the table, too"),
    ("tagger-int8-layers", "0.85", "the share that is left"),
    ("tagger-int8-layers", "15", "in percent"),
    ("tagger-int8-layers", "17 %", "in percent"),
    ("tagger-int8-layers", "2", "holds most of the file"),
    ("tagger-int8-layers", "5", "holds most of the file"),
    # Memory: the cache, bits and bytes.
    ("bits-that-fit", "9.1", "The cache needs"),
    ("bits-that-fit", "11.5", "Subtract the cache"),
    ("bits-that-fit", "0.84", "Those are bytes"),
    ("bits-that-fit", "2.4", "That is what the cache"),
    ("bits-that-fit", "7", "6.1 GB"),
    ("bits-that-fit", "5.9", "Those are the gigabytes"),
    ("bits-that-fit", "6", "a part of a bit more"),
    ("bits-that-fit", "4.84", "That fits, but"),
    ("bits-that-fit", "8", "How many gigabytes are left"),
    # The first method that comes to mind, where a simpler one fits or this one does not.
    ("first-methods", (FOUR, STATIC), "One more fits"),
    ("first-methods", (*THREE, PHONE + "float8"), "the integer kernels"),
    ("first-methods", (*THREE, SERVER + "training with fake quantization"), "asks for more"),
    ("first-methods", (*THREE, TABLE + "`Int8WeightOnlyConfig`"), "passes the table by"),
    # Bits of the scale, bits and bytes, a model that has a little less.
    ("seven-billion-in-groups", "3.5 3.5", "The scales are stored, too"),
    ("seven-billion-in-groups", "31.5 28.9", "Those are gigabits"),
    ("seven-billion-in-groups", "3.79 3.47", "6.74 billion"),
    ("seven-billion-in-groups", "3.61 3.94", "other way round"),
    ("seven-billion-in-groups", "4.38 3.72", "has 16 bits"),
    ("seven-billion-in-groups", "4.5 4.125", "Those are the bits"),
    ("seven-billion-in-groups", "3.67 3.36", "of 2³⁰ bytes"),
    ("seven-billion-in-groups", "3.94 3.94", "Groups of 128"),
    ("codes-beside-a-loud-one", "64 3", "other way round"),
    ("codes-beside-a-loud-one", "3 63", "64 is nearer"),
    ("codes-beside-a-loud-one", "6 128", "on both sides of 0"),
    ("codes-beside-a-loud-one", "0 64", "more than half a step"),
    ("codes-beside-a-loud-one", "3 128", "on both sides of 0"),
    ("codes-beside-a-loud-one", "3 127", "the code of the largest"),
    ("codes-beside-a-loud-one", "−3 −64", "Look at the sign"),
    ("codes-beside-a-loud-one", "3 3", "which is 2"),
    ("codes-beside-a-loud-one", "64 64", "which is 40"),
    # The quiz.
    ("smallest-file-first", (Q4, INTX, INT8, HALF), "more scales"),
    ("smallest-file-first", (INT8, Q4, INTX, HALF), "4.84 bits"),
    ("smallest-file-first", (INTX, Q4, INT8, HALF), "a whole byte for each code"),
    ("smallest-file-first", (Q4, INT8, HALF, INTX), "two bytes for each weight"),
    ("rows-that-are-even", "10", "twice as fast"),
    ("rows-that-are-even", "20", "one byte here"),
    ("rows-that-are-even", "1", "still waits"),
    ("rows-that-are-even", "7", "How long"),
    ("patches-on-a-processor", ("int8 weights",), "multiplying takes the time"),
    ("patches-on-a-processor", ("static int8 by PT2E",), "no images"),
    ("patches-on-a-processor", ("four bits in groups",), "Fewer bytes"),
    ("decibels-of-smoothquant", "12", "that many decibels"),
    ("decibels-of-smoothquant", "2", "Six of them"),
    ("decibels-of-smoothquant", "1.4", "do not divide"),
    ("decibels-of-smoothquant", "0.25", "so large"),
    ("decibels-of-smoothquant", "16", "Their squares"),
    ("needs-typical-inputs", (*INPUTS, "int8 weights"), "The weights are known"),
    ("needs-typical-inputs", (*INPUTS, "dynamic int8"), "in each call"),
    ("needs-typical-inputs", (*INPUTS, "int8 rows in a table"), "is looked up"),
    ("needs-typical-inputs", (PT2E, AWQ), "Look for another one"),
    ("needs-typical-inputs", (PT2E,), "Look for another one"),
    ("tokens-each-second", "8", "Give more digits"),
    ("tokens-each-second", "0.13", "seconds for a token"),
    ("tokens-each-second", "7.87", "so many gigabytes"),
    ("tokens-each-second", "0.95", "gigabits"),
    ("tokens-each-second", "4.6", "a byte for each weight"),
    ("tokens-each-second", "2.3", "in float16"),
    ("tokens-each-second", "61", "eight bits are a byte"),
    # The exercises in code: what `len` counts, and which of two times is longer.
    ("rows-of-eight-images", "136 136 8", "That it should count"),
    ("rows-of-eight-images", "17 136 8", "the second size"),
    ("rows-of-eight-images", "1 17 1", "with one image"),
    ("rows-of-eight-images", "8 17 8", "One image has that many rows"),
    ("rows-of-eight-images", "8 128 8", "a row more"),
    ("rows-of-eight-images", "8 8 8", "many rows in a transformer"),
    ("rows-of-eight-images", "8 136 136", "one row of each image"),
    ("gain-for-four-rows", "4 4", "four products for each weight"),
    ("gain-for-four-rows", "4 1", "still wait for reading"),
    ("gain-for-four-rows", "7.2 1.8", "The codes are read, too"),
    ("gain-for-four-rows", "4 7.2", "nothing is gained"),
    ("gain-for-four-rows", "2.93 1.93", "side by side"),
    ("gain-for-four-rows", "0.25 0.56", "the part of the time"),
    ("gain-for-four-rows", "1 1", "before and after"),
]
