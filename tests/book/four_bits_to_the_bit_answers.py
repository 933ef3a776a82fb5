"""Wrong answers to the questions of the page, and what each of them shows.

Written before the questions. Options are named by their words, as the page shows them. The judge
is asked for all of them in `test_questions.py`, a browser in
`tests/course/question/test_question_in_browser.py`.
"""

from __future__ import annotations

WRONG: list[tuple[str, str | tuple[str, ...], str]] = [
    ("bits-of-two-blocks", "6 8", "scales take room"),
    ("bits-of-two-blocks", "6.5 8.5", "The d at the end"),
    ("bits-of-two-blocks", "6.5625 9", "two bytes in float16"),
    ("bits-of-two-blocks", "6.0625 8.5", "sixteen scales"),
    ("bits-of-two-blocks", "6.5625 34", "Those are the bytes"),
    ("bits-of-two-blocks", "210 34", "Those are the bytes"),
    ("first-byte-of-a-name", "68", "the length of the name"),
    ("first-byte-of-a-name", "72", "A fact has a type"),
    ("first-byte-of-a-name", "77", "byte 0"),
    ("first-byte-of-a-name", "52", "Its type and its text follow"),
    ("first-byte-of-a-name", "60", "the fact's text, too"),
    ("gain-over-nf4", ("16",), "largest there"),
    ("gain-over-nf4", ("64",), "a little larger"),
    ("gain-over-nf4", ("512",), "grows again"),
]
