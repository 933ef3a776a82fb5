"""Texts of a question: `code` in backticks, $formulas$ between dollars, all else as it is.

A formula is drawn by KaTeX where the site is built. Elsewhere, in JupyterLab, on GitHub and in
print by Python, it is read: so it must be one that can be.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape

EMPHASIS = re.compile(r"\*\w[^*]*\w\*")
PARTS = re.compile(r"(`[^`]*`|\$[^$]*\$)")
SIGNS = {
    r"\cdot": "·",
    r"\times": "×",
    r"\approx": "≈",
    r"\le": "≤",
    r"\ge": "≥",
    r"\ldots": "…",
    r"\min": "min",
    r"\max": "max",
    r"\,": " ",
    "-": "−",
}
GROUP = r"\{([^{}]*)\}"


def readable(formula: str) -> str:
    r"""Return the formula as it is read in a line of text.

    >>> readable(r"s = \frac{\text{max} - \text{min}}{2^{8} - 1}")
    's = (max − min) / (2^8 − 1)'

    Raises:
        ValueError: something of it cannot be read so.
    """
    text = re.sub(rf"\\(?:text|operatorname|mathrm){GROUP}", r"\1", formula)
    text = re.sub(rf"([\^_]){GROUP}", r"\1\2", text)
    text = re.sub(r"\\hat ?(\w)", "\\1\u0302", text)
    text = re.sub(rf"\\frac{GROUP}{GROUP}", _fraction, text)
    for command, sign in SIGNS.items():
        text = re.sub(re.escape(command) + r"(?![a-z])", sign, text)
    text = re.sub(r"\s+", " ", text).strip()
    if not text or re.search(r"[\\{}]", text):
        raise ValueError(
            f"the formula {formula!r} is {text!r} as text: write it more simply, or teach "
            "`readable` what it lacks"
        )
    return text


def _fraction(found: re.Match[str]) -> str:
    above, below = (f"({part})" if " " in part.strip() else part for part in found.groups())
    return f"{above} / {below}"


def formulas_in(texts: Iterable[str]) -> dict[str, str]:
    """Return the formulas of some texts, each with how it is read.

    Raises:
        ValueError: a text has an odd number of dollars or of backticks, or emphasis, which a
            question does not draw.
    """
    found: dict[str, str] = {}
    for text in texts:
        rest = PARTS.sub("", text)
        if "$" in rest or "`" in rest:
            raise ValueError(f"{text!r} has a dollar or a backtick without its partner")
        if EMPHASIS.search(rest):
            raise ValueError(f"{text!r} has a word between stars: write it without, or in “…”")
        found |= {
            part[1:-1]: readable(part[1:-1]) for part in PARTS.findall(text) if part[0] == "$"
        }
    return found


def as_text(text: str) -> str:
    """Return the text with its formulas as they are read."""
    return PARTS.sub(lambda part: part[0] if part[0][0] == "`" else readable(part[0][1:-1]), text)


def as_html(text: str) -> str:
    """Return the text as HTML that needs no script and no style."""
    parts = PARTS.split(as_text(text))
    return "".join(
        f"<code>{escape(part[1:-1])}</code>" if part.startswith("`") else escape(part)
        for part in parts
    )
