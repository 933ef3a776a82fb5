"""The drawing of a histogram observer's choice: counts, and what each end of the range costs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from qlearn.course.drawings.svg import CODE, LOST, REAL, TEXT, Drawing, line, text

COUNTS, COSTS = (24, 124), (196, 296)  # pixels: where the bars begin and where they stand
LEAST = 3  # pixels: the smallest bar
MOST = 2.2  # times the least cost: the tallest bar that is drawn


def end_of_histogram(counts: Sequence[int], codes: int) -> Drawing:
    """Draw counts in bins of width 1 from 0 on, and below each bin the cost of ending there.

    Blue is the squared error of rounding, red that of clipping. Costs beyond the picture have
    no bar.

    Raises:
        ValueError: there are no numbers in the bins.

    >>> end_of_histogram([8, 4, 0, 1], codes=2)
    Drawing: 13 numbers in 4 bins. The range ends best at 3: rounding 2.2, clipping 1.6.
    """
    if not sum(counts):
        raise ValueError("all counts are 0, so no end costs anything: count some numbers first")
    costs = [cost_of_end(counts, end, codes) for end in range(1, len(counts) + 1)]
    best = min(range(len(costs)), key=lambda i: sum(costs[i]))
    share = 100 / len(counts)
    parts = [
        text(100, 14, "how many numbers", anchor="end"),
        *_counts(counts, best, share),
        *_ruler(best + 1, codes, share),
        text(0, COSTS[0] - 24, "squared error, if the range ends after this bin", anchor="start"),
        *_costs(costs, best, share),
    ]
    rounding, clipping = costs[best]
    label = (
        f"{sum(counts)} numbers in {len(counts)} bins. The range ends best at {best + 1}: "
        f"rounding {rounding:.1f}, clipping {clipping:.1f}."
    )
    return Drawing(label, tuple(parts), COSTS[1] + 50)


def cost_of_end(counts: Sequence[int], end: int, codes: int) -> tuple[float, float]:
    """Return the squared error within and beyond a range of the first ``end`` bins.

    Numbers are spread evenly over their bin, and each code lies in the middle of its step.
    """
    step = end / codes

    def integral(x: float) -> float:
        code = min(max(math.floor(x / step), 0), codes - 1)
        return code * step**3 / 12 + (x - (code + 0.5) * step) ** 3 / 3

    errors = [n * (integral(i + 1.0) - integral(float(i))) for i, n in enumerate(counts)]
    return math.fsum(errors[:end]), math.fsum(errors[end:])


def _counts(counts: Sequence[int], best: int, share: float) -> Iterator[str]:
    """Yield a bar for each bin, grey in the best range and red beyond."""
    top, foot = COUNTS
    for i, count in enumerate(counts):
        if count:
            height = max(LEAST, round((foot - top) * count / max(counts), 1))
            yield _bar(i, share, foot - height, height, REAL if i <= best else LOST)
            yield text((i + 0.5) * share, foot - height - 4, f"{count}", size=11)
    yield line((0, foot), (100, foot), REAL, width=1)


def _ruler(end: int, codes: int, share: float) -> Iterator[str]:
    """Yield a mark for each code of the best range, in the middle of its step."""
    y = COUNTS[1] + 20
    yield line((0, y), (end * share, y), CODE)
    for code in range(codes):
        place = (code + 0.5) * end * share / codes
        yield line((place, y - 10), (place, y), CODE, width=2)


def _costs(costs: Sequence[tuple[float, float]], best: int, share: float) -> Iterator[str]:
    """Yield the two errors, one upon the other, and their sum; the least in bold."""
    top, foot = COSTS
    most = MOST * sum(costs[best])
    for i, parts in enumerate(costs):
        total, y = sum(parts), float(foot)
        if total <= most:
            for part, ink in zip(parts, (CODE, LOST), strict=True):
                if part > 0:
                    height = max(LEAST, round((foot - top) * part / most, 1))
                    y -= height
                    yield _bar(i, share, y, height, ink)
            yield text((i + 0.5) * share, y - 4, f"{total:.0f}", bold=i == best, size=11)
        yield text((i + 0.5) * share, foot + 16, f"{i + 1}", size=11, bold=i == best)
    yield line((0, foot), (100, foot), TEXT, width=1)
    yield text(0, foot + 38, "rounding", anchor="start", ink=CODE, bold=True)
    yield text(24, foot + 38, "clipping", anchor="start", ink=LOST, bold=True)
    yield text(100, foot + 38, "the end of the range", anchor="end")


def _bar(i: int, share: float, y: float, height: float, ink: str) -> str:
    x, width = (i + 0.12) * share, 0.76 * share
    return (
        f'<rect x="{x:.2f}%" y="{y:.1f}" width="{width:.2f}%" height="{height:.1f}" fill="{ink}"/>'
    )
