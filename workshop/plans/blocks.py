"""The blocks: each has one goal and one question, and can be taught alone after those before it."""

from __future__ import annotations

from workshop.plans.plan import Block, Step, Way

TELL, SHOW, ASK, DO, RUN = Way

ONE_MODEL = Block(
    "one-model",
    "One model, quantized",
    "has seen one call make a model much smaller, and knows the three numbers that say what it "
    "gained and lost: bytes, decibels, right answers.",
    "int8-vit",
    (
        Step(TELL, "start/tonight#why-fewer-bits"),
        Step(SHOW, "start/tonight#numbers-codes-and-back"),
        Step(SHOW, "start/tonight#two-models"),
        Step(ASK, "start/tonight#eight-bits-in-one-call"),
        Step(
            RUN,
            "start/tonight#four-bits-in-groups",
            "Run all cells down to the packed file. Then add the cell below. Are the errors "
            "smaller with smaller groups, and are more answers right?",
            can_wait=True,
            code="sixteen = IntxWeightOnlyConfig(torch.int4, PerGroup(16))\n"
            "measure(quantized(vit, sixteen), vit)",
            finds="Groups of 16 give 22.8 dB instead of 21.9, in 233,745 bytes. The errors are a "
            "little smaller, and 345 answers are right instead of 347, which is chance.",
        ),
    ),
)

ONE_NUMBER = Block(
    "one-number",
    "One number, by hand",
    "has computed a scale, and a code of one weight on each of two rulers, with a pencil.",
    "affine-code",
    (
        Step(
            DO,
            "numbers/scale_and_zero_point#symmetric-the-number-farthest-from-0-decides",
            "Let all close the page, and write the nine weights on the board: 1.541, −0.293, "
            "−2.179; 0.568, −1.085, −1.399; 0.403, 0.838, −0.719. Each computes the scale and the "
            "code of 1.541.",
            finds="The scale is 2.179 / 127 = 0.01716, and the code 90.",
        ),
        Step(
            ASK,
            "numbers/scale_and_zero_point#affine-both-ends-decide",
            "Work out the scale and the zero point on the board with the room: 3.720 / 255 = "
            "0.01459, and 21. After the answer, each drags the ruler at the end of the section.",
        ),
        Step(
            SHOW,
            "integers/journey",
            "The same in a whole network: choose a number, and follow it back to its pixels.",
            can_wait=True,
        ),
    ),
)

WORST_ROW = Block(
    "worst-row",
    "One thing that goes wrong, and how you see it",
    "can say why one large row spoils the small ones, and looks at the worst row before trusting "
    "a figure for the whole.",
    "codes-of-row-7",
    (
        Step(ASK, "numbers/scale_and_zero_point#one-ruler-or-one-for-each-row"),
        Step(SHOW, "numbers/scale_and_zero_point#in-a-network"),
        Step(TELL, "numbers/scale_and_zero_point#what-to-choose", can_wait=True),
    ),
)

NO_ZERO = Block(
    "no-zero",
    "Numbers far from 0",
    "can say why a thousand temperatures came back as one number, and what to do about it.",
    "code-of-zero",
    (
        Step(TELL, "numbers/scale_and_zero_point"),
        Step(ASK, "numbers/scale_and_zero_point#when-0-is-not-on-the-ruler"),
    ),
    can_wait=True,
)

RULER_END = Block(
    "ruler-end",
    "Where a ruler should end",
    "has weighed clipping against rounding on one ruler, and knows that one bit is worth six "
    "decibels.",
    "end-for-outliers",
    (
        Step(SHOW, "numbers/rounding_and_clipping#one-layer-two-rulers"),
        Step(DO, "numbers/rounding_and_clipping#by-hand-eight-numbers"),
        Step(ASK, "numbers/rounding_and_clipping#move-the-end"),
        Step(SHOW, "numbers/rounding_and_clipping#in-the-network", can_wait=True),
    ),
)

