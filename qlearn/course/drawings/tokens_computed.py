"""Decoding without a cache and with one: which tokens each step computes, and which it reads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from qlearn.course.drawings.svg import CODE, REAL, Drawing, text

WIDE, GAP = 46.0, 8.0  # percent: one of the two pictures, and the space between
TALL, TOP, FOOT = 26, 30, 30  # pixels: a step, the name above, the words below


def tokens_computed(tokens: Sequence[str]) -> Drawing:
    """Draw a row for each step: filled what is computed in it, in outline what the cache holds.

    Raises:
        ValueError: there are fewer than two tokens, or more than eight.

    >>> tokens_computed("abc").label[-55:]
    'without a cache 6 are computed, with one 3, and 3 read.'
    """
    if not 2 <= len(tokens) <= 8:
        raise ValueError(f"{len(tokens)} tokens do not fit: draw two to eight")
    steps = len(tokens)
    every = steps * (steps + 1) // 2
    height = TOP + steps * TALL + FOOT
    parts = [
        text(0, 16, "without a cache", anchor="start", bold=True),
        *_panel(tokens, 0.0, cached=False),
        text(0, height - 8, f"{every} tokens computed", anchor="start"),
        text(WIDE + GAP, 16, "with a cache", anchor="start", bold=True),
        *_panel(tokens, WIDE + GAP, cached=True),
        text(WIDE + GAP, height - 8, f"{steps} computed, {every - steps} read", anchor="start"),
    ]
    label = (
        f"{steps} steps that read the tokens {', '.join(tokens)}, one more in each. Of all the "
        f"tokens in them, without a cache {every} are computed, with one {steps}, and "
        f"{every - steps} read."
    )
    return Drawing(label, tuple(parts), height)


def _panel(tokens: Sequence[str], left: float, *, cached: bool) -> Iterator[str]:
    """Yield a box with its token for each token of each step."""
    wide = WIDE / len(tokens)
    for step in range(len(tokens)):
        for place in range(step + 1):
            read = cached and place < step
            x, y = left + place * wide, TOP + step * TALL
            ink = REAL if read else CODE
            fill = 'fill="none"' if read else f'fill="{CODE}" fill-opacity="0.25"'
            yield (
                f'<rect x="{x + 0.3:.2f}%" y="{y + 2}" width="{wide - 0.6:.2f}%" '
                f'height="{TALL - 4}" rx="3" {fill} stroke="{ink}" stroke-width="1.5"/>'
            )
            yield text(x + wide / 2, y + TALL / 2 + 4, tokens[place], bold=not read)
