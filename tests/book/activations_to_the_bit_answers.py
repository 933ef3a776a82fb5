"""Wrong answers to the questions of the page to the bit, and what each of them shows.

Written before the questions; `test_questions.py` asks the judge for all of them.
"""

from __future__ import annotations

WRONG: list[tuple[str, str | tuple[str, ...], str]] = [
    # The root is forgotten, or the eps, or the direction.
    ("factor-of-a-silent-channel", "0.000000119 2896", "takes the root"),
    ("factor-of-a-silent-channel", "0.000345 0.000345", "divided by the factor"),
    ("factor-of-a-silent-channel", "0.000345 8388608", "Take the root first"),
    ("factor-of-a-silent-channel", "0 2896", "torchao adds"),
    ("factor-of-a-silent-channel", "1 1", "as large as each other"),
    (
        "gains-moved-into-the-head",
        ("each row is multiplied by a gain, and all gains are 1",),
        "belongs to a token",
    ),
    (
        "gains-moved-into-the-head",
        ("each column is divided by its gain, and all gains are 1",),
        "lose the gain twice",
    ),
    (
        "gains-moved-into-the-head",
        ("each column is multiplied by its gain, and the gains stay",),
        "there twice",
    ),
]
