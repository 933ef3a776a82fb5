"""A number on its way through a convolution's weight and a batch norm, and through both as one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import add, mul, sub, truediv

from qlearn.course.drawings.svg import REAL, Drawing, line, text

TOP, BOTTOM, HIGH, HEIGHT = 40, 160, 34, 224  # pixels: upper edges of the boxes, box, all
WIDE, STARTS = 12.0, (11.0, 28.0, 45.0, 62.0, 79.0)  # percent, of the boxes


def folded_norm(
    x: float, weight: float, *, mean: float, deviation: float, gamma: float, beta: float
) -> Drawing:
    """Draw the steps of a weight and a batch norm, and the two steps that they fold into.

    >>> said = folded_norm(2, 3, mean=2, deviation=4, gamma=2, beta=0.5).label
    >>> said.partition(". ")[2]
    'Two: 2, × 1.5 = 3, − 0.5 = 2.5.'
    """
    five = [("×", weight), ("−", mean), ("÷", deviation), ("×", gamma), ("+", beta)]
    factor = gamma / deviation
    bias = beta - mean * factor
    two = [("×", weight * factor), ("+", bias) if bias >= 0 else ("−", -bias)]
    parts = [
        text(0, 16, "as trained: weight, then batch norm", anchor="start", bold=True),
        text(0, 136, "folded: a new weight and a bias", anchor="start", bold=True),
        *_chain(x, five, STARTS, TOP),
        *_chain(x, two, (STARTS[0], STARTS[-1]), BOTTOM),
        text(17, TOP + HIGH + 18, "weight", size=11),
        line((28, TOP + HIGH + 6), (91, TOP + HIGH + 6), REAL),
        text(59.5, TOP + HIGH + 20, "batch norm", size=11),
        text(17, BOTTOM + HIGH + 18, "weight", size=11),
        text(85, BOTTOM + HIGH + 18, "bias", size=11),
    ]
    label = f"Five steps: {_said(x, five)}. Two: {_said(x, two)}."
    return Drawing(label, tuple(parts), HEIGHT)


def step(x: float, sign: str, by: float) -> float:
    """Return what a step makes of a number.

    >>> step(6, "−", 2), step(4, "÷", 8)
    (4, 0.5)
    """
    return {"×": mul, "÷": truediv, "+": add, "−": sub}[sign](x, by)


def _chain(
    x: float, steps: Sequence[tuple[str, float]], starts: Sequence[float], y: int
) -> Iterator[str]:
    """Yield boxes with steps, and on the lines between them the numbers."""
    before, middle = 3.0, y + HIGH / 2
    yield text(before, middle + 4, f"{x:g}", bold=True)
    before += 4
    for start, (sign, by) in zip(starts, steps, strict=True):
        yield line((before, middle), (start, middle), REAL)
        yield (
            f'<rect x="{start:g}%" y="{y}" width="{WIDE:g}%" height="{HIGH}" rx="4" '
            f'fill="none" stroke="{REAL}" stroke-width="2"/>'
        )
        yield text(start + WIDE / 2, middle + 4, f"{sign} {by:g}")
        x, before = step(x, sign, by), start + WIDE
        last = start == starts[-1]
        place = 97 if last else before + 2.5
        yield text(place, middle + (4 if last else -6), f"{x:g}", bold=True)
    yield line((before, middle), (94, middle), REAL)


def _said(x: float, steps: Sequence[tuple[str, float]]) -> str:
    words = [f"{x:g}"]
    for sign, by in steps:
        x = step(x, sign, by)
        words.append(f"{sign} {by:g} = {x:g}")
    return ", ".join(words)
