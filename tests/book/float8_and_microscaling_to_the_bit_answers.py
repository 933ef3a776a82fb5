"""Wrong answers to the questions of the page, and what each of them shows.

Written before the questions. Options are named by their words, as the page shows them. The judge
is asked for all of them in `test_questions.py`, a browser in
`tests/course/question/test_question_in_browser.py`.
"""

from __future__ import annotations

NONE = "None of them: a scale of its own holds amax."

WRONG: list[tuple[str, str | tuple[str, ...], str]] = [
    ("end-of-float16", "65504", "halfway to the next"),
    ("end-of-float16", "65536", "would be the next"),
    ("end-of-float16", "65505", "has steps of 32"),
    ("end-of-float16", "65512", "half of a half"),
    ("floor-clips-from", "1.75", "in E4M3FN"),
    ("floor-clips-from", "1.81", "in E4M3FN"),
    ("floor-clips-from", "6", "between 1 and 2"),
    ("floor-clips-from", "1.25", "counts from 4"),
    ("who-else-clips", (NONE,), "multiplies by 4"),
    ("who-else-clips", ("`ceil` too, from the same amax on.",), "multiplies by 2"),
    ("who-else-clips", ("`rceil` too, but later.",), "chosen so that"),
    ("forty-small-steps", "1 1", "40 % of the draws"),
    ("forty-small-steps", "3 3", "less than half of a step"),
    ("forty-small-steps", "2 1", "40 times 0.05"),
    ("forty-small-steps", "9 1", "160 steps"),
]
