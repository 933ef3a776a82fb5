"""What a check says: a sentence, true where the answer is right."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape

RIGHT = "#1a7f37"
PLAIN = "#7d8590"


@dataclass(frozen=True)
class Verdict:
    """Say in a sentence how an exercise is solved.

    Attributes:
        right: whether it is; the verdict as a whole is truthy then.
        sentence: what was found.
        hint: the next step towards a solution, or "".
        note: what concerns this machine alone, or "".
        opening: the first words where neither "Right." nor "Not yet." fits.

    >>> Verdict(False, "Your codes should be torch.int8, not torch.float32.", "Use .to().")
    Not yet. Your codes should be torch.int8, not torch.float32.
    Hint: Use .to().
    """

    right: bool
    sentence: str
    hint: str = ""
    note: str = ""
    opening: str = ""

    def __bool__(self) -> bool:
        """Return whether the answer is right."""
        return self.right

    @property
    def lines(self) -> list[str]:
        """Return the verdict, its note and its hint."""
        hint = f"Hint: {self.hint}" if self.hint else ""
        head = f"{self.opening or ('Right.' if self.right else 'Not yet.')} {self.sentence}"
        return [line for line in (head, self.note, hint) if line]

    def __repr__(self) -> str:
        """Return the lines as they are read in a terminal."""
        return "\n".join(self.lines)

    def _repr_html_(self) -> str:
        """Return the lines with a green bar where they tell that the answer is right."""
        colour = RIGHT if self.right else PLAIN
        style = f"border-left:4px solid {colour};padding:0.3em 0.8em;margin:0.5em 0"
        lines = "<br>".join(as_html(line) for line in self.lines)
        return f'<div class="qb-verdict" role="status" style="{style}">{lines}</div>'


def as_html(line: str) -> str:
    """Return a line as HTML: what stands in backticks is code.

    >>> as_html("`a < b` & c")
    '<code>a &lt; b</code> &amp; c'
    """
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(line, quote=False))
