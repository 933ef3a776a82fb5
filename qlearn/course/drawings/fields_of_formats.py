"""How formats divide their bits: a sign, an exponent and a mantissa, or one integer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from qlearn.course.drawings.svg import CELL, CODE, REAL, Drawing, text

TOP, ROW = 30, 62  # pixels: the first bar's top, and from one to the next
MOST_BITS = 32

Fields = tuple[int, int, int]  # bits of sign, exponent and mantissa


def fields_of_formats(formats: Mapping[str, Fields]) -> Drawing:
    """Draw a bar for each format, as wide as its bits; one without exponent is an integer.

    Raises:
        ValueError: a format has no bits, or more than 32.

    >>> fields_of_formats({"E4M3": (1, 4, 3), "int8": (0, 0, 8)}).label
    'E4M3: 1 sign, 4 exponent, 3 mantissa. int8: 8 integer.'
    """
    for name, bits in formats.items():
        if not 0 < sum(bits) <= MOST_BITS:
            raise ValueError(f"{name} has {sum(bits)} bits: a bar is drawn for 1 to {MOST_BITS}")
    widest = max(sum(bits) for bits in formats.values())
    parts: list[str] = []
    said = []
    for row, (name, bits) in enumerate(formats.items()):
        named = [(part, count) for part, count in _named(bits) if count]
        parts += _bar(f"{name}, {sum(bits)} bits", named, TOP + ROW * row, 100 / widest)
        said.append(f"{name}: " + ", ".join(f"{count} {part}" for part, count in named) + ".")
    return Drawing(" ".join(said), tuple(parts), TOP + ROW * (len(formats) - 1) + CELL + 8)


def _named(bits: Fields) -> list[tuple[str, int]]:
    sign, exponent, mantissa = bits
    if not exponent:
        return [("integer", sign + mantissa)]
    return [("sign", sign), ("exponent", exponent), ("mantissa", mantissa)]


def _bar(name: str, parts: list[tuple[str, int]], top: int, unit: float) -> Iterator[str]:
    """Yield the name, and a box for each part; the exponent is filled, and so is an integer."""
    yield text(0, top - 8, name, anchor="start", bold=True)
    x = 0.0
    for part, count in parts:
        wide = unit * count
        opacity = {"exponent": 0.25, "integer": 0.6}.get(part)
        fill = f'fill="{CODE}" fill-opacity="{opacity}"' if opacity else 'fill="none"'
        ink = REAL if part == "sign" else CODE
        yield (
            f'<rect x="{x:.2f}%" y="{top}" width="{wide:.2f}%" height="{CELL}" {fill} '
            f'stroke="{ink}" stroke-width="2"/>'
        )
        yield text(x + wide / 2, top + CELL / 2 + 4, f"{count}", bold=part == "exponent")
        x += wide
