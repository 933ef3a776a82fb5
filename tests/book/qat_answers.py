"""Wrong answers to the questions of the chapter, and what each of them shows.

Written before the questions; `test_questions.py` asks the judge for all of them.
"""

from __future__ import annotations

SETTLED, CLIPPED = "the weight 0.1, the target 0.5", "the weight 1.2, the target 0.4"
HOPS, HOPS_TOO = "the weight 0.3, the target 0.4", "the weight 0.3, the target 0.1"
AT_REST = "the weight −0.4, the target −0.5"
NORMS, WEIGHTS = "the statistics of batch norms", "the ranges of weights"
ACTIVATIONS = "the ranges of activations"
EXPORT, PREPARE = "export the float network", "put fake quantization into it"
TRAIN, STOP = "train most of the epochs", "stop observers and batch norms"
LAST, CONVERT = "train the last epochs", "convert"

WRONG: list[tuple[str, str | tuple[str, ...], str]] = [
    # Beyond the last mark is not yet clipped; the other end has clipped numbers, too.
    ("which-get-none", ("0.76",), "Another one is clipped"),
    ("which-get-none", ("−1.26", "0.74", "0.76"), "less than half a step beyond"),
    ("which-get-none", ("−1.26", "−1.2", "0.76"), "has a mark"),
    ("which-get-none", ("0.2",), "Each slope of the staircase"),
    # The weight should go where the loss wants it, or to a mark.
    ("where-it-settles", "0.4", "comes back as 0.5, and is pushed down"),
    ("where-it-settles", "0.5", "the gradient there is 0.1, not 0"),
    ("where-it-settles", "0.3", "still 0.1 there"),
    ("where-it-settles", "0.01", "is pushed up"),
    ("where-it-settles", "0.2", "until 0.5 comes back"),
    ("still-moving", (HOPS,), "Look for a second one"),
    ("still-moving", (HOPS, CLIPPED), "it is clipped"),
    ("still-moving", (HOPS, HOPS_TOO, SETTLED), "Then the error is 0"),
    ("still-moving", (HOPS, HOPS_TOO, AT_REST), "already"),
    # Weights move and so do their ranges; activations move most of all.
    ("three-that-move", (WEIGHTS, NORMS, ACTIVATIONS), "The weights stand still here"),
    ("three-that-move", (NORMS, ACTIVATIONS, WEIGHTS), "Activations have eight bits"),
    ("three-that-move", (ACTIVATIONS, NORMS, WEIGHTS), "Activations have eight bits"),
    ("three-that-move", (ACTIVATIONS, WEIGHTS, NORMS), "Activations have eight bits"),
    # With pencil and paper.
    ("ends-of-the-gradient", "−1.5 6", "Those are the first and the last mark"),
    ("ends-of-the-gradient", "-1.75; 6", "half a step beyond"),
    ("ends-of-the-gradient", "−2 6.5", "a whole step beyond"),
    ("ends-of-the-gradient", "−0.25 7.75", "You left out the zero point"),
    ("ends-of-the-gradient", "1.25 9.25", "Subtract it"),
    ("ends-of-the-gradient", "−5.75 2.25", "from 0 to 15"),
    ("ends-of-the-gradient", "0 15", "Those are codes"),
    ("without-the-mask", "1.9 0.9", "No code reaches 0.9"),
    ("without-the-mask", "1.9 −6.1", "so the weight is pushed up"),
    ("without-the-mask", "1.9 0.25", "with the target 0.4"),
    ("without-the-mask", "9.9 9.9", "is clipped, so its gradient is 0"),
    ("without-the-mask", "1.9 1.9", "without the mask"),
    ("without-the-mask", "9.9 1.9", "The other way round"),
    ("hops-for-a-tenth", "0.1 20", "No mark lies at 0.1"),
    ("hops-for-a-tenth", "0 0", "is pushed up"),
    ("hops-for-a-tenth", "0.25 80", "if 0.4 were asked for"),
    ("hops-for-a-tenth", "0.25 10", "0.05 on average would"),
    ("hops-for-a-tenth", "0.25 50", "0.25 on average would"),
    ("hops-for-a-tenth", "0.25 0.2", "How many percent"),
    ("hops-for-a-tenth", "0.05 20", "half-way between two marks"),
    # Codes that change, before they are counted in code.
    ("changes-of-two-codes", "3 3", "the largest code of two bits"),
    ("changes-of-two-codes", "2 3", "The last code is 1"),
    ("changes-of-two-codes", "1 3", "The last code is 1"),
    ("changes-of-two-codes", "0 0", "cut the fractions off"),
    ("changes-of-two-codes", "0 1", "rounded down"),
    ("changes-of-two-codes", "0 2", "And where is −0.3"),
    ("changes-of-two-codes", "0 4", "three changes at most"),
    # A range that still follows the inputs in eval mode.
    ("end-after-a-hot-pixel", "1.0 15 15", "There it should be"),
    ("end-after-a-hot-pixel", "41 0 15", "keeps the largest"),
    ("end-after-a-hot-pixel", "4.1 4 15", "starts at 1.0"),
    ("end-after-a-hot-pixel", "5.1 3 15", "not of the pixel"),
    ("end-after-a-hot-pixel", "5 15 3", "the other way round"),
    ("end-after-a-hot-pixel", "5 15 15", "one of its 15 steps"),
    ("end-after-a-hot-pixel", "5 3 3", "should not move the range"),
    ("end-after-a-hot-pixel", "5 0 15", "a ruler to 41"),
    ("end-after-a-hot-pixel", "8 2 15", "line by line"),
    # The quiz.
    ("two-bit-codes", "1 −2 2 0", "There is no code 2"),
    ("two-bit-codes", "1 −1 1 0", "The nearest mark is −2"),
    ("two-bit-codes", "0 −2 1 0", "0.55 steps"),
    ("two-bit-codes", "1 −2 −2 0", "ran over"),
    ("two-bit-codes", "1, −2, 1, 1", "0.45 steps"),
    ("one-step-of-training", "0.578", "The loss sees what comes back"),
    ("one-step-of-training", "0.62", "as if the staircase were a line"),
    ("one-step-of-training", "0,47", "before it is rounded"),
    ("one-step-of-training", "0.65", "so the weight goes down"),
    ("one-step-of-training", "0.32", "a tenth of the gradient"),
    ("moves-in-eval", ("the weights",), "the optimizer"),
    ("moves-in-eval", (NORMS,), "What does it not stop?"),
    ("moves-in-eval", ("nothing at all",), "and something runs on"),
    ("trained-for-nothing", ("how many epochs it had",), "feels no rounding"),
    ("trained-for-nothing", ("how large the learning rate is",), "as well as in float32"),
    ("trained-for-nothing", ("whether batch norms stood still",), "jump from epoch to epoch"),
    ("folded-and-rounded", "0 0", "Multiply by"),
    ("folded-and-rounded", "0 0.5", "a larger σ"),
    ("folded-and-rounded", "0.26 0.24", "Now round them"),
    ("folded-and-rounded", "1 0", "Those are the codes"),
    ("folded-and-rounded", "0.5 0.5", "below the boundary"),
    ("order-of-training", (EXPORT, PREPARE, TRAIN, STOP, CONVERT, LAST), "no optimizer can move"),
    ("order-of-training", (EXPORT, PREPARE, STOP, TRAIN, LAST, CONVERT), "never follow"),
    ("order-of-training", (EXPORT, PREPARE, TRAIN, LAST, STOP, CONVERT), "get used to"),
    ("order-of-training", (EXPORT, TRAIN, PREPARE, STOP, LAST, CONVERT), "a float network"),
    ("order-of-training", (PREPARE, EXPORT, TRAIN, STOP, LAST, CONVERT), "Write it first"),
]
