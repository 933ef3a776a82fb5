"""Wrong answers to the questions of the page, and what each of them shows.

Written before the questions. Options are named by their words, as the page shows them. The judge
is asked for all of them in `test_questions.py`, a browser in
`tests/course/question/test_question_in_browser.py`.
"""

from __future__ import annotations

TENTH = "about a tenth of a percent"
MORE = "It is more than 6 dB: errors add up."
ALIKE = "It is 6 dB, too: a bit is a bit."

WRONG: list[tuple[str, str | tuple[str, ...], str]] = [
    ("up-to-three-after-one", "127 127", "nothing clamps"),
    ("up-to-three-after-one", "178 381", "ends at 255"),
    ("up-to-three-after-one", "89 191", "one bit"),
    ("up-to-three-after-one", "255 255", "1.4 is"),
    ("sums-on-two-machines", "2072640 2072640", "two products"),
    ("sums-on-two-machines", "1048544 1048544", "VNNI adds"),
    ("sums-on-two-machines", "1048544 2072640", "The other way round"),
    ("percent-of-a-layer", ("about a quarter",), "far from its ends"),
    ("percent-of-a-layer", ("about a tenth",), "spread evenly"),
    ("percent-of-a-layer", (TENTH,), "large beside the sums"),
    ("outputs-without-the-bit", (ALIKE,), "weights keep their bits"),
    (
        "outputs-without-the-bit",
        ("It is more than 6 dB: errors add up.",),
        "signal adds up as well",
    ),
    ("outputs-without-the-bit", ("It is nothing: the sums are exact.",), "Codes are coarser"),
    ("outputs-that-saturate", ("less than one",), "such pairs saturate"),
    ("outputs-that-saturate", ("about six",), "the other choice"),
    ("outputs-that-saturate", ("more than 48: nothing is left",), "at least half"),
    ("digits-of-a-layer-that-saturates", ("about ten",), "only the largest of ten"),
    ("digits-of-a-layer-that-saturates", ("about forty",), "more error than signal"),
    ("digits-of-a-layer-that-saturates", ("nearly all",), "less than a tenth"),
    ("left-of-a-million", "1032256", "saturates at 32,767"),
    ("left-of-a-million", "1048544", "subtract"),
    ("left-of-a-million", "8192", "32,767"),
    ("left-of-a-million", "-8160", "from the sum of the pairs"),
    ("left-of-a-million", "516128", "before the shift is undone"),
    ("behind-a-hidden-layer", "0 6", "the bit is lost by the activations"),
    ("behind-a-hidden-layer", "0 26", "no pair saturates"),
    ("behind-a-hidden-layer", "5970 2.1", "two large ones side by side"),
    ("behind-a-hidden-layer", "0 42", "with the bit gone"),
    ("bit-of-the-weights", "32130 5.1", "farther from 0"),
    ("bit-of-the-weights", "−16320 5.1", "a single product"),
    ("bit-of-the-weights", "−65280 5.1", "begin at −64"),
    ("bit-of-the-weights", "-32640 6", "not all of the error"),
    ("bit-of-the-weights", "-32640 41.9", "How many fewer"),
    ("bit-of-the-weights", "-32640 −5.1", "Which of the two has fewer"),
    ("bit-of-the-weights", "-32640 1.2", "with the activations reduced"),
]
