"""Wrong answers to the questions of the chapter, and what each of them shows.

Written before the questions; `test_questions.py` asks the judge for all of them.
"""

from __future__ import annotations

RULER, CODES = "choose the ruler of the inputs", "make codes of the inputs"
ADD, SUBTRACT = "add up the products of codes", "subtract the zero point's part"
SCALE = "multiply the sum by both scales"
ONE_ROW, ROWS_20 = "a linear layer with 1 row", "a linear layer with 20 rows"
PLACES, ROWS_256 = "a convolution on 8 × 8 places", "a linear layer with 256 rows"
NO_LAYER, NO_LINEAR = "`filter_fn` chose no layer", "all weights lie in LSTMs and convolutions"
ENOUGH, EVAL = "eight bits are enough for this model", "the model is in eval mode"
OTHER, STEPS = "a step of another sequence, ten times as loud", "feeding it step by step"
LOUD = "its last step, ten times as loud as the rest"
WITHIN = "its last step, a little louder, far from the ruler's ends"
ORDER = "another order of the sequences"
BEHIND = "other weights in the layer behind the LSTM"

WRONG: list[tuple[str, str | tuple[str, ...], str]] = [
    # A call quantizes "the model"; int8 is a quarter; the LSTM is made of linear layers.
    ("bytes-left", ("22 kB",), "becoming one byte"),
    ("bytes-left", ("27 kB",), "Is an `nn.LSTM` one?"),
    ("bytes-left", ("44 kB",), "a quarter of float32"),
    # One ruler or many.
    ("loud-last-row", ("Both: the last state only.",), "also lies under the first row"),
    ("loud-last-row", ("Both: all eight states.",), "each step has a ruler of its own"),
    (
        "loud-last-row",
        ("One ruler: the last. A ruler for each step: all eight.",),
        "The other way round",
    ),
    # How often a weight is used.
    ("convolution-in-a-resnet", "1 0.68", "one row"),
    ("convolution-in-a-resnet", "7056 0.68", "nine different weights"),
    ("convolution-in-a-resnet", "100,352 0.68", "one channel of the input"),
    ("convolution-in-a-resnet", "784 100352", "for each weight"),
    ("convolution-in-a-resnet", "784 1.47", "inputs, divided by weights"),
    ("convolution-in-a-resnet", "784 6.125", "one matrix for each place"),
    ("convolution-in-a-resnet", "784 6.1", "one matrix for each place"),
    ("convolution-in-a-resnet", "784 87", "each of the 128 channels that come out"),
    ("convolution-in-a-resnet", "784 87.1", "each of the 128 channels that come out"),
    ("convolution-in-a-resnet", "784 0.7", "more digits"),
    ("more-steps", "12 95", "fetched again in each step"),
    ("more-steps", "256 95", "of the linear layer"),
    ("more-steps", "1.5 1.5", "raise the batch"),
    ("more-steps", "1,5; 2048", "of the linear layer"),
    ("more-steps", "1.5 756", "steps back to 32"),
    # With pencil and paper.
    ("ruler-of-a-quarter", "0.25", "where the inputs end"),
    ("ruler-of-a-quarter", "2", "to pixels from 0 to 1"),
    ("ruler-of-a-quarter", "1.95", "how far the outputs reach"),
    ("ruler-of-a-quarter", "8", "times shorter"),
    ("ruler-of-a-quarter", "1", "half as long"),
    ("ruler-of-a-quarter", "0.15", "divided by 16"),
    ("factor-of-64", "4 151", "biases, scales and zero points"),
    ("factor-of-64", "3.82 151", "nine bytes"),
    ("factor-of-64", "3.51 151", "biases of the float layer"),
    ("factor-of-64", "0.28 151", "what is left"),
    ("factor-of-64", "3,56 150", "a little below 3.8"),
    ("factor-of-64", "3.56 171", "On the left, too"),
    ("factor-of-64", "3.56 31", "divide by 0.2"),
    ("factor-of-64", "3.6 151", "more digits"),
    ("products-per-byte", "8 8 784", "four bytes in float32"),
    ("products-per-byte", "2 2 784", "one byte in int8"),
    ("products-per-byte", "2, 32, 784", "four times as many as in float32"),
    ("products-per-byte", "2 8 98", "rows, not batches"),
    ("products-per-byte", "2 8 196", "for each weight, and not for each byte"),
    ("products-per-byte", "0.5 0.125 784", "products for each byte"),
    # The quiz.
    ("codes-of-four-inputs", "−50 0 35 77", "You counted from 0"),
    ("codes-of-four-inputs", "0 100 170 255", "end at 127"),
    ("codes-of-four-inputs", "-82 0 58 127", "the symmetric ruler"),
    ("codes-of-four-inputs", "0 50 86 128", "127 steps"),
    ("codes-of-four-inputs", "0 0 35 77", "The number 0"),
    ("codes-of-four-inputs", "0 50 35 127", "35 steps above 0"),
    ("steps-of-a-dynamic-layer", (CODES, RULER, ADD, SUBTRACT, SCALE), "needs a ruler"),
    ("steps-of-a-dynamic-layer", (RULER, CODES, SCALE, ADD, SUBTRACT), "once, when it is finished"),
    ("steps-of-a-dynamic-layer", (RULER, CODES, ADD, SCALE, SUBTRACT), "a whole number"),
    ("steps-of-a-dynamic-layer", (RULER, ADD, CODES, SUBTRACT, SCALE), "before you multiply them"),
    ("scales-of-a-layer", "1", "the worst row"),
    ("scales-of-a-layer", "11", "anew in each call"),
    ("scales-of-a-layer", "64", "would have to go into each product"),
    ("scales-of-a-layer", "640", "one for each weight"),
    ("scales-of-a-layer", "20", "zero points"),
    ("exactly-float", (NO_LAYER,), "Look for a second one"),
    ("exactly-float", (NO_LAYER, NO_LINEAR, ENOUGH), "Enough is not exact"),
    ("exactly-float", (NO_LAYER, NO_LINEAR, EVAL), "rounded in eval mode, too"),
    ("first-state", (LOUD, OTHER), "Look for one more"),
    ("first-state", (LOUD, OTHER, STEPS, WITHIN), "No end of the ruler moves"),
    ("first-state", (LOUD, OTHER, STEPS, BEHIND), "no input of the LSTM"),
    ("first-state", (LOUD, OTHER, STEPS, ORDER), "in any order"),
    ("first-state", (STEPS,), "Look for one more"),
    ("weights-used-most", (ONE_ROW, ROWS_20, ROWS_256, PLACES), "64 times"),
    ("weights-used-most", (ONE_ROW, PLACES, ROWS_20, ROWS_256), "64 times"),
    ("weights-used-most", (PLACES, ONE_ROW, ROWS_20, ROWS_256), "64 times"),
    ("weights-used-most", (ROWS_256, PLACES, ROWS_20, ONE_ROW), "the fewest first"),
    # The exercises in code: names of modules, and what an output stores beside its weights.
    ("names-of-the-filter", ("`lstm.weight_ih_l0`", "`lstm.weight_hh_l0`"), "asked for modules"),
    ("names-of-the-filter", ("`lstm.inputs.0`", "`lstm.hidden.0`"), "Look for another one"),
    ("names-of-the-filter", ("`lstm.inputs.0`", "`lstm.hidden.0`", "`fc.weight`"), "of a module"),
    ("names-of-the-filter", ("`fc`",), "Look for another one"),
    ("bytes-that-are-left", "1914", "does not reach"),
    ("bytes-that-are-left", "1834", "a bias stays float"),
    ("bytes-that-are-left", "6,816", "as well"),
    ("bytes-that-are-left", "6,856", "a bias of four bytes"),
    ("bytes-that-are-left", "6,866", "The bias stays"),
    ("bytes-that-are-left", "6,896", "The zero point takes a byte"),
    ("bytes-that-are-left", "7336", "That is before"),
    ("bytes-that-are-left", "250", "The LSTM is left, too"),
]
