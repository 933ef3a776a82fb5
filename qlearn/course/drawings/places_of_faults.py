"""The drawing of a quantized layer with the places where it can go wrong."""

from __future__ import annotations

from collections.abc import Iterator

from qlearn.course.drawings.layer_rulers import box
from qlearn.course.drawings.svg import CODE, REAL, TEXT, Drawing, dot, line, text

STEP, LEFT, SAID = 58, (2.0, 30.0), 38.0
PLACES = (
    ("its input", "other data than in training?", "step 1"),
    ("the range, chosen beforehand", "from this batch? clipped? unused?", "steps 2 and 5"),
    ("codes of the input", "only this side bad?", "step 4"),
    ("codes of the weight", "only this side? channels? bits?", "steps 4 and 6"),
    ("sum of products, then bias", "another result than simulated?", "step 3"),
    ("its output", "which layer adds the error?", "step 7"),
)


def places_of_faults() -> Drawing:
    """Draw what happens in a layer from top to bottom, and the question to ask at each place.

    >>> places_of_faults().height
    360
    """
    parts: list[str] = []
    for number, (what, question, step) in enumerate(PLACES):
        y = 24 + STEP * number
        parts += [*_symbol(number, y)]
        parts += [
            text(SAID, y, what, anchor="start", bold=True),
            text(SAID, y + 16, question, anchor="start"),
            text(SAID, y + 32, step, anchor="start", ink=REAL),
        ]
        if number:
            parts.append(line((16, y - STEP + 14), (16, y - 14), REAL, width=1))
    said = (f"{what}: {question} {step}" for what, question, step in PLACES)
    return Drawing("; ".join(said) + ".", tuple(parts), STEP * len(PLACES) + 12)


def _symbol(number: int, y: float) -> Iterator[str]:
    """Yield real numbers as outlines, codes filled, a range as a ruler, a sum as a sign."""
    if number in (0, 5):
        yield from (dot(x, y, REAL, filled=False) for x in (8, 16, 24))
    elif number == 1:
        yield box(*LEFT, y, CODE, filled=False)
        yield from (line((x, y - 6), (x, y + 6), CODE, width=1) for x in range(6, 30, 4))
    elif number in (2, 3):
        yield from (box(x - 2, x + 2, y, CODE, filled=True) for x in (8, 16, 24))
    else:
        yield text(16, y + 5, "Σ q·w + b", bold=True, ink=TEXT)
