"""What a step of decoding waits for: the time to fetch the weights, and the time to multiply."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from qlearn.course.drawings.svg import CODE, REAL, Drawing, text

BAR, ROW, TOP = 11, 50, 40  # pixels: a bar, from one step to the next, and the first name
LONGEST = 88.0  # percent: the longest bar, with room for its number behind it


def fetch_and_multiply(steps: Mapping[str, tuple[float, float]]) -> Drawing:
    """Draw two bars for each step, of the milliseconds to fetch and to multiply.

    A card does both at the same time, so the longer one decides; its number is bold.

    Raises:
        ValueError: there is no step, or a time is not above 0.

    >>> fetch_and_multiply({"1 token": (13.5, 0.08)})
    Drawing: 1 token: fetching takes 13.5 milliseconds, multiplying 0.08; it waits for memory.
    """
    times = [time for both in steps.values() for time in both]
    if not times or min(times) <= 0:
        raise ValueError(f"the times are {times}: draw a step at least, and times above 0")
    parts = [
        _box(0, 4, 3, filled=False),
        text(4.5, 14, "fetch the weights", anchor="start"),
        _box(40, 4, 3, filled=True),
        text(44.5, 14, "multiply", anchor="start"),
        text(100, 14, "milliseconds", anchor="end"),
    ]
    told = []
    for number, (name, (fetch, multiply)) in enumerate(steps.items()):
        y = TOP + ROW * number
        parts.append(text(0, y, name, anchor="start"))
        parts += _bar(fetch, max(times), y + 6, filled=False, decides=fetch >= multiply)
        parts += _bar(multiply, max(times), y + 8 + BAR, filled=True, decides=multiply > fetch)
        waits = "memory" if fetch >= multiply else "the multipliers"
        told.append(
            f"{name}: fetching takes {written(fetch)} milliseconds, multiplying "
            f"{written(multiply)}; it waits for {waits}."
        )
    return Drawing(" ".join(told), tuple(parts), TOP + ROW * len(steps) - 8)


def written(time: float) -> str:
    """Return a time with three digits at most.

    >>> written(13.476), written(0.0817), written(130)
    ('13.5', '0.08', '130')
    """
    return f"{time:.0f}" if time >= 100 else f"{time:.1f}" if time >= 1 else f"{time:.2f}"


def _bar(time: float, longest: float, y: float, *, filled: bool, decides: bool) -> Iterator[str]:
    wide = LONGEST * time / longest
    yield _box(0, y, wide, filled=filled)
    yield text(wide + 1.5, y + BAR - 1, written(time), anchor="start", bold=decides)


def _box(x: float, y: float, wide: float, *, filled: bool) -> str:
    """Return a bar: filled for products, an outline for bytes on their way."""
    fill, ink = (f'fill="{CODE}"', CODE) if filled else ('fill="none"', REAL)
    return (
        f'<rect x="{x:g}%" y="{y:g}" width="{wide:.2f}%" height="{BAR}" {fill} stroke="{ink}" '
        f'stroke-width="1.5"/>'
    )
