"""Wrong answers to the questions of the page, and what each of them shows.

Written before the questions. Options are named by their words, as the page shows them. The judge
is asked for all of them in `test_questions.py`, a browser in
`tests/course/question/test_question_in_browser.py`.
"""

from __future__ import annotations

WRONG: list[tuple[str, str | tuple[str, ...], str]] = [
    ("four-ties-by-two-rules", "2 3 4 1 2 2 4 0", "even neighbour"),
    ("four-ties-by-two-rules", "1 3 3 1 1 3 3 1", "before it rounds"),
    ("four-ties-by-two-rules", "0 2 2 0 2 2 4 0", "Add the zero point"),
    ("four-ties-by-two-rules", "2 2 4 0 1 3 3 1", "The other way round"),
    ("four-ties-by-two-rules", "2 3 4 0 2 2 4 0", "away from 0"),
    ("of-ten-million", ("none",), "beside a tie"),
    ("of-ten-million", ("about sixty thousand",), "a few hundred-thousandths"),
    ("of-ten-million", ("about five million",), "Few of these numbers are ties"),
    ("codes-on-a-finer-grid", "100 0", "every second one"),
    ("codes-on-a-finer-grid", "25 0", "at every tie"),
    ("codes-on-a-finer-grid", "0 0", "odd zero point"),
    ("codes-on-a-finer-grid", "50 6", "half a step from either"),
    ("codes-on-a-finer-grid", "50 3", "half a step from either"),
    ("seven-ties-at-2", "2 2 4 4 6 0 0", "zero point 1"),
    ("seven-ties-at-2", "3 3 5 5 7 1 1", "one higher"),
    ("seven-ties-at-2", "3 4 5 6 7 2 1", "even neighbour"),
    ("seven-ties-at-2", "0 2 2 4 4 0 −2", "Add the zero point"),
    ("where-ties-part", ("−128", "−21", "1", "127"), "−128 is even"),
    ("where-ties-part", ("−21", "0", "1", "127"), "nothing to add"),
    ("where-ties-part", ("−21", "1", "64", "127"), "64 is even"),
    ("where-ties-part", ("1", "127"), "Another one"),
]
