"""Wrong answers to the questions of the chapter, and what each of them shows.

Written before the questions; `test_questions.py` asks the judge for all of them.
"""

from __future__ import annotations

from qlearn.course.measured import columns

RATES = columns("cpu")[0].rates
CONVERT, DROP = "`convert_pt2e`", "`drop_unused_weights`"
EXPORT, SAVE = "`torch.export.export`", "`torch.export.save`"
IMPORT, LOAD = "`import torchao`, in another program", "`torch.export.load`"
COMPILE = "`torch.compile`, with `freezing`"
FLOATS, WEIGHTS = "it multiplies floats", "it turns all weights into floats"
INPUTS = "it quantizes inputs, and turns them back"

WRONG: list[tuple[str, str | tuple[str, ...], str]] = [
    # Fewer bytes help everywhere; arithmetic in integers is expected; a ratio is turned.
    ("gain-by-fewer-bytes", "4 4", "Do fewer bytes help there"),
    ("gain-by-fewer-bytes", "1 4", "One token waits for memory"),
    ("gain-by-fewer-bytes", "1 1", "One token waits for memory"),
    ("gain-by-fewer-bytes", "0.25 1", "part of the time"),
    ("gain-by-fewer-bytes", "4 64", "before and after"),
    ("gain-by-fewer-bytes", f"4 {RATES['int8'] / RATES['float32']:.2f}", "floats are multiplied"),
    ("gain-by-fewer-bytes", "2 1", "Which of the two costs"),
    ("gain-by-fewer-bytes", "4 2", "Which of the two costs"),
    # With pencil and paper.
    ("tokens-in-a-second", "3.57 7.14 14.3", "has a scale"),
    ("tokens-in-a-second", "3.57 7.14 2.86", "share it"),
    ("tokens-in-a-second", "0.28 0.14 0.08", "how many seconds"),
    ("tokens-in-a-second", "7.14 14.3 28.6", "bfloat16 has two bytes"),
    ("tokens-in-a-second", "0.45 0.89 1.59", "Eight bits are a byte"),
    ("tokens-in-a-second", "1.79 7.14 12.7", "two bytes, and not four"),
    ("tokens-in-a-second", "25 50 100", "How many bytes are all weights"),
    ("rows-until-arithmetic", "2 12", "takes four"),
    ("rows-until-arithmetic", "0.5 12", "other way round"),
    ("rows-until-arithmetic", "64 96", "bits, and not bytes"),
    ("rows-until-arithmetic", "8 2", "six times as many"),
    ("rows-until-arithmetic", "8 8", "six times as many"),
    ("rows-until-arithmetic", "8 48", "one byte"),
    ("rows-until-arithmetic", "8 3", "You divided"),
    ("rows-until-arithmetic", "100 600", "How long does a weight"),
    ("gain-of-int8-itself", "5 5", "bring together"),
    ("gain-of-int8-itself", "0.2 0.4", "Above 1"),
    ("gain-of-int8-itself", "2.5 2.5", "float in eager mode"),
    ("gain-of-int8-itself", "2 2.5", "compiled float model"),
    ("gain-of-int8-itself", "5 2", "compiling alone"),
    ("gain-of-int8-itself", "4 4", "ratio of bytes"),
    ("codes-and-back", "2 2", "weights are codes"),
    ("codes-and-back", "4 4", "only once"),
    ("codes-and-back", "3 5", "the last layer"),
    ("codes-and-back", "1 3", "tanh returns floats"),
    ("codes-and-back", "2 6", "biases stay"),
    ("codes-and-back", "0 0", "are still in the graph"),
    # The quiz.
    ("save-and-load-again", (CONVERT, EXPORT, SAVE, DROP, IMPORT, LOAD, COMPILE), "in the file"),
    ("save-and-load-again", (DROP, CONVERT, EXPORT, SAVE, IMPORT, LOAD, COMPILE), "still uses"),
    ("save-and-load-again", (CONVERT, DROP, SAVE, EXPORT, IMPORT, LOAD, COMPILE), "exported"),
    ("save-and-load-again", (CONVERT, DROP, EXPORT, SAVE, LOAD, IMPORT, COMPILE), "names of"),
    ("save-and-load-again", (CONVERT, DROP, EXPORT, SAVE, IMPORT, COMPILE, LOAD), "Load it"),
    ("save-and-load-again", (CONVERT, DROP, COMPILE, EXPORT, SAVE, IMPORT, LOAD), "one process"),
    ("each-call-in-eager-mode", (FLOATS,), "Look for another one"),
    ("each-call-in-eager-mode", (FLOATS, WEIGHTS, INPUTS, "it chooses ranges"), "static"),
    ("each-call-in-eager-mode", (FLOATS, WEIGHTS, INPUTS, "it runs batch norms"), "are gone"),
    (
        "each-call-in-eager-mode",
        (FLOATS, WEIGHTS, INPUTS, "it multiplies integers"),
        "results of `dequantize`",
    ),
    ("faster-for-sure", ("A, B and C",), "nearer to 1"),
    ("faster-for-sure", ("B and C",), "a copy"),
    ("faster-for-sure", ("none of them",), "far more"),
    ("sum-without-128", "2000", "Each code was 128"),
    ("sum-without-128", "1990", "once for each weight"),
    ("sum-without-128", "1872", "and not 128 times its weight"),
    ("sum-without-128", "1616", "and not 128 times its weight"),
    ("sum-without-128", "3280", "too large"),
    ("sum-without-128", "−19,760", "sizes have no place"),
    ("on-an-older-processor", ("calibrate it with other images",), "the same scales"),
    ("on-an-older-processor", ("compile it, with `freezing`",), "no PyTorch"),
    ("on-an-older-processor", ("correct the mean error of its outputs",), "hides"),
    ("fetched-by-a-token", "8.39 1.78", "The scales are fetched"),
    ("fetched-by-a-token", "75.5 1.78", "megabits"),
    ("fetched-by-a-token", "16.8 1.78", "half a byte"),
    ("fetched-by-a-token", "67.1 1.78", "float32"),
    ("fetched-by-a-token", "9.44 0.5625", "bytes for each product"),
    ("fetched-by-a-token", "9.44 2", "without the scales"),
    ("fetched-by-a-token", "9 1.78", "1,048,576"),
    # The exercises in code: what a thousand rows wait for, and what an integer kernel needs.
    ("two-numbers-that-decide", ("`bits` and `read`",), "with one row"),
    ("two-numbers-that-decide", ("`rows` and `products`",), "by the same factor"),
    ("two-numbers-that-decide", ("`read` and `products`",), "In float32, too"),
    ("two-numbers-that-decide", ("`bits` and `products`",), "Fewer bits are read sooner"),
    ("integer-layers", "3 3", "both numbers of a product"),
    ("integer-layers", "3 0", "as they were"),
    ("integer-layers", "2 1", "The linear layer counts"),
    ("integer-layers", "1 0", "The convolutions count"),
    ("integer-layers", "8 7", "multiplies two of them"),
    ("integer-layers", "5 4", "numbers were quantized"),
    ("integer-layers", "0 0", "no integers are multiplied"),
]
