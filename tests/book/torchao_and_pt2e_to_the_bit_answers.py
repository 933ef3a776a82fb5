"""Wrong answers to the questions of the page to the bit, and what each of them shows.

Written before the questions; `test_questions.py` asks the judge for all of them.
"""

from __future__ import annotations

WRONG: list[tuple[str, str | tuple[str, ...], str]] = [
    ("decibels-left-by-pairs", ("48",), "large together"),
    ("decibels-left-by-pairs", ("43",), "one bit"),
    ("decibels-left-by-pairs", ("fewer than 0",), "do not saturate"),
    # Read in the figure.
    ("size-of-nothing-but-zeros", "128 1", "at ×128"),
    ("size-of-nothing-but-zeros", "64 1", "at ×64"),
    ("size-of-nothing-but-zeros", "8 1", "So the figure starts"),
    ("size-of-nothing-but-zeros", "256 6", "nearly all numbers are zeros"),
    ("size-of-nothing-but-zeros", "512 0", "the smallest of the outlined bars"),
    # The old kernels and the graph.
    ("logits-of-two-stacks", ("none",), "clamp at the same code"),
    ("logits-of-two-stacks", ("a few, by one step",), "right with ties"),
    ("logits-of-two-stacks", ("nearly all, by one step",), "far from a tie"),
    ("logits-after-converting", ("no, in neither case",), "by which rule"),
    (
        "logits-after-converting",
        ("yes, if the scales of the training are kept",),
        "nothing left that differs",
    ),
    ("logits-after-converting", ("yes, in both cases",), "which number could differ"),
    # In the exercises.
    ("third-rule-on-mirrored-codes", ("the third rule's is smaller",), "third rule divide here"),
    ("third-rule-on-mirrored-codes", ("the third rule's is larger",), "`SYMMETRIC` divide here"),
    ("third-rule-on-mirrored-codes", ("by half a step",), "half the distance"),
    ("bits-with-a-scale", "4.0625 4.25 4.5 5", "has 32 bits"),
    ("bits-with-a-scale", "4.015625 4.0625 4.125 4.25", "4 bytes"),
    ("bits-with-a-scale", "4.15625 4.625 5.25 6.5", "zero point as well"),
    ("bits-with-a-scale", "36 36 36 36", "share the scale"),
    ("bits-with-a-scale", "0.125 0.5 1 2", "the weight's own bits"),
    ("graph-without-its-last-layer", "0", "still stand"),
    ("graph-without-its-last-layer", "1", "A layer before the last"),
    ("graph-without-its-last-layer", "13", "still round"),
    ("graph-without-its-last-layer", "41.8", "the SQNR itself"),
    ("one-row-by-both-rules", "0 6", "The other way round"),
    ("one-row-by-both-rules", "3 0", "How many decibels is a bit"),
    ("one-row-by-both-rules", "12 0", "not two"),
    ("one-row-by-both-rules", "0 0", "a positive row use"),
    ("one-row-by-both-rules", "6 6", "under either rule"),
    ("one-row-by-both-rules", "−6 0", "use all codes"),
]
