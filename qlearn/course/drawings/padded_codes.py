"""A picture of ones in codes, padded with the zero point and with code 0."""

from __future__ import annotations

from collections.abc import Iterator

from qlearn.course.drawings.svg import CODE, LOST, REAL, TEXT, Drawing, text
from qlearn.numbers.qparams import QParams

SIDE, WIDE, HIGH, TOP, HEIGHT = 5, 8.4, 26, 26, 206  # cells; percent; then pixels
PLACES = (0.0, 58.0)  # percent: of the two grids


def padded_codes(qparams: QParams) -> Drawing:
    """Draw three by three ones, once with a border that means 0, once with the border code 0.

    Raises:
        ValueError: the zero point is 0, so that both are the same.

    >>> import torch
    >>> padded_codes(QParams(0.02, 50, 0, 255, torch.uint8))
    Drawing: Nine codes 100, which mean 1. With a border of code 50, which means 0, the sum of a \
corner's window is 4. With a border of code 0, which means −1, it is −1.
    """
    zero_point, scale = int(qparams.zero_point), float(qparams.scale)
    if zero_point == 0:
        raise ValueError("the zero point is 0, so code 0 means 0: take one that is larger")
    one = round(1 / scale) + zero_point
    borders = (zero_point, 0)
    means = [scale * (border - zero_point) for border in borders]
    parts = [
        part
        for x, border, mean in zip(PLACES, borders, means, strict=True)
        for part in (*_grid(x, one, border, zero_point), *_corner(x, border, mean))
    ]
    label = (
        f"Nine codes {one}, which mean 1. With a border of code {zero_point}, which means 0, the "
        f"sum of a corner's window is 4. With a border of code 0, which means {_signed(means[1])}, "
        f"it is {_signed(4 + 5 * means[1])}."
    )
    return Drawing(label, tuple(parts), HEIGHT, width=560)


def _grid(x: float, one: int, border: int, zero_point: int) -> Iterator[str]:
    """Yield the padded picture, and around the corner's window a thick line."""
    yield text(x, 16, f"border: code {border}", anchor="start", bold=True)
    for row in range(SIDE):
        for column in range(SIDE):
            inside = {row, column} <= {1, 2, 3}
            ink = CODE if inside else REAL if border == zero_point else LOST
            yield _cell(x + column * WIDE, TOP + row * HIGH, ink)
            middle = x + (column + 0.5) * WIDE, TOP + row * HIGH + HIGH / 2 + 4
            yield text(*middle, str(one if inside else border), size=11)
    yield (
        f'<rect x="{x:.1f}%" y="{TOP}" width="{3 * WIDE:.1f}%" height="{3 * HIGH}" fill="none" '
        f'stroke="{TEXT}" stroke-width="2.5"/>'
    )


def _cell(x: float, y: int, ink: str) -> str:
    return (
        f'<rect x="{x:.1f}%" y="{y}" width="{WIDE}%" height="{HIGH}" fill="{ink}" '
        f'fill-opacity="0.25" stroke="{ink}" stroke-width="1"/>'
    )


def _corner(x: float, border: int, mean: float) -> Iterator[str]:
    """Yield what the border means, and the sum of the corner's window."""
    foot = TOP + SIDE * HIGH
    ink = TEXT if mean == 0 else LOST
    yield text(x, foot + 20, f"code {border} means {_signed(mean)}", anchor="start")
    share = _signed(mean) if mean >= 0 else f"({_signed(mean)})"
    words = f"4 · 1 + 5 · {share} = {_signed(4 + 5 * mean)}"
    yield text(x, foot + 40, words, anchor="start", ink=ink, bold=True)


def _signed(number: float) -> str:
    return f"{round(number, 6) + 0.0:g}".replace("-", "−")
