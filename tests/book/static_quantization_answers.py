"""Wrong answers to the questions of the chapter, and what each of them shows.

Written before the questions; `test_questions.py` asks the judge for all of them.
"""

from __future__ import annotations

IMAGE, FLOATS = "make codes of the image", "make floats of the codes"
CONVOLVE, RELU = "multiply and add up, with the weights of `conv1`", "the ReLU"
CODES = "make codes of the outputs"
BIASES, LOGITS, WEIGHTS = "the biases", "the logits", "the weights"
NONE = "None: each layer only adds to the error."
SUMS, BETWEEN = "the sums of products", "what goes from layer to layer"

WRONG: list[tuple[str, str | tuple[str, ...], str]] = [
    # A network learns from a calibration; noise is the worst that can come.
    ("noise-as-calibration", ("five decibels",), "by bad luck"),
    ("noise-as-calibration", ("more than fifteen decibels",), "A single image"),
    ("noise-as-calibration", ("all: no digit is read right",), "need not know a digit"),
    # The largest own error does the most harm.
    ("one-layer-in-float", ("`conv2`",), "where an error enters"),
    ("one-layer-in-float", ("`fc`",), "the smallest"),
    ("one-layer-in-float", ("None of them gains anything.",), "each of the three adds some"),
    # A network is a chain in which each link only loses.
    ("lifts-the-line", ("`pool`",), "one more"),
    ("lifts-the-line", ("`fc`",), "one more"),
    ("lifts-the-line", (NONE,), "behind `conv2`"),
    ("lifts-the-line", ("`conv1`", "`pool`", "`fc`"), "it falls"),
    ("lifts-the-line", ("`conv2`", "`pool`", "`fc`"), "a little lower"),
    # With pencil and paper.
    ("fold-by-hand", "−6 −7", "Divide by the deviation, too"),
    ("fold-by-hand", "-3 -7", "Divide by the deviation: it is"),
    ("fold-by-hand", "12 −7", "The weight keeps its sign"),
    ("fold-by-hand", "−12 5", "subtracts the mean"),
    ("fold-by-hand", "-12; -1", "You left out the mean"),
    ("fold-by-hand", "−12 −4", "the mean is divided"),
    ("fold-by-hand", "-12 11", "The mean is subtracted behind the weight"),
    ("inverted-or-dim", ("the dim ones",), "no weight learns"),
    ("inverted-or-dim", ("both are equally good",), "brighter pixels"),
    ("inverted-or-dim", ("neither: both ruin the network",), "enough for a ruler"),
    ("two-layers-in-float", "46.5", "as squares"),
    ("two-layers-in-float", "47", "as squares"),
    ("two-layers-in-float", "45", "`conv1` alone"),
    ("two-layers-in-float", "43.5", "`conv2` alone"),
    ("two-layers-in-float", "41.5", "all layers in codes"),
    ("two-layers-in-float", "54", "`fc` is left"),
    ("no-such-layer", ("It raises an error.",), "Try it"),
    ("no-such-layer", ("It warns, and goes on.",), "Nothing is printed"),
    ("no-such-layer", ("It says nothing, and leaves all layers in float32.",), "the others"),
    # The quiz.
    ("graph-of-a-convolution", (IMAGE, FLOATS, CONVOLVE, CODES, RELU), "marks below 0"),
    ("graph-of-a-convolution", (IMAGE, CONVOLVE, FLOATS, RELU, CODES), "Until it is compiled"),
    ("graph-of-a-convolution", (FLOATS, IMAGE, CONVOLVE, RELU, CODES), "no codes yet"),
    ("graph-of-a-convolution", (IMAGE, FLOATS, RELU, CONVOLVE, CODES), "stands behind"),
    ("sums-become-codes", "24 −5 255", "below 0"),
    ("sums-become-codes", "24 251 255", "ran over"),
    ("sums-become-codes", "24 5 255", "does not turn"),
    ("sums-become-codes", "24 0 300", "The last code"),
    ("sums-become-codes", "24, 0, 44", "ran over"),
    ("sums-become-codes", "25 0 255", "nearer to 24"),
    ("after-a-relu", "0.199 51", "255 steps"),
    ("after-a-relu", "0.4 51", "below 0"),
    ("after-a-relu", "0,2 60", "beyond the ruler"),
    ("after-a-relu", "0.2 255", "That is its code"),
    ("after-a-relu", "0.235 60", "before 60 came"),
    ("float-when-compiled", (BIASES,), "Look for a second one"),
    ("float-when-compiled", (BIASES, LOGITS, SUMS), "int32"),
    ("float-when-compiled", (BIASES, LOGITS, WEIGHTS), "int8"),
    ("float-when-compiled", (BIASES, LOGITS, BETWEEN), "uint8"),
    ("four-times-as-bright", ("Both are clipped.",), "chooses its ruler in each call"),
    ("four-times-as-bright", ("Both get a longer ruler.",), "fixed before"),
    (
        "four-times-as-bright",
        ("Static: a longer ruler. Dynamic: clipped.",),
        "The other way round",
    ),
    ("where-it-enters", ("its weights",), "nearly exact"),
    ("where-it-enters", ("the layers behind it",), "cannot reach it"),
    ("where-it-enters", ("nothing: 50 dB are enough",), "that the layer adds itself"),
    # The exercises in code: which parts the factor multiplies, and what a second batch does.
    ("channel-without-gamma", "0 0", "is added last"),
    ("channel-without-gamma", "-0.3 0.5", "multiplies the weights, too"),
    ("channel-without-gamma", "−0.15 0.1", "the factor of"),
    ("channel-without-gamma", "0 0.7", "The old bias comes before"),
    ("channel-without-gamma", "0 0.2", "The old bias comes before"),
    ("channel-without-gamma", "0 -0.3", "difference of bias and mean"),
    ("channel-without-gamma", "0 -0.5", "The mean is subtracted before"),
    ("line-of-the-ends", ("`for name, layer in net.named_children():`",), "in the order"),
    ("line-of-the-ends", ('`if hasattr(layer, "weight"):`',), "Only layers with weights"),
    ("line-of-the-ends", ("`x = layer(x)`",), "was the input of the layer"),
]
