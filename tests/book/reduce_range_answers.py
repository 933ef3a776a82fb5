"""Wrong answers to the questions of the chapter, and what each of them shows.

Written before the questions; `test_questions.py` asks the judge for all of them.
"""

from __future__ import annotations

OPPOSITE, HALVED = "255 · 127 + 255 · (−128)", "127 · 127 + 127 · 127"
BELOW, EQUAL, SMALL = "129 · (−128) + 129 · (−128)", "200 · 90 + 200 · 90", "255 · 127 + 10 · 127"
MULTIPLY, ADD = "multiply each code by its weight", "add two neighbouring products"
SATURATE, SUM = "saturate at the ends of 16 bits", "add all pairs in 32 bits"
SCALE = "multiply by the scales"
PT2E = "a linear layer of PT2E, compiled with `freezing`"
TORCHAO = "torchao's dynamic layer, compiled with `freezing`"
EAGER, FLOAT = "torchao's dynamic layer, not compiled", "`Int8WeightOnlyConfig`, compiled"
NARROW = "torchao's dynamic layer, compiled, with `reduce_range`"

WRONG: list[tuple[str, str | tuple[str, ...], str]] = [
    # Each product fits, so must the sum; a large product alone is taken for harm.
    ("sums-that-fit", (OPPOSITE,), "Look for another one"),
    ("sums-that-fit", (OPPOSITE, HALVED, BELOW), "256 below"),
    ("sums-that-fit", (HALVED, EQUAL), "Each product is 18,000"),
    ("sums-that-fit", (OPPOSITE, HALVED, SMALL), "the first product leaves"),
    # The safe code for both is taken for the safe code beside 255.
    ("beside-255", "128", "if both activations have it"),
    ("beside-255", "127", "The other one stays at 255"),
    ("beside-255", "4", "32,893"),
    ("beside-255", "0", "A little more is safe"),
    ("beside-255", "3.5", "A code is a whole number"),
    ("cost-of-the-bit", ("Both have 6 dB less than 37.5.",), "a part of the error is theirs"),
    ("cost-of-the-bit", ("Both have 37.5 dB.",), "twice as wide"),
    ("cost-of-the-bit", ("The newer one has less, the older one still 6.0.",), "no pair saturates"),
    # The quiz.
    ("where-it-comes-back", "-45000", "That is the exact sum"),
    ("where-it-comes-back", "20500", "dropped the upper bits"),
    ("where-it-comes-back", "33000", "below 0"),
    ("where-it-comes-back", "0", "the nearest number"),
    ("ruler-of-seven-bits", "0.00996 50", "has only 127 steps"),
    ("ruler-of-seven-bits", "0.0198 50", "no mark 128"),
    ("ruler-of-seven-bits", "0.02 100", "eight bits"),
    ("ruler-of-seven-bits", "0,02; 51", "Divide 1.0 by the scale"),
    ("order-on-the-older-processor", (MULTIPLY, ADD, SUM, SATURATE, SCALE), "room enough"),
    ("order-on-the-older-processor", (MULTIPLY, SATURATE, ADD, SUM, SCALE), "A single product"),
    ("order-on-the-older-processor", (MULTIPLY, SCALE, ADD, SATURATE, SUM), "the finished sum"),
    ("order-on-the-older-processor", (ADD, MULTIPLY, SATURATE, SUM, SCALE), "are not there yet"),
    ("where-sums-saturate", (PT2E,), "Look for another one"),
    ("where-sums-saturate", (PT2E, TORCHAO, FLOAT), "multiply floats"),
    ("where-sums-saturate", (PT2E, TORCHAO, EAGER), "which is exact"),
    ("where-sums-saturate", (TORCHAO, NARROW), "every sum fits"),
    ("beyond-the-calibration", "127", "does not clamp"),
    ("beyond-the-calibration", "255", "at 5.1"),
    ("beyond-the-calibration", "100", "only half as far"),
    ("beyond-the-calibration", "402", "There is no code 402"),
    ("a-passed-test", ("Yes: lost sums cost right answers.",), "ten times as large"),
    ("a-passed-test", ("Yes: it has the same codes everywhere.",), "The sums are not"),
    # With pencil and paper.
    ("a-report", "33278 105 85 48", "That is the sum"),
    ("a-report", "510 105 85 48", "end at 32,767"),
    ("a-report", "511 106 86 48", "less than half"),
    ("a-report", "511 105 85 16728", "Bring it back"),
    ("a-report", "511 105 85 178", "by 255/127"),
    ("a-report", "511 105 85 −48", "so much too small"),
    ("a-report", "511 105 85", "Write 4 numbers"),
    ("both-sides", "-16128 -24448", "oneDNN adds 128"),
    ("both-sides", "−65,280 −24,448", "191"),
    ("both-sides", "48514 -24448", "reaches farther"),
    ("both-sides", "-48896 24066", "−64 is farther"),
    ("both-sides", "-24448 -48896", "the other way round"),
    # What a learner wrote.
    ("a-passed-test", ("No: an old machine always saturates.",), "An old machine with VNNI"),
    ("both-sides", "-48896 -8192", "Here, too"),
    # The largest number is taken for 0; nothing is lost, or all of it; the pairs are miscounted.
    ("zero-goes-in", "0 -1024096", "The code 0 is that of −1"),
    ("zero-goes-in", "128 −1,024,096", "in the middle"),
    ("zero-goes-in", "127 0", "the reduced range"),
    ("zero-goes-in", "255 0", "With exact sums"),
    ("zero-goes-in", "255 1048544", "still to be subtracted"),
    ("zero-goes-in", "255 1,024,096", "Which of the two is larger"),
    ("zero-goes-in", "255 -32003", "one pair loses"),
    ("zero-goes-in", "255 24448", "make 32 pairs"),
    ("zero-goes-in", "255 −2072640", "the part alone"),
    ("zero-goes-in", "255 -766", "what one pair keeps"),
    # The exercises in code: which sum saturates, and how far an activation may go.
    ("sum-of-two-pairs", "49170", "the exact sum"),
    ("sum-of-two-pairs", "32,767", "The whole sum has 32 bits"),
    ("sum-of-two-pairs", "-16366", "integers run over"),
    ("sum-of-two-pairs", "7167", "has two products"),
    ("sum-of-two-pairs", "16785", "One product of the first pair"),
    ("safe-with-narrow-weights", "164 255", "round down"),
    ("safe-with-narrow-weights", "327 255", "no such code"),
    ("safe-with-narrow-weights", "255 255", "Two are added up"),
    ("safe-with-narrow-weights", "128 255", "weights of −128"),
    ("safe-with-narrow-weights", "127 127", "The option stops there"),
    ("safe-with-narrow-weights", "163 256", "end at 255"),
    ("safe-with-narrow-weights", "163 127", "half as large"),
]
