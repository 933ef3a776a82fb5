"""A ruler that lies under its numbers, and the same ruler where clamping the zero point put it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch
from jaxtyping import Float32
from torch import Tensor

from qlearn.course.drawings.svg import CODE, LOST, REAL, Drawing, line, signed, text
from qlearn.numbers.qparams import QParams
from qlearn.numbers.quantize import dequantize

WANTED, CLAMPED, HEIGHT = 72, 188, 238  # in pixels: the two rulers, all
BARS, TALLEST = 16, 26  # the histogram; pixels
MARKS = 9  # so many of the 256 are drawn


def moved_ruler(values: Float32[Tensor, "..."], wanted: int, qparams: QParams) -> Drawing:
    """Draw the ruler with the zero point ``wanted``, and below it the one of ``qparams``.

    Raises:
        ValueError: a number lies below the last mark of ``qparams``, or its ruler is per channel.

    >>> from qlearn import QParams
    >>> clamped = QParams(1 / 255, -128, -128, 127, torch.int8)
    >>> moved_ruler(torch.tensor([10.0, 11.0]), -2678, clamped).label[:55]
    'With the zero point −2678 the ruler covers 10 to 11, wh'
    """
    if qparams.axis is not None:
        raise ValueError(f"axis is {qparams.axis}, and one ruler is drawn: pass a single scale")
    marks = torch.tensor([qparams.quant_min, qparams.quant_max], dtype=qparams.dtype)
    ends = dequantize(marks, qparams).tolist()
    if float(values.min()) < ends[1]:
        raise ValueError(
            f"the number {float(values.min()):.4g} lies below the last mark, at {ends[1]:.4g}: "
            "this drawing is for numbers that are all clipped"
        )
    offset = float(qparams.scale) * (int(qparams.zero_point) - wanted)
    place = _places(ends[0], max(float(values.max()), ends[1] + offset))
    there = [end + offset for end in ends]
    parts = [
        *_histogram(values, place, WANTED - 26),
        *_ruler(there, qparams, place, WANTED),
        *_histogram(values, place, CLAMPED - 26),
        *_ruler(ends, qparams, place, CLAMPED),
        *_lost(values, ends[1], place),
        *_words(wanted, int(qparams.zero_point)),
        *_axis(place, int(values.max()) + 1),
    ]
    said = (
        f"With the zero point {signed(wanted)} the ruler covers {there[0]:.3g} to "
        f"{there[1]:.3g}, where the numbers are. With the zero point "
        f"{signed(int(qparams.zero_point))} it covers {ends[0]:.3g} to {ends[1]:.3g}, and every "
        f"number gets its last mark, {qparams.quant_max}."
    )
    return Drawing(said, tuple(parts), HEIGHT)


def _places(first: float, last: float) -> Callable[[float], float]:
    """Return where a number lies, in percent, with room for a word at each end."""
    return lambda number: 9 + 82 * (number - first) / (last - first)


def _histogram(values: Tensor, place: Callable[[float], float], y: int) -> Iterator[str]:
    """Yield grey bars above a height: how many numbers there are where."""
    low, high = float(values.min()), float(values.max())
    counts = torch.histc(values.double(), BARS, low, high)
    for number, share in enumerate((counts / counts.max()).tolist()):
        x = place(low + (number + 0.5) * (high - low) / BARS)
        tall = round(TALLEST * share)
        yield line((x, y - tall), (x, y), REAL, width=1.5)


def _ruler(
    ends: list[float], qparams: QParams, place: Callable[[float], float], y: int
) -> Iterator[str]:
    """Yield a ruler, with some of its marks, and the codes at its ends."""
    first, last = place(ends[0]), place(ends[1])
    yield line((first, y), (last, y), CODE, width=3)
    for number in range(MARKS):
        x = first + number * (last - first) / (MARKS - 1)
        outer = number in (0, MARKS - 1)
        yield line((x, y - (16 if outer else 9)), (x, y), CODE, width=2 if outer else 1)
    yield text(first - 1, y, signed(qparams.quant_min), anchor="end", size=11)
    yield text(last + 2, y, signed(qparams.quant_max), anchor="start", size=11)


def _lost(values: Tensor, last: float, place: Callable[[float], float]) -> Iterator[str]:
    """Yield in red how far the numbers are carried to the last mark."""
    low, high = float(values.min()), float(values.max())
    y, end = CLAMPED - 20, place(last)
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        x = place(low + share * (high - low))
        yield line((x, CLAMPED - 24), (x, y), LOST)
    yield line((end, y), (place(high), y), LOST)
    yield line((end, y), (end, CLAMPED - 4), LOST, width=2)
    for side in (-1.0, 1.0):  # the head of the arrow
        yield line((end + side, CLAMPED - 11), (end, CLAMPED - 3), LOST, width=2)
    yield text((end + place(low)) / 2, y - 6, "all are clipped", ink=LOST, bold=True)


def _words(wanted: int, clamped: int) -> Iterator[str]:
    yield text(0, 14, f"wanted: zero point {signed(wanted)}", anchor="start", bold=True)
    yield text(0, 124, f"clamped: zero point {signed(clamped)}", anchor="start", bold=True)


def _axis(place: Callable[[float], float], whole: int) -> Iterator[str]:
    """Yield the number line below both rulers."""
    foot = HEIGHT - 26
    yield line((0, foot), (100, foot), REAL, width=1)
    for number in sorted({0, 1, 5, whole - 1, whole}):
        yield line((place(number), foot - 4), (place(number), foot), REAL)
        yield text(place(number), foot + 16, str(number), size=11)
