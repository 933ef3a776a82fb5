"""Wrong answers to the questions of the chapter, and what each of them shows.

Written before the questions; `test_questions.py` asks the judge for all of them.
"""

from __future__ import annotations

ALL, CLASS, PATTERN, NAME = "for all modules", "for a class", "for a pattern", "for a name"
NUMBERED = "for number 1 of a class, inside a module"
HALF, ROWS = "the outputs get 128 codes", "the weights get a scale for each output channel"

WRONG: list[tuple[str, str | tuple[str, ...], str]] = [
    # Each number has its own code; small ones all vanish; the whole ruler is used.
    ("codes-when-shared", "5", "the same mark as 0"),
    ("codes-when-shared", "2", "On which side of 0"),
    ("codes-when-shared", "1", "more than half a step"),
    ("codes-when-shared", "4", "0.3 and −0.3"),
    ("codes-when-shared", "256", "the whole ruler"),
    # A name beats a class, as in FX; the rule for all comes before the parent.
    ("eager-in-block1", ("D and D",), "That is FX"),
    ("eager-in-block1", ("B and A",), "what its parent took comes first"),
    ("eager-in-block1", ("B and B",), "a GELU is no linear layer"),
    ("eager-in-block1", ("D and A",), "comes before what its parent took"),
    # A pattern is searched for anywhere; its end counts, and not its beginning.
    ("pattern-for-block2", ("fc",), "from the first letter on"),
    ("pattern-for-block2", (".*fc2",), "as it is now"),
    ("pattern-for-block2", ("block2",), "the GELU"),
    ("pattern-for-block2", ("block2.fc1",), "matches one of the two"),
    # The quiz.
    ("default-for-x86", (HALF,), "Look for a second one"),
    ("default-for-x86", (HALF, ROWS, "the engine is set to x86"), "for the whole program"),
    ("default-for-x86", (HALF, ROWS, "the weights get 128 codes, too"), "all 256 codes"),
    ("default-for-x86", (HALF, ROWS, "outputs and weights share an observer"), "two recipes"),
    ("codes-by-recipe", "100 150", "0 … 255"),
    ("codes-by-recipe", "50 25", "You counted from 0"),
    ("codes-by-recipe", "0 25", "lies at −1.0"),
    ("codes-by-recipe", "64 89", "lay in the middle"),
    ("codes-by-recipe", "-50 -25", "is itself a code"),
    ("codes-by-recipe", "50 100", "First the length"),
    ("ranks-in-fx", (ALL, NAME, CLASS, PATTERN, NUMBERED), "In FX any name beats any class"),
    ("ranks-in-fx", (ALL, PATTERN, CLASS, NAME, NUMBERED), "A pattern matches names"),
    ("ranks-in-fx", (CLASS, ALL, PATTERN, NAME, NUMBERED), "decides where no other rule"),
    ("ranks-in-fx", (ALL, CLASS, PATTERN, NUMBERED, NAME), "only one layer"),
    ("ranks-in-fx", (ALL, CLASS, NAME, PATTERN, NUMBERED), "whole name"),
    ("slip-in-a-name", ("`prepare_fx` stops with an error.",), "is no error"),
    ("slip-in-a-name", ("They stay in float32.",), "That was meant"),
    ("slip-in-a-name", ("No layer of the network is quantized.",), "for all modules"),
    ("first-name-in-pt2e", ("The layer gets eight bits: its name is longer.",), "That is FX"),
    ("first-name-in-pt2e", ("The layer gets eight bits: its rule is the last.",), "set first"),
    ("first-name-in-pt2e", ("`prepare_pt2e` stops, because two rules match.",), "no error"),
    ("scales-for-64-outputs", "128 1", "Those are the inputs"),
    ("scales-for-64-outputs", "1 64", "The other way round"),
    ("scales-for-64-outputs", "64 64", "for the whole tensor"),
    ("scales-for-64-outputs", "1 1", "for each output channel"),
    ("scales-for-64-outputs", "8,192 1", "Each row shares"),
    # With pencil and paper: 7.5 for 7, an affine ruler, the wrong end.
    ("row-with-four-bits", "0.0267 5", "−8 … 7"),
    ("row-with-four-bits", "0.0243 6", "affine ruler"),
    ("row-with-four-bits", "0.02 7", "−0.2 is farther"),
    ("row-with-four-bits", "0.0286 4", "4.9 is rounded"),
    ("row-with-four-bits", "0.0286 4.9", "whole number"),
    ("block2-in-fx", ("C, None, D",), "weaker than any name"),
    ("block2-in-fx", ("None, B, D",), "weaker than any name"),
    ("block2-in-fx", ("None, None, None",), "longest wins"),
    ("block2-in-fx", ("C, B, D",), "weaker than any name"),
    ("block2-in-eager-mode", ("None, None, D",), "That is FX"),
    ("block2-in-eager-mode", ("A, B, D",), "what its parent took"),
    ("block2-in-eager-mode", ("None, B, None",), "own name comes first"),
    ("second-walk", ("`propagate_qconfig_` wants rules.",), "without rules"),
    ("second-walk", ("A, B and C are the same QConfig.",), "120"),
    ("second-walk", ("`tried` keeps A as its own attribute.",), "its layers"),
    # The exercises in code: the order of eager mode, and the range of an observer that is shared.
    ("bits-of-two-layers", "3 8", "the rule for its parent"),
    ("bits-of-two-layers", "8 8", "comes last"),
    ("bits-of-two-layers", "4 3", "the same letters"),
    ("bits-of-two-layers", "4 4", "no `Linear`"),
    ("bits-of-two-layers", "4 32", "the rule for all"),
    ("codes-in-a-corner", "256", "Which part of it"),
    ("codes-in-a-corner", "26", "Where does the range"),
    ("codes-in-a-corner", "3", "Which marks"),
    ("codes-in-a-corner", "2", "Which marks"),
    ("codes-in-a-corner", "1", "what is a step"),
]
