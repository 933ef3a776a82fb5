"""The last codes of a format under several readings: the same bits, and what each one means."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from qlearn.course.drawings.svg import CELL, CODE, LOST, Drawing, text

TOP, ROW = 44, 66  # pixels: the first row's top, and from one to the next


def last_codes(codes: Sequence[int], readings: Mapping[str, Sequence[float]]) -> Drawing:
    """Draw a box for each code and reading: blue where it is a number, red where it is none.

    Raises:
        ValueError: a reading has another number of values than there are codes.

    >>> last_codes([126, 127], {"fn": [448.0, float("nan")]}).label
    'Codes 0x7e to 0x7f. fn: 448, NaN; it ends at 448.'
    """
    for name, values in readings.items():
        if len(values) != len(codes):
            raise ValueError(f"{name} reads {len(values)} of {len(codes)} codes: give one for each")
    wide = 100 / len(codes)
    parts = [
        text((place + 0.5) * wide, 14, f"{code:02x}", size=11) for place, code in enumerate(codes)
    ]
    said = []
    for row, (name, values) in enumerate(readings.items()):
        parts += _row(name, values, TOP + ROW * row, wide)
        printed = ", ".join(map(in_print, values))
        said.append(f"{name}: {printed}; it ends at {in_print(end_of(values))}.")
    label = f"Codes 0x{codes[0]:02x} to 0x{codes[-1]:02x}. " + " ".join(said)
    return Drawing(label, tuple(parts), TOP + ROW * (len(readings) - 1) + CELL + 6)


def end_of(values: Sequence[float]) -> float:
    """Return the largest number among them."""
    return max(value for value in values if math.isfinite(value))


def in_print(value: float) -> str:
    """Return a value in print.

    >>> in_print(448.0), in_print(float("inf")), in_print(float("nan"))
    ('448', '∞', 'NaN')
    """
    return "NaN" if math.isnan(value) else "∞" if math.isinf(value) else f"{value:g}"


def _row(name: str, values: Sequence[float], top: int, wide: float) -> Iterator[str]:
    """Yield the name of a reading, and its boxes; the last number's is darker."""
    yield text(0, top - 8, name, anchor="start", bold=True)
    end = end_of(values)
    for place, value in enumerate(values):
        ink = CODE if math.isfinite(value) else LOST
        opacity = 0.5 if value == end else 0.15
        yield (
            f'<rect x="{place * wide:.2f}%" y="{top}" width="{wide:.2f}%" height="{CELL}" '
            f'fill="{ink}" fill-opacity="{opacity}" stroke="{ink}" stroke-width="1"/>'
        )
        words, y = in_print(value), top + CELL / 2 + 4
        yield text((place + 0.5) * wide, y, words, size=11, bold=value == end)