FROM_DATA = Block(
    "from-data",
    "Rulers that come from data",
    "has seen one wrong pixel spoil a network, and looks at the data before choosing an observer.",
    "wide-or-narrow",
    (
        Step(TELL, "calibration/observers"),
        Step(SHOW, "calibration/observers#where-observers-sit"),
        Step(ASK, "calibration/observers#too-wide-and-too-narrow"),
        Step(SHOW, "calibration/observers#in-the-whole-network"),
        Step(SHOW, "calibration/observers#how-many-images-are-enough", can_wait=True),
    ),
)

ONE_LAYER = Block(
    "one-layer",
    "One layer in integers",
    "has added up the four products of one output, and taken out what the zero point had added.",
    "zero-sum-of-weights",
    (
        Step(ASK, "integers/dynamic_linear#by-hand", "Each adds up the four products on paper."),
        Step(DO, "integers/dynamic_linear#one-ruler-for-the-whole-batch"),
        Step(SHOW, "integers/dynamic_linear#in-a-network", can_wait=True),
    ),
)

JOURNEY = Block(
    "journey",
    "From a pixel to the digit",
    "has followed one number through a network, and can say where something is lost: only where a "
    "number is rounded.",
    "code-of-the-journey",
    (
        Step(ASK, "integers/journey#one-number-by-hand"),
        Step(SHOW, "integers/journey#the-way-back"),
        Step(DO, "integers/journey#erase-the-pixel"),
        Step(TELL, "integers/journey#how-far-apart-are-they", can_wait=True),
    ),
    can_wait=True,
)

WHOLE_NETWORK = Block(
    "whole-network",
    "A whole network, convolutions too",
    "knows the four calls of PT2E, and what a calibration learns and what it does not.",
    "noise-as-calibration",
    (
        Step(
            RUN,
            "models/static_quantization#four-calls",
            "Run all cells down to the line with bytes, decibels and right answers. Why did the "
            "file grow at first?",
        ),
        Step(SHOW, "models/static_quantization#the-graph-before-and-after"),
        Step(ASK, "models/static_quantization#which-images-and-how-many"),
        Step(SHOW, "models/static_quantization#which-layer-to-leave-in-float", can_wait=True),
    ),
)

GOT_WORSE = Block(
    "got-worse",
    "When it got worse",
    "measures before repairing, and knows which three measurements come first.",
    "still-in-simulation",
    (
        Step(TELL, "models/debugging"),
        Step(
            SHOW,
            "models/debugging#where-a-layer-can-go-wrong",
            "A layer in integers multiplies codes, adds up the products, and adds a bias in steps "
            "of both scales, multiplied. Some processors add pairs of products in 16 bits, which "
            "end at 32,767, and 255 · 127 twice is 64,770. The question below needs this.",
        ),
        Step(
            SHOW,
            "models/debugging#step-1-the-float-network-on-the-same-inputs-in-the-same-loop",
            "Begin above it, with the table of the eleven patients: for a minute, each reads who "
            "lost how many answers.",
            begins_above=True,
        ),
        Step(SHOW, "models/debugging#step-2-each-image-alone"),
        Step(ASK, "models/debugging#step-3-the-same-scales-in-plain-simulation"),
        Step(
            SHOW,
            "models/debugging#the-procedure",
            "Only now, because its third row answers the question.",
        ),
        Step(SHOW, "models/debugging#step-4-weights-only-activations-only"),
        Step(
            DO,
            "models/debugging#step-5-what-the-rulers-of-the-activations-are-used-for",
            "In pairs: each pair takes one of the patients F, J and K, covers what stands below "
            "the table, and names the cause from the numbers.",
        ),
        Step(SHOW, "models/debugging#step-6-the-channels-of-the-weights", can_wait=True),
    ),
)

REPAIRS = Block(
    "repairs",
    "The smallest repair that suffices",
    "can choose a repair by its cause, and knows that a repair can hide the cause.",
    "repairs-of-c",
    (
        Step(ASK, "models/debugging#the-repairs-from-the-cheapest-on"),
        Step(SHOW, "models/debugging#what-people-fear-and-what-does-not-hurt", can_wait=True),
    ),
    can_wait=True,
)

