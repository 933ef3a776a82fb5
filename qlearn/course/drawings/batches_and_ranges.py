"""The drawing of a stream: batch after batch, and the range that each observer keeps."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from qlearn.course.drawings.svg import CODE, LOST, REAL, Drawing, dot, line, text

Range = tuple[float, float]
LINE = (31.0, 87.0)  # percent: where the number line begins and ends
BATCH, BAR = 26, 20  # pixels: what a batch and each range below it take


def batches_and_ranges(
    batches: Sequence[Sequence[float]], kept: Mapping[str, Sequence[Range]]
) -> Drawing:
    """Draw each batch as dots, and below it the range that each observer has after it.

    A number of the batch beyond the range is joined to its end by a red line.

    Raises:
        ValueError: an observer has not one range for each batch.

    >>> batches_and_ranges([[0.0, 3.0], [0.0, 4.0]], {"all": [(0.0, 3.0), (0.0, 4.0)]})
    Drawing: After batch 1, up to 3: all 3. After batch 2, up to 4: all 4.
    """
    for name, ranges in kept.items():
        if len(ranges) != len(batches):
            raise ValueError(
                f"{name!r} has {len(ranges)} ranges for {len(batches)} batches: give one for each"
            )
    numbers = [number for batch in batches for number in batch]
    low, high = min(numbers), max(numbers)

    def place(number: float) -> float:
        return LINE[0] + (LINE[1] - LINE[0]) * (number - low) / (high - low)

    parts, said, y = [text(100, 14, "ends at", anchor="end", size=11)], [], 30
    for number, batch in enumerate(batches):
        parts += _batch(f"batch {number + 1}", batch, y, place)
        for row, (name, ranges) in enumerate(kept.items(), start=1):
            parts += _kept(name, ranges[number], batch, y + BAR * row, place)
        ends = ", ".join(f"{name} {_short(r[number][1])}" for name, r in kept.items())
        said.append(f"After batch {number + 1}, up to {_short(max(batch))}: {ends}.")
        y += BATCH + BAR * len(kept)
    return Drawing(" ".join(said), tuple(parts), y - 6)


def _batch(
    name: str, batch: Sequence[float], y: float, place: Callable[[float], float]
) -> Iterator[str]:
    yield text(0, y + 4, name, anchor="start", bold=True)
    yield line((LINE[0], y), (LINE[1], y), REAL, width=1)
    for number in sorted(set(batch)):
        yield dot(place(number), y, REAL, filled=False, radius=4)
    yield text(100, y + 4, _short(max(batch)), anchor="end", size=11)


def _kept(
    name: str, ends: Range, batch: Sequence[float], y: float, place: Callable[[float], float]
) -> Iterator[str]:
    """Yield the range as a ruler with two ends, and in red how far the batch reaches beyond."""
    yield text(0, y + 4, name, anchor="start", size=11)
    first, last = place(ends[0]), place(ends[1])
    yield line((first, y), (last, y), CODE, width=3)
    for end in (first, last):
        yield line((end, y - 6), (end, y + 6), CODE, width=2)
    for beyond, end, far in (
        (max(batch) > ends[1], last, place(max(batch))),
        (min(batch) < ends[0], first, place(min(batch))),
    ):
        if beyond:
            yield line((end, y), (far, y), LOST, width=3, dashed=True)
    yield text(100, y + 4, _short(ends[1]), anchor="end", size=11)


def _short(number: float) -> str:
    return f"{number:.2f}".rstrip("0").rstrip(".").replace("-", "−")
