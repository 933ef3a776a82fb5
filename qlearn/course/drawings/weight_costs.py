"""What a weight costs: the bits of its code, and its share of the scales, format by format."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from qlearn.course.drawings.svg import CODE, REAL, Drawing, text

BAR, ROW, TOP = 14, 40, 20  # pixels: a bar, from one to the next, and the first name


def weight_costs(formats: Mapping[str, Sequence[tuple[str, float]]]) -> Drawing:
    """Draw a bar for each format: the first part is the code, what follows is shared.

    Args:
        formats: for each name its parts, each with what it is and its bits a weight.

    Raises:
        ValueError: there is no format, or a part has less than no bits.

    >>> weight_costs({"Q4_0": [("code", 4), ("scale", 0.5)]})
    Drawing: Q4_0: 4.5 bits a weight, code 4, scale 0.5.
    """
    bits = [part for parts in formats.values() for _, part in parts]
    if not bits or min(bits) < 0:
        raise ValueError(f"the parts have {bits} bits: name a format, and no part below 0")
    most = max(sum(bits for _, bits in parts) for parts in formats.values())
    drawn: list[str] = []
    told = []
    for number, (name, parts) in enumerate(formats.items()):
        total = written(sum(bits for _, bits in parts))
        y = TOP + ROW * number
        drawn += [text(0, y - 5, name, anchor="start")]
        drawn += [text(100, y - 5, f"{total} bits", anchor="end", bold=True)]
        drawn += _bar(parts, y, most)
        said = ", ".join(f"{part} {written(bits)}" for part, bits in parts)
        told.append(f"{name}: {total} bits a weight, {said}.")
    return Drawing(" ".join(told), tuple(drawn), TOP + ROW * len(formats) - 14)


def written(bits: float) -> str:
    """Return bits with three decimals at most.

    >>> written(4.126953), written(4.5), written(4.0)
    ('4.127', '4.5', '4')
    """
    return f"{bits:.3f}".rstrip("0").rstrip(".")


def _bar(parts: Sequence[tuple[str, float]], y: int, most: float) -> Iterator[str]:
    """Yield a filled part for the code, and an outlined one for each number that is shared."""
    left = 0.0
    for place, (_, bits) in enumerate(parts):
        width = 100 * bits / most
        ink, fill = (REAL, 'fill="none"') if place else (CODE, f'fill="{CODE}"')
        yield (
            f'<rect x="{left:.2f}%" y="{y}" width="{width:.2f}%" height="{BAR}" {fill} '
            f'stroke="{ink}" stroke-width="1.5"/>'
        )
        left += width
