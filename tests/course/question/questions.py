"""A question of each kind, for the tests."""

from __future__ import annotations

from qlearn.course.question import Question

CODE = Question(
    "affine-code",
    "Under the affine rule, which code does the weight 0.838 get?",
    codes=78,
    because="$x / s$ is 57.4 steps, rounded 57, and 21 + 57 = 78.",
    wrong={57: "Count from the zero point: add 21.", 49: "That is its code on the other ruler."},
    hint="Which mark lies at 0?",
)
MARK = Question(
    "code-of-zero",
    "Which code would 0 need?",
    number=-2679,
    within=15,
    because="−128 − 2,550.",
    wrong={-2550: "You counted from mark 0.", 2422: "Subtract the steps."},
)
RULER = Question(
    "four-bits",
    "Scale, zero point, and the code of 0.5?",
    number=[4 / 15, -4, -2],
    within=[0.001, 0, 0],
    because="4 / 15; −8 + 3.75, rounded; 2 − 4.",
    wrong={(..., -5, ...): "3.75 rounds to 4.", (..., ..., 2): "Add the zero point."},
)
CODES = Question(
    "three-codes",
    "The codes of 1.3, −0.4 and 90?",
    codes=[0, -4, 127],
    because="The last is clamped.",
    wrong={(..., ..., 177): "There is no code 177."},
)
ENDS = Question(
    "ends",
    "Where does `clamp` put a number beyond the ruler?",
    one_of={"at 0": "That is zero.", "at the nearest end": True, "nowhere": "It has a code."},
    because="It gets the code of the nearest end.",
)
UNUSED = Question(
    "half-unused",
    "Which leave half of a symmetric ruler unused?",
    any_of={"weights": "They lie on both sides.", "a ReLU": True, "pixels": True},
    otherwise="Look for a second kind.",
    because="No number is below 0.",
)
STEPS = Question(
    "steps",
    "In which order does a quantizer work?",
    order=["divide by the scale", "round", "add the zero point", "clamp"],
    because="So no code leaves the ruler.",
    wrong={("clamp", "add the zero point"): "Clamp after the shift, or codes leave the ruler."},
)
PLACE = Question(
    "lowest-mark",
    "Where does mark −8 lie?",
    place=-2.23,
    line=(-3, 3),
    step=0.05,
    within=0.06,
    because="−9 steps.",
    wrong={-1.98: "You forgot the zero point."},
)
ALL = (CODE, MARK, RULER, CODES, ENDS, UNUSED, STEPS, PLACE)
