"""Sylvester's matrices of signs, each made of four copies of the one before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from qlearn.course.drawings.svg import CODE, REAL, Drawing, text
from qlearn.language.hadamard import hadamard

SIDE, TOP, GAP = 17, 28, 8.0  # pixels: a sign's square, where they begin; percent between matrices


def sylvester_signs(sizes: Sequence[int] = (2, 4, 8)) -> Drawing:
    """Draw the matrices of these sizes beside each other: + filled, − in outline.

    Raises:
        ValueError: a size is no power of two, or larger than 16.

    >>> sylvester_signs((2,)).label
    'Matrices of signs. Size 2: ++ +−.'
    """
    if not sizes or max(sizes) > 16:
        raise ValueError(f"sizes are {tuple(sizes)}: pass powers of two up to 16")
    parts: list[str] = []
    told = []
    unit = (100 - GAP * (len(sizes) - 1)) / sum(sizes)  # percent
    left = 0.0
    for n in sizes:
        signs = (hadamard(n) > 0).tolist()
        parts.append(text(left, 16, f"n = {n}", anchor="start", bold=True))
        parts += _squares(signs, left, unit)
        told.append(f"Size {n}: {' '.join(''.join('+' if s else '−' for s in r) for r in signs)}.")
        left += n * unit + GAP
    height = TOP + max(sizes) * SIDE + 6
    return Drawing(f"Matrices of signs. {' '.join(told)}", tuple(parts), height, width=520)


def _squares(signs: list[list[bool]], left: float, unit: float) -> Iterator[str]:
    for y, row in enumerate(signs):
        for x, plus in enumerate(row):
            ink = f'fill="{CODE}"' if plus else f'fill="none" stroke="{REAL}" stroke-width="1"'
            yield (
                f'<rect x="{left + x * unit + 0.2:.2f}%" y="{TOP + y * SIDE + 1}" '
                f'width="{unit - 0.4:.2f}%" height="{SIDE - 2}" {ink}/>'
            )
