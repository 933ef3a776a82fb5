"""Tables and plain text in Markdown, for what pages make of records."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

RULES = {"l": "---", "r": "--:"}
MARKS = re.compile(r"([\\*_<>\[\]|#])")  # of Markdown


def table(
    heads: Sequence[str], rows: Iterable[Sequence[object]], *, align: str, look: str = ""
) -> str:
    """Return a table: a letter of ``align`` for each column, l or r, and maybe its class.

    >>> print(table(["bits", "dB"], [("eight", 50)], align="lr"))
    | bits | dB |
    | --- | --: |
    | eight | 50 |
    """
    rules = [RULES[letter] for letter in align]
    lines = [f"| {' | '.join(map(str, row))} |" for row in (heads, rules, *rows)]
    return "\n".join(["```{table}", f":class: {look}", *lines, "```"] if look else lines)


def escaped(text: str) -> str:
    r"""Return a text that Markdown shows as it is.

    >>> escaped("[Errno 28] a_b")
    '\\[Errno 28\\] a\\_b'
    """
    return MARKS.sub(r"\\\1", text)
