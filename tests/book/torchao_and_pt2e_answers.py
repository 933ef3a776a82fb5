"""Wrong answers to the questions of the chapter, and what each of them shows.

Written before the questions; `test_questions.py` asks the judge for all of them.
"""

from __future__ import annotations

EXPORT, PREPARE = "export the trained float network", "put in modules that fake-quantize"
LOAD, CONVERT = "load what the old modules stored", "convert the graph"
FOLDED, CODES = "weights with their batch norms folded in", "codes that `int_repr` returns"
SEEN, INPUTS = "the range that a MinMax observer found", "the scale of a dynamic layer's inputs"
WHOLE = "the codes of a weight after `default_dynamic_qconfig`"
AGAIN = "the scales of a trained network, measured anew"
WEIGHTS, SCALES = "the codes of the weights", "the scales of the weights"
ACTIVATIONS, LOGITS = "the scales of the activations", "the logits"

WRONG: list[tuple[str, str | tuple[str, ...], str]] = [
    # Eight bits are eight bits; a new library has new codes; a scale hardly matters.
    ("codes-that-differ", ("none with both",), "other rulers"),
    ("codes-that-differ", ("a few by default, none per channel",), "moves nearly every code"),
    ("codes-that-differ", ("most with both",), "a scale for each row, too"),
    ("codes-that-differ", ("none by default, most per channel",), "The other way round"),
    # The same observers, so the same scales; the same weights, so the same logits.
    ("equal-in-every-bit", (WEIGHTS, SCALES, ACTIVATIONS), "twice as many codes"),
    ("equal-in-every-bit", (WEIGHTS, SCALES, LOGITS), "finer activations"),
    ("equal-in-every-bit", (WEIGHTS, "the codes of the activations"), "another code"),
    ("equal-in-every-bit", (WEIGHTS,), "which scales"),
    ("equal-in-every-bit", (ACTIVATIONS,), "twice as many codes"),
    # The quiz: all 256 codes, and neighbours in a batch.
    ("old-and-new-step", "0.1 0.1", "all 256 codes"),
    ("old-and-new-step", "0.05 0.1", "The other way round"),
    ("old-and-new-step", "0.0992 0.0498", "one step less"),
    ("old-and-new-step", "0,1 0,0496", "one step less"),
    ("old-and-new-step", "10 20", "How long is one"),
    ("bits-of-the-neighbours", "16 0", "that many times"),
    ("bits-of-the-neighbours", "24 0", "in decibels"),
    ("bits-of-the-neighbours", "4 4", "a scale for each row"),
    ("bits-of-the-neighbours", "0 4", "The other way round"),
    ("bits-of-the-neighbours", "2 0", "Halve 16"),
    ("what-comes-over", (FOLDED, CODES), "Look for a third one"),
    ("what-comes-over", (FOLDED, CODES, SEEN, INPUTS), "for the whole batch"),
    ("what-comes-over", (FOLDED, CODES, SEEN, WHOLE), "for the whole weight"),
    ("what-comes-over", (FOLDED, CODES, SEEN, AGAIN), "the weights moved on"),
    ("order-of-moving", (PREPARE, EXPORT, LOAD, CONVERT), "places in the graph"),
    ("order-of-moving", (EXPORT, LOAD, PREPARE, CONVERT), "no module in the graph yet"),
    ("order-of-moving", (EXPORT, PREPARE, CONVERT, LOAD), "too late"),
    ("order-of-moving", (EXPORT, CONVERT, PREPARE, LOAD), "too late"),
    ("keys-of-a-file", ("float weights: load them, and quantize anew",), "is packed"),
    ("keys-of-a-file", ("a prepared network: carry the scales over",), "weight_fake_quant"),
    ("keys-of-a-file", ("a converted network: keep it as it is",), "it cannot read the file"),
    ("beyond-all-codes", "6.4", "no reserve"),
    ("beyond-all-codes", "2.5", "half as long"),
    ("beyond-all-codes", "10", "codes of the old kernel reached that far"),
    ("beyond-all-codes", "1.4", "began again"),
    # With pencil and paper, and with the network.
    ("clamp-at-127", "6.35 6.35", "clamps at 255"),
    ("clamp-at-127", "7 7", "Clip it at 127"),
    ("clamp-at-127", "140 127", "Those are the codes"),
    ("clamp-at-127", "7 127", "That is the code"),
    ("clamp-at-127", "12.75 6.35", "before the end"),
    ("clamp-at-127", "6.35; 7.0", "The other way round"),
    ("clamp-at-127", "7,0 6,4", "127 steps from 0"),
    ("carry-over-a-part", ("those of the activations",), "Activations have 256"),
    ("carry-over-a-part", ("each kind brings back half",), "do not share"),
    ("carry-over-a-part", ("only both kinds together",), "not both needed"),
    ("no-error-at-all", ("eight bits are enough for this network",), "still round"),
    ("no-error-at-all", ("`quantize_` returns the new model",), "changes the model that you pass"),
    ("no-error-at-all", ("`quantize_` does not reach `fc`",), "without the filter"),
    # The exercises in code: two last codes, and the middle between two ends.
    ("back-from-two-ends", "-3 9 -2 4.35", "−20"),
    ("back-from-two-ends", "-2 9 -3 4.35", "−20"),
    ("back-from-two-ends", "-2 4.35 -2 4.35", "clamps at 255"),
    ("back-from-two-ends", "−2 9 −2 9", "The graph clamps at 127"),
    ("back-from-two-ends", "-2 9 -2 6.35", "Subtract the zero point"),
    ("back-from-two-ends", "0 9 0 4.35", "from the zero point"),
    ("back-from-two-ends", "0 220 0 127", "Those are the codes"),
    ("two-rulers-of-two-bits", "1 1", "the largest size of each row"),
    ("two-rulers-of-two-bits", "1 0.5", "lay at −2"),
    ("two-rulers-of-two-bits", "2 1", "lay at 1"),
    ("two-rulers-of-two-bits", "0.75 1.5", "divided by the new one"),
    ("two-rulers-of-two-bits", "1.33 1.33", "a scale of its own"),
    ("two-rulers-of-two-bits", "0.0157 0.0078", "with eight bits"),
    ("two-rulers-of-two-bits", "1.3 0.7", "Give more digits"),
]
