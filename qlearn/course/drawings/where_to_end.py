"""The drawing of clipping against rounding: one histogram, and rulers of different lengths."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import torch
from jaxtyping import Float32, Int64
from torch import Tensor

from qlearn.course.drawings.marks import check_room_of, marks
from qlearn.course.drawings.svg import CODE, LOST, REAL, Drawing, line, signed, text
from qlearn.course.steady import steady
from qlearn.numbers.metrics import clipped_share
from qlearn.numbers.qparams import QParams

FOOT, TALLEST, LEAST = 112, 92, 3  # pixels: where bars stand, the tallest, the smallest of all
RULER, ROW = 168, 84  # of the first ruler, and from one to the next
BARS, MOST_CODES = 48, 16


def where_to_end(x: Float32[Tensor, "..."], rulers: Mapping[str, QParams]) -> Drawing:
    """Draw a histogram in grey and each ruler below it; what the last one clips is red.

    A bar with few numbers is three pixels high, so that it can be seen.

    Raises:
        ValueError: a ruler has more than 16 marks, or its qparams are per channel.

    >>> from qlearn import QParams
    >>> rulers = {"long": QParams(1.0, 0, -2, 1, torch.int8)}
    >>> where_to_end(torch.tensor([-1.0, 0.5, 1.0]), rulers)
    Drawing: 3 numbers from −1.00 to 1.00. Ruler long: a step of 1.0, nothing is clipped.
    """
    for name, qparams in rulers.items():
        check_room_of(name, qparams, MOST_CODES)
    ends = [abs(mark) for qparams in rulers.values() for mark in marks(qparams)]
    reach = max(*ends, x.abs().max().item())

    def place(number: float) -> float:
        return 50 + 49 * number / reach

    last = list(rulers.values())[-1]
    parts = [*_histogram(x.flatten(), last, reach, place)]
    for row, (name, qparams) in enumerate(rulers.items()):
        parts += _ruler(name, qparams, RULER + ROW * row, place)
        parts += _clipped(x, qparams, RULER + ROW * row, place)
    said = " ".join(f"Ruler {_said(name, x, qparams)}." for name, qparams in rulers.items())
    label = f"{x.numel():,} numbers from {_signed(x.min())} to {_signed(x.max())}. {said}"
    return Drawing(label, tuple(parts), RULER + ROW * (len(rulers) - 1) + 44)


def _histogram(
    x: Float32[Tensor, " n"], qparams: QParams, reach: float, place: Callable[[float], float]
) -> Iterator[str]:
    """Yield the bars, grey up to the ends of the ruler and red beyond, and the line below."""
    first, last = _ends(qparams)
    clipped = (x < first) | (x > last)
    grey, red = _counts(x[~clipped], reach), _counts(x[clipped], reach)
    most = int((grey + red).max())
    width = 2 * reach / BARS
    for bar in range(BARS):
        x0, x1 = place(bar * width - reach), place((bar + 1) * width - reach)
        foot = float(FOOT)
        for count, ink in ((int(grey[bar]), REAL), (int(red[bar]), LOST)):
            if count:
                height = max(LEAST, round(TALLEST * count / most, 1))
                yield (
                    f'<rect x="{x0:.2f}%" y="{foot - height:.1f}" width="{x1 - x0 - 0.2:.2f}%" '
                    f'height="{height:.1f}" fill="{ink}"/>'
                )
                foot -= height
    yield line((0, FOOT), (100, FOOT), REAL, width=1)
    yield line((50, FOOT), (50, FOOT + 5), REAL)
    yield text(50, FOOT + 17, "0", size=11)


def _counts(x: Float32[Tensor, " n"], reach: float) -> Int64[Tensor, " bars"]:
    """Return how many numbers each bar holds; in float64, and so the same on every machine."""
    places = torch.floor((x.double() + reach) * (BARS / (2 * reach))).long()
    return torch.bincount(places.clamp(0, BARS - 1), minlength=BARS)


def _ruler(name: str, qparams: QParams, y: int, place: Callable[[float], float]) -> Iterator[str]:
    """Yield a mark for each code, the ruler's name, and the width of a step."""
    lie = marks(qparams)
    yield text(0, y - 22, name, anchor="start")
    yield line((place(lie[0]), y), (place(lie[-1]), y), CODE)
    for code, mark in enumerate(lie, qparams.quant_min):
        tall = 12 if code == int(qparams.zero_point) else 8
        yield line((place(mark), y - tall), (place(mark), y), CODE, width=2)
    for code, mark in ((qparams.quant_min, lie[0]), (qparams.quant_max, lie[-1])):
        yield text(place(mark), y + 16, signed(code), size=11)
    start, end = place(lie[-2]), place(lie[-1])
    yield line((start, y - 15), (end, y - 15), CODE, width=2)
    yield text(100, y - 22, f"a step of {_step(qparams)}", anchor="end", ink=CODE)


def _clipped(
    x: Float32[Tensor, "..."], qparams: QParams, y: int, place: Callable[[float], float]
) -> Iterator[str]:
    """Yield a red line from the ruler to the furthest number that it clips, on each side."""
    (first, last), lie = _ends(qparams), marks(qparams)
    low, high = x.min().item(), x.max().item()
    for far, beyond, mark in ((low, low < first, lie[0]), (high, high > last, lie[-1])):
        if beyond:
            yield line((place(mark), y), (place(far), y), LOST, width=3)
    if share := clipped_share(x, qparams):
        yield text(100, y + 16, f"{_percent(share)} clipped", anchor="end", ink=LOST)


def _ends(qparams: QParams) -> tuple[float, float]:
    """Return where clipping begins, half a step beyond the first and the last mark."""
    half, lie = float(qparams.scale) / 2, marks(qparams)
    return lie[0] - half, lie[-1] + half


def _said(name: str, x: Float32[Tensor, "..."], qparams: QParams) -> str:
    share = clipped_share(x, qparams)
    lost = f"{_percent(share)} are clipped" if share else "nothing is clipped"
    return f"{name}: a step of {_step(qparams)}, {lost}"


def _step(qparams: QParams) -> str:
    return steady(float(qparams.scale), "#.2g")


def _percent(share: float) -> str:
    return f"{steady(100 * share, '.1f')} %"


def _signed(number: Tensor) -> str:
    return steady(number.item(), ".2f").replace("-", "−")