WHICH_ONE = Block(
    "which-one",
    "Which one for your model",
    "has a method for one model of their own, and the reason for it.",
    "tagger-int8-layers",
    (
        Step(SHOW, "start/which_one#four-methods"),
        Step(
            DO,
            "start/which_one#the-guide",
            "Each answers for a model of their own, and tells the neighbour where it led.",
        ),
        Step(ASK, "start/which_one#a-tagger-one-sentence-at-a-time"),
        Step(TELL, "start/which_one#your-own-model", can_wait=True),
    ),
)

STEP_BY_STEP = Block(
    "step-by-step",
    "A model of one's own, step by step",
    "has looked at a model before quantizing it, and has a table of what that saved and lost.",
    "part-that-is-reached",
    (
        Step(TELL, "models/your_own_model#your-part"),
        Step(ASK, "models/your_own_model#step-2-look-at-the-model"),
        Step(SHOW, "models/your_own_model#step-3-quantize"),
        Step(
            RUN,
            "models/your_own_model#step-4-measure",
            "Run all cells down to the table. Then add the cell below. What do smaller groups "
            "bring back, and what do they cost?",
            code="sixteen = IntxWeightOnlyConfig(torch.int4, PerGroup(16))\n"
            'trials(own, [*methods, Method("groups of 16", sixteen)])',
            finds="Groups of 16 give 24 dB instead of 22, and the packed file has 52 kB instead of "
            "50.",
        ),
        Step(SHOW, "models/your_own_model#step-5-find-where-it-loses", can_wait=True),
    ),
)

FOUR_BITS = Block(
    "four-bits",
    "Four bits, and what they really cost",
    "can compute how many bits a weight takes together with its scale, and say when smaller "
    "groups are worth more than another bit.",
    "bit-or-groups",
    (
        Step(TELL, "formats/four_bits"),
        Step(DO, "formats/four_bits#by-hand-eight-weights-two-groups"),
        Step(ASK, "formats/four_bits#in-code"),
        Step(DO, "formats/four_bits#move-the-outlier", can_wait=True),
        Step(TELL, "formats/four_bits#what-to-do"),
    ),
)

LANGUAGE = Block(
    "language",
    "The weights of a language model",
    "can say why a model that writes waits for memory, and what fewer bits cost it.",
    "five-bits-a-weight",
    (
        Step(SHOW, "language/weights#blocks-and-their-seven-linear-layers"),
        Step(SHOW, "language/weights#what-a-model-weighs"),
        Step(TELL, "language/weights#why-decoding-waits"),
        Step(ASK, "language/weights#how-much-rounding-loses"),
        Step(SHOW, "language/weights#gptq-the-others-make-up-for-an-error", can_wait=True),
    ),
    can_wait=True,
)

FASTER = Block(
    "faster",
    "Does it run faster?",
    "can say from two numbers of a machine how much there is to gain, and compiles a model before "
    "timing it.",
    "gain-by-fewer-bytes",
    (
        Step(ASK, "running/running#what-takes-time"),
        Step(SHOW, "running/running#why-eager-mode-is-slow"),
        Step(SHOW, "running/running#compile-it", can_wait=True),
    ),
)

PROCESSORS = Block(
    "processors",
    "The same model on another processor",
    "knows whether sums saturate on the machine in front of them, and which option prevents it.",
    "sums-that-fit",
    (
        Step(SHOW, "calibration/reduce_range#one-network-two-processors"),
        Step(ASK, "calibration/reduce_range#two-products-in-sixteen-bits"),
        Step(
            DO,
            "calibration/reduce_range#does-your-machine-need-it",
            "Whoever has the notebooks on a laptop runs `%run -m qlearn doctor` in a cell, and "
            "reads the line *instructions*. Count by a show of hands.",
        ),
        Step(TELL, "calibration/reduce_range#what-to-set", can_wait=True),
    ),
    can_wait=True,
)
