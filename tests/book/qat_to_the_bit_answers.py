"""Wrong answers to the questions of the page to the bit, and what each of them shows.

Written before the questions; `test_questions.py` asks the judge for all of them.
"""

from __future__ import annotations

WRONG: list[tuple[str, str | tuple[str, ...], str]] = [
    # Ties at the edge: both in, both out, or the wrong one.
    ("gradients-at-the-edge", "0 1 1 1", "0.75 is 1.5 steps"),
    ("gradients-at-the-edge", "0 0 1 0", "is −2.5 steps"),
    ("gradients-at-the-edge", "0 0 1 1", "Both ties"),
    ("gradients-at-the-edge", "1, 1, 0, 0", "It rounds to a code"),
    ("gradients-at-the-edge", "1 1 1 1", "that is not there"),
    ("gradients-at-the-edge", "0 0 0 0", "half a step"),
    ("codes-after-the-freeze", ("about ten each time, as before",), "while the scale moved"),
    ("codes-after-the-freeze", ("more and more",), "still change sides"),
    ("codes-after-the-freeze", ("none from then on",), "In the first records"),
    ("steps-trained-and-converted", "2", "divides by 1.5"),
    ("steps-trained-and-converted", "1", "the same step"),
    ("steps-trained-and-converted", "1.33", "makes it wider"),
    ("steps-trained-and-converted", "0.67", "The other way round"),
    ("steps-trained-and-converted", "1.004", "the same step"),
    ("lost-by-converting-by-fx", ("its weights have other scales",), "were stopped"),
    ("lost-by-converting-by-fx", ("its batch norms are folded otherwise",), "both keep these"),
    ("lost-by-converting-by-fx", ("its activations have fewer codes",), "eight bits"),
    (
        "twice-the-mean-size",
        ("fewer than 100, since large weights are clipped",),
        "all the others gain",
    ),
    ("twice-the-mean-size", ("about 150",), "as fine"),
    ("twice-the-mean-size", ("344, as after training",), "make training needless"),
    # In the exercises.
    ("gradients-at-both-ends", "1 1", "do −3.5 steps round"),
    ("gradients-at-both-ends", "0 0", "do 12.5 steps round"),
    ("gradients-at-both-ends", "1, 0", "The other way round"),
    (
        "four-bits-for-activations",
        ("where a value is exactly between two codes",),
        "either code would occur",
    ),
    ("four-bits-for-activations", ("where a value is 0",), "0 is exact"),
    ("four-bits-for-activations", ("in the channels with large weights",), "the same codes"),
    ("steps-to-the-right-end", "2302 6377", "a tenth of the distance"),
    ("steps-to-the-right-end", "1696 6377", "not towards 0"),
    ("steps-to-the-right-end", "4093 6377", "6 less 1"),
    ("steps-to-the-right-end", "3911 3911", "a smaller error"),
    ("steps-to-the-right-end", "3,911 4,076", "A tenth of 0.1"),
]
