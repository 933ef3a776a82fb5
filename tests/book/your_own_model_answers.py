"""Wrong answers to the questions of the chapter, and what each of them shows.

Written before the questions; `test_questions.py` asks the judge for all of them.
"""

from __future__ import annotations

DECIDE, LOOK = "say what may be lost", "look which layers are reached"
QUANTIZE, MEASURE = "quantize a copy", "measure bytes, decibels and the metric"
LAYERS, REPORT = "quantize one layer at a time", "hand on the report"
GRU, PARAMETER = "the weights of an `nn.GRU`", "`in_proj_weight` of `nn.MultiheadAttention`"
EINSUM = "a parameter that goes into `einsum`"
NARROW = "an `nn.Linear` with four inputs"
FEW = "an `nn.Linear` with ten outputs"
WRITTEN = "an `nn.Linear` in an attention written by hand"

WRONG: list[tuple[str, str | tuple[str, ...], str]] = [
    # Matrices are taken for layers, bytes for errors, and what stays in float is forgotten.
    ("part-that-is-reached", ("nearly all",), "and not for matrices"),
    ("part-that-is-reached", ("a third",), "The linear layers hold more"),
    ("part-that-is-reached", ("nothing",), "take linear layers"),
    ("kilobytes-of-the-file", "26.5", "Only the 69 kB"),
    ("kilobytes-of-the-file", "17.25 kB", "Those are the codes"),
    ("kilobytes-of-the-file", "37", "What stays in float"),
    ("kilobytes-of-the-file", "88.75", "of which one is left"),
    ("kilobytes-of-the-file", "71.5", "four bytes, and not two"),
    ("kilobytes-of-the-file", "51.75", "How much is left"),
    ("kilobytes-of-the-file", "46", "What becomes of the 69"),
    ("part-of-the-head", ("about 1 %",), "Bytes say nothing"),
    ("part-of-the-head", ("about a tenth",), "even them out"),
    ("part-of-the-head", ("about half",), "makes that much"),
    ("taken-by-advice", ("dynamic int8",), "its error is larger"),
    ("taken-by-advice", ("four bits",), "four answers"),
    ("taken-by-advice", ("four bits, 2 layers in float",), "larger file"),
    ("taken-by-advice", ("float32",), "Two may be lost"),
    # With pencil and paper, and in code.
    ("head-left-in-float", "29 0", "the head alone"),
    ("head-left-in-float", "22 0", "with the head"),
    ("head-left-in-float", "26 1", "the first layer"),
    ("head-left-in-float", "24 1", "Count them"),
    ("head-left-in-float", "24 4", "Count them"),
    ("head-left-in-float", "24 343", "How many come back"),
    ("head-left-in-float", "20 0", "is all quantized but it"),
    ("reached-with-products", "32", "how it is now"),
    ("reached-with-products", "66", "Add what is reached already"),
    ("reached-with-products", "100", "in no layer at all"),
    ("reached-with-products", "50", "Add the part of this layer"),
    ("with-linear-attention", "65", "how it is now"),
    ("with-linear-attention", "32", "the attention's part"),
    ("with-linear-attention", "90", "the fourth matrix"),
    ("with-linear-attention", "73", "The three matrices"),
    ("with-linear-attention", "81", "two layers"),
    ("with-linear-attention", "100", "stay in float"),
    ("with-linear-attention", "50", "Add the kilobytes"),
    # The quiz.
    ("passed-by", (GRU, PARAMETER), "Look for another one"),
    ("passed-by", (GRU, PARAMETER, EINSUM, NARROW), "Groups of 32"),
    ("passed-by", (GRU, PARAMETER, EINSUM, WRITTEN), "is reached"),
    ("passed-by", (GRU, PARAMETER, EINSUM, FEW), "however few"),
    ("stays-in-float", ("a",), "the least error"),
    ("stays-in-float", ("b",), "21 dB"),
    ("stays-in-float", ("none of them",), "8 dB"),
    ("order-of-six-steps", (LOOK, QUANTIZE, MEASURE, DECIDE, LAYERS, REPORT), "before you have"),
    ("order-of-six-steps", (DECIDE, QUANTIZE, LOOK, MEASURE, LAYERS, REPORT), "says nothing"),
    ("order-of-six-steps", (DECIDE, LOOK, QUANTIZE, LAYERS, MEASURE, REPORT), "two runs for each"),
    ("order-of-six-steps", (DECIDE, LOOK, MEASURE, QUANTIZE, LAYERS, REPORT), "no copy yet"),
    ("order-of-six-steps", (DECIDE, LOOK, QUANTIZE, MEASURE, REPORT, LAYERS), "which layers stay"),
    ("a-row-of-48", "1.5 4.5", "groups of 32"),
    ("a-row-of-48", "1 4.33", "the whole row"),
    ("a-row-of-48", "3 4", "The scales"),
    ("a-row-of-48", "16 5", "in a group"),
    ("a-row-of-48", "3 20", "share a scale"),
    ("a-row-of-48", "3 7", "for all 48"),
    ("a-row-of-48", "3 9", "packs two codes"),
    ("24-decibels-apart", "4", "doubles"),
    ("24-decibels-apart", "24", "Six decibels"),
    ("24-decibels-apart", "2.09", "Subtract"),
    ("24-decibels-apart", "251", "squares"),
    ("24-decibels-apart", "8", "four times six"),
    ("24-decibels-apart", "0.0625", "the other way round"),
    ("mostly-convolutions", ("four bits, in groups of 16",), "with any group"),
    ("mostly-convolutions", ("`quantize_dynamic` of torch.ao",), "no convolutions"),
    ("mostly-convolutions", ("leave the worst layer in float",), "hardly anything"),
    # The exercises in code: what stopped groups of 32; a copy of a network and of its layers.
    ("reached-by-four", "64", "groups of 32"),
    ("reached-by-four", "64.5", "groups of 32"),
    ("reached-by-four", "0.65", "in percent"),
    ("reached-by-four", "73", "`out_proj` itself"),
    ("reached-by-four", "35", "not reached"),
    ("reached-by-four", "100 %", "no linear layers"),
    ("in-float-at-the-end", "1 1", "Are its layers"),
    ("in-float-at-the-end", "0 5", "just put its weight back"),
    ("in-float-at-the-end", "1 5", "when the outputs are measured"),
    ("in-float-at-the-end", "6 1", "the first comes first"),
    ("in-float-at-the-end", "6 6", "the first"),
]
