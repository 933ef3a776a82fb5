"""Which numbers share a scale: a whole matrix, a row, a group in a row, a token."""

from __future__ import annotations

from collections.abc import Iterator

from qlearn.course.drawings.svg import CODE, LOST, REAL, Drawing, dot, text

ROWS, COLUMNS, GROUP = 4, 8, 4  # of each matrix, and of a group in its rows
WIDE, GAP = 46.0, 8.0  # percent: a matrix, and the space between two
TALL, TOP, FOOT = 24, 26, 30  # pixels: a row of numbers, the name above, the words below
LARGE = (1, 5)  # the row and the column of the one large number
SHAPES = {
    "weights, all together": (ROWS, COLUMNS),
    "weights, each row": (1, COLUMNS),
    "weights, each group": (1, GROUP),
    "inputs, each token": (1, COLUMNS),
}


def scales_on_a_matrix() -> Drawing:
    """Draw four matrices with a large number in each, and in red all that share its scale.

    >>> scales_on_a_matrix().label[-39:]
    'inputs, each token: 4 scales, 7 harmed.'
    """
    parts: list[str] = []
    told = []
    for number, (name, (tall, wide)) in enumerate(SHAPES.items()):
        left, top = number % 2 * (WIDE + GAP), TOP + number // 2 * (ROWS * TALL + TOP + FOOT)
        count = len(list(blocks(tall, wide)))
        words = f"{count} scale{'s' if count > 1 else ''}, {tall * wide - 1} harmed"
        parts += [text(left, top - 9, name, anchor="start", bold=True)]
        parts += _matrix(left, top, tall, wide)
        parts.append(text(left, top + ROWS * TALL + 16, words, anchor="start"))
        told.append(f"{name}: {words}")
    label = (
        f"Four matrices of {ROWS} × {COLUMNS} numbers, each with one large number. It harms those "
        f"that share its scale. {'; '.join(told)}."
    )
    return Drawing(label, tuple(parts), 2 * (ROWS * TALL + TOP + FOOT) - 8)


def blocks(tall: int, wide: int) -> Iterator[tuple[int, int]]:
    """Yield the first row and column of each block of numbers that share a scale.

    >>> list(blocks(4, 4))
    [(0, 0), (0, 4)]
    """
    for row in range(0, ROWS, tall):
        for column in range(0, COLUMNS, wide):
            yield row, column


def _matrix(left: float, top: int, tall: int, wide: int) -> Iterator[str]:
    """Yield the blocks of a matrix, and in each a dot for each of its numbers."""
    step = WIDE / COLUMNS
    for row, column in blocks(tall, wide):
        inside = row <= LARGE[0] < row + tall and column <= LARGE[1] < column + wide
        ink = LOST if inside else CODE
        yield (
            f'<rect x="{left + column * step + 0.4:.2f}%" y="{top + row * TALL + 2}" '
            f'width="{wide * step - 0.8:.2f}%" height="{tall * TALL - 4}" rx="3" '
            f'fill="{ink}" fill-opacity="0.15" stroke="{ink}" stroke-width="1.5"/>'
        )
        for place in range(tall * wide):
            y, x = row + place // wide, column + place % wide
            centre = (left + (x + 0.5) * step, top + (y + 0.5) * TALL)
            large = (y, x) == LARGE
            yield dot(*centre, LOST if inside else REAL, filled=False, radius=7 if large else 3)
