"""Keys with one loud channel: whom it harms with a scale a token, and with a scale a channel."""

from __future__ import annotations

from collections.abc import Iterator

from qlearn.course.drawings.svg import CODE, LOST, REAL, Drawing, dot, text

TOKENS, CHANNELS, LOUD = 5, 7, 4  # rows, columns, and the loud one of these
WIDE, GAP = 45.0, 10.0  # percent: a matrix, and the space between
TALL, TOP, FOOT = 24, 46, 28  # pixels: a row, the names above, the words below


def loud_channel() -> Drawing:
    """Draw the keys twice, each with boxes around the numbers that share a scale.

    >>> loud_channel().label[-42:]
    'A scale for each channel: 0 others harmed.'
    """
    parts: list[str] = []
    told = []
    for number, (name, tall, wide) in enumerate(
        (("token", 1, CHANNELS), ("channel", TOKENS, 1)),
    ):
        left = number * (WIDE + GAP)
        harmed = TOKENS * (CHANNELS - 1) if wide > 1 else 0
        parts.append(text(left, 16, f"each {name}", anchor="start", bold=True))
        parts.append(text(left, 36, "channels →", anchor="start", size=11))
        parts += _boxes(left, tall, wide)
        parts += _dots(left, red=wide > 1)
        foot = TOP + TOKENS * TALL + 18
        parts.append(text(left, foot, f"{harmed} others harmed", anchor="start"))
        told.append(f"A scale for each {name}: {harmed} others harmed.")
    label = (
        f"Keys of {TOKENS} tokens, one below the other, with {CHANNELS} channels each. Channel "
        f"{LOUD} is loud in every token. {' '.join(told)}"
    )
    return Drawing(label, tuple(parts), TOP + TOKENS * TALL + FOOT)


def _boxes(left: float, tall: int, wide: int) -> Iterator[str]:
    """Yield a box around each set of numbers that share a scale, red with a loud one inside."""
    step = WIDE / CHANNELS
    for row in range(0, TOKENS, tall):
        for column in range(0, CHANNELS, wide):
            ink = LOST if column <= LOUD < column + wide and wide > 1 else CODE
            yield (
                f'<rect x="{left + column * step + 0.4:.2f}%" y="{TOP + row * TALL + 2}" '
                f'width="{wide * step - 0.8:.2f}%" height="{tall * TALL - 4}" rx="3" '
                f'fill="{ink}" fill-opacity="0.15" stroke="{ink}" stroke-width="1.5"/>'
            )


def _dots(left: float, *, red: bool) -> Iterator[str]:
    """Yield a dot for each number; those that share a scale with a loud one are red."""
    step = WIDE / CHANNELS
    for row in range(TOKENS):
        for column in range(CHANNELS):
            centre = left + (column + 0.5) * step, TOP + (row + 0.5) * TALL
            ink = LOST if red and column != LOUD else REAL
            yield dot(*centre, ink, filled=False, radius=7 if column == LOUD else 3)
