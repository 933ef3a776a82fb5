"""Wrong answers to the questions of the chapter, and what each of them shows.

Written before the questions; `test_questions.py` asks the judge for all of them.
"""

from __future__ import annotations

CUT_OFF, HOT = "a ruler that ends too early", "one observer for all layers"
SATURATE, BIAS = "sums that saturate", "a bias multiplied by a wrong scale"
BITS, SIGNED = "three bits for the weights", "bytes that are read with a sign"
DATA = "right data: calibrate by images of the training"
PERCENTILE = "percentile: end the rulers of inputs earlier"
CHANNELS = "per channel: a scale for each output channel"
SEVEN = "codes < 128: seven bits for the inputs"
MEANS = "bias: subtract the mean error of each output"
EQUAL = "equalized: multiply channels until they are alike"
FLOAT = "layer float: the worst layer in float32"
IN_FLOAT, ALONE = "the float network, in the same loop", "each input alone"
SIMULATED, SIDES = "the same scales in simulation", "weights only, then activations only"
LAYERS = "each layer alone"

WRONG: list[tuple[str, str | tuple[str, ...], str]] = [
    # Everything disappears, or nothing; a kernel's faults are taken for those of scales.
    ("still-in-simulation", (CUT_OFF,), "Another one stays"),
    ("still-in-simulation", (CUT_OFF, HOT, BITS, SATURATE), "It adds in float32"),
    ("still-in-simulation", (CUT_OFF, HOT, BITS, BIAS), "its bias in float32"),
    ("still-in-simulation", (CUT_OFF, HOT, BITS, SIGNED), "It reads no bytes"),
    # A remedy for the inputs is tried on bad weights.
    ("repairs-of-c", (CHANNELS,), "One more does"),
    ("repairs-of-c", (CHANNELS, EQUAL, DATA), "its inputs are healthy: 221"),
    ("repairs-of-c", (CHANNELS, EQUAL, PERCENTILE), "its inputs are healthy: 224"),
    ("repairs-of-c", (CHANNELS, EQUAL, SEVEN), "143"),
    ("repairs-of-c", (CHANNELS, EQUAL, MEANS), "the coarse steps stay: 286"),
    ("repairs-of-c", (CHANNELS, EQUAL, FLOAT), "the others do the rest: 331"),
    # With pencil and paper, and in code.
    ("colleagues-network", ("bytes that are read with a sign",), "near 0 dB"),
    ("colleagues-network", ("a bias in wrong steps",), "would not help"),
    ("colleagues-network", ("a calibration that was too small",), "has the same rulers"),
    ("colleagues-network", ("a range from the batch",), "other answers than in a batch"),
    ("two-faults", "42 100", "Without the hot pixel"),
    ("two-faults", "80 20", "The hot pixel makes the ruler"),
    ("two-faults", "0 0.08", "are not dim"),
    ("two-faults", "0 0.78", "You counted marks"),
    ("two-faults", "0 20", "The ruler ends at 255"),
    ("two-faults", "0 0.004", "That is the share"),
    ("two-faults", "0 100", "nearly all of it is empty"),
    ("bits-of-g", "4 5", "The other way round"),
    ("bits-of-g", "4 3", "With four bits it reads 329"),
    ("bits-of-g", "8 4", "Fewer are enough"),
    ("bits-of-g", "5 3", "With three bits and the correction it reads 329"),
    ("bits-of-g", "4.5 4", "Try 3, 4, 5 and 6 bits"),
    ("bits-of-g", "5 5", "The correction saves a bit"),
    # What came in is not the layer's own.
    ("own-and-leaving", "20 40", "The other way round"),
    ("own-and-leaving", "20 dB, 20 dB", "by what it really got"),
    ("own-and-leaving", "40 40", "also holds what came in"),
    ("own-and-leaving", "20 10", "a hundredth of its square"),
    ("own-and-leaving", "40 21", "is what came in"),
    ("own-and-leaving", "0.22 2", "which part of the number"),
    ("own-and-leaving", "1 10", "With which number do you compare"),
    # Each line of a function that looks right.
    ("line-of-the-pair", ("`before = first.abs().flatten(1).amax(1)`",), "these are the channels"),
    ("line-of-the-pair", ("`factors = (behind / before).sqrt()`",), "makes both sides"),
    ("line-of-the-pair", ("`column, row = …`",), "would change the float answers"),
    ("line-of-the-pair", ("`return first * column, …`",), "is divided there"),
    # The quiz.
    ("order-of-measuring", (SIMULATED, IN_FLOAT, ALONE, SIDES, LAYERS), "nothing to do with it"),
    ("order-of-measuring", (IN_FLOAT, ALONE, SIDES, SIMULATED, LAYERS), "both sides look healthy"),
    ("order-of-measuring", (IN_FLOAT, ALONE, SIMULATED, LAYERS, SIDES), "two runs for each layer"),
    ("order-of-measuring", (ALONE, IN_FLOAT, SIMULATED, SIDES, LAYERS), "Begin with what is not"),
    ("order-of-measuring", (IN_FLOAT, SIMULATED, ALONE, SIDES, LAYERS), "Rule that out"),
    ("which-layer", ("the first: make its ruler shorter",), "are healthy"),
    ("which-layer", ("the second: make its ruler shorter",), "clip more"),
    ("which-layer", ("the third: make its ruler longer",), "hands on what came in"),
    ("codes-of-a-small-channel", "3", "on one side"),
    ("codes-of-a-small-channel", "6", "0 has a code"),
    ("codes-of-a-small-channel", "5", "rounds to 3"),
    ("codes-of-a-small-channel", "2.8", "Codes are whole"),
    ("codes-of-a-small-channel", "2.82", "Codes are whole, and there"),
    ("codes-of-a-small-channel", "5.6", "first round"),
    ("codes-of-a-small-channel", "5.64", "first round"),
    ("codes-of-a-small-channel", "45", "How many marks"),
    ("lost-of-a-pair", "36,200", "How much of it fits"),
    ("lost-of-a-pair", "32767", "That is what is left"),
    ("lost-of-a-pair", "3432", "is 32,767"),
    ("lost-of-a-pair", "29336", "ran over"),
    ("lost-of-a-pair", "−29,336", "ran over"),
    ("lost-of-a-pair", "65536", "where a sum runs over"),
    ("lost-of-a-pair", "0", "Add both products"),
    ("two-machines", ("in the second machine's arithmetic",), "98 there, as promised"),
    ("two-machines", ("in the network's scales",), "The same scales"),
    ("two-machines", ("in the network's biases",), "The same biases"),
    ("equal-scales", ("other images for the calibration",), "not equal"),
    ("equal-scales", ("a scale for each output channel",), "are healthy"),
    ("equal-scales", ("seven bits for the activations",), "still wider"),
]
