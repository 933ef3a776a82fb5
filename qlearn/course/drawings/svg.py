"""What drawings are made of. Across, a place is in percent of the width; down, it is in pixels.

So a drawing has no width of its own: its lines stretch with the page, and its letters stay as
large as they are, on a phone too. Its inks can be seen on white and on dark pages, and its text
takes the colour of the page.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import NamedTuple

REAL, CODE, LOST, TEXT = "#7d8590", "#2f7de1", "#e5484d", "currentColor"  # as in figure.css
MARGIN = 16  # pixels on both sides, for what is centred on an end
CELL = 34  # pixels: the height of a cell


class Drawing(NamedTuple):
    """A picture for a notebook and a page; where neither is, its ``label`` stands for it."""

    label: str
    parts: tuple[str, ...]
    height: int
    width: int = 680  # it is never wider

    def __repr__(self) -> str:
        """Return the text that stands for the picture."""
        return f"Drawing: {self.label}"

    def _repr_html_(self) -> str:
        """Return the picture as SVG within HTML."""
        style = f"max-width:{self.width}px;padding:0 {MARGIN}px;box-sizing:border-box"
        svg = (
            f'<svg role="img" aria-label="{escape(self.label)}" width="100%" '
            f'height="{self.height}" style="overflow:visible;display:block">'
        )
        body = "\n".join(self.parts)
        return f'<div class="qb-drawing" style="{style}">\n{svg}\n{body}\n</svg></div>'


def line(
    start: tuple[float, float],
    end: tuple[float, float],
    ink: str,
    *,
    width: float = 1.5,
    dashed: bool = False,
) -> str:
    """Return a straight line between two points, each (percent, pixels).

    >>> line((0, 10), (50, 10), REAL)
    '<line x1="0%" y1="10" x2="50%" y2="10" stroke="#7d8590" stroke-width="1.5"/>'
    """
    (x1, y1), (x2, y2) = start, end
    dashes = ' stroke-dasharray="4 3"' if dashed else ""
    return (
        f'<line x1="{_short(x1)}%" y1="{_short(y1)}" x2="{_short(x2)}%" y2="{_short(y2)}" '
        f'stroke="{ink}" stroke-width="{_short(width)}"{dashes}/>'
    )


def dot(x: float, y: float, ink: str, *, filled: bool = True, radius: float = 5) -> str:
    """Return a dot: filled for what is stored or comes back, an outline for float32."""
    fill = f'fill="{ink}"' if filled else f'fill="none" stroke="{ink}" stroke-width="2"'
    return f'<circle cx="{_short(x)}%" cy="{_short(y)}" r="{_short(radius)}" {fill}/>'


def text(
    x: float,
    y: float,
    words: str,
    *,
    anchor: str = "middle",
    ink: str = TEXT,
    bold: bool = False,
    size: float = 12,
) -> str:
    """Return words whose middle, start or end is at the place; y is their foot."""
    weight = ' font-weight="700"' if bold else ""
    return (
        f'<text x="{_short(x)}%" y="{_short(y)}" text-anchor="{anchor}" fill="{ink}" '
        f'font-size="{_short(size)}"{weight}>{escape(words)}</text>'
    )


def cell(x: float, y: float, wide: float, words: str, *, code: bool, shown: bool) -> Iterator[str]:
    """Yield a box with words: filled for a code that is shown, else an outline."""
    ink, width = (CODE, 2) if shown else (REAL, 1)
    fill = f'fill="{CODE}" fill-opacity="0.25"' if code and shown else 'fill="none"'
    yield (
        f'<rect x="{x:.1f}%" y="{y:.0f}" width="{wide:.1f}%" height="{CELL}" {fill} '
        f'stroke="{ink}" stroke-width="{width}"/>'
    )
    yield text(x + wide / 2, y + CELL / 2 + 4, words, bold=shown)


def signed(number: float, spec: str = "d") -> str:
    """Return a number in print, with a true minus sign.

    >>> signed(-3), signed(-0.25, ".1f")
    ('−3', '−0.2')
    """
    return format(number, spec).replace("-", "−")


def _short(number: float) -> str:
    """Return a number with two decimals at most, the same on every machine.

    >>> _short(12.5), _short(3.0), _short(-0.001)
    ('12.5', '3', '0')
    """
    return f"{round(number, 2) + 0.0:.2f}".rstrip("0").rstrip(".")
