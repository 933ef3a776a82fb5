"""How large the numbers of each channel are: a bar for each, in a row for each tensor."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from qlearn.course.drawings.svg import LOST, REAL, Drawing, line, text

TALL, TOP, FOOT = 60, 26, 22  # pixels: the longest bar, the name above, the numbers below


def key_sizes(
    tensors: Mapping[str, Sequence[float]], loud: Collection[int] = (), *, every: int = 8
) -> Drawing:
    """Draw rows of bars as long as the sizes, all on one scale; loud channels are red.

    Args:
        tensors: for each name the size of each channel.
        loud: channels to point at, in every row whose name begins with "loud".
        every: under which bars the channel's number stands.

    Raises:
        ValueError: there is no tensor, or a size is below 0.

    >>> key_sizes({"keys": [1.0, 3.0], "values": [2.0, 1.0]})
    Drawing: Size of each channel. keys: 1.0 to 3.0. values: 1.0 to 2.0.
    """
    sizes = [size for row in tensors.values() for size in row]
    if not sizes or min(sizes) < 0:
        raise ValueError("a row needs a channel, and a size is not below 0")
    parts: list[str] = []
    told = []
    for number, (name, row) in enumerate(tensors.items()):
        top = number * (TOP + TALL + FOOT) + TOP
        red = set(loud) if name.startswith("loud") else set()
        parts.append(text(0, top - 12, name, anchor="start", bold=True))
        parts += _bars(row, top + TALL, max(sizes), red, every)
        told.append(f"{name}: {min(row):.1f} to {max(row):.1f}.")
        if red:
            told.append(f"Red: {', '.join(map(str, sorted(red)))}.")
    label = f"Size of each channel. {' '.join(told)}"
    return Drawing(label, tuple(parts), len(tensors) * (TOP + TALL + FOOT))


def _bars(
    row: Sequence[float], foot: float, most: float, red: Collection[int], every: int
) -> Iterator[str]:
    """Yield a bar for each channel, the line below, and numbers of some channels."""
    wide = 100 / len(row)
    for place, size in enumerate(row):
        tall = TALL * size / most
        ink = LOST if place in red else REAL
        fill = f'fill="{ink}" fill-opacity="0.25"'
        yield (
            f'<rect x="{place * wide + 0.2 * wide:.2f}%" y="{foot - tall:.1f}" '
            f'width="{0.6 * wide:.2f}%" height="{tall:.1f}" {fill} '
            f'stroke="{ink}" stroke-width="1"/>'
        )
        if place % every == 0:
            yield text((place + 0.5) * wide, foot + 15, f"{place}", size=11)
    yield line((0, foot), (100, foot), REAL, width=1)
