"""A ruler of all 256 codes: numbers above it, their codes on it, what comes back below it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import torch

from qlearn.course.drawings.marks import mark
from qlearn.course.drawings.svg import CODE, LOST, REAL, Drawing, dot, line, text
from qlearn.numbers.qparams import QParams
from qlearn.numbers.quantize import dequantize, quantize

NUMBERS, RULER, BACK, HEIGHT = 50, 118, 196, 242  # in pixels from the top
TICKS = 32  # so many marks are drawn


def long_ruler(values: Sequence[float], qparams: QParams) -> Drawing:
    """Draw each value, its code on a ruler of which only some marks are drawn, and what comes back.

    Raises:
        ValueError: the qparams are per channel.

    >>> from qlearn import QParams
    >>> long_ruler([8.0, 20.0], QParams(0.1, 10, -128, 127, torch.int8)).label[:58]
    'The codes −128 to 127 are a ruler from −13.8 to 11.7, and '
    """
    if qparams.axis is not None:
        raise ValueError(f"axis is {qparams.axis}, and one ruler is drawn: pass a single scale")
    codes = quantize(torch.tensor(values, dtype=torch.float32), qparams)
    back = dequantize(codes, qparams).tolist()
    place = _places(values, qparams)
    parts = [*_lines(), *_ruler(qparams, place, codes.tolist())]
    for value, code, returned in zip(values, codes.tolist(), back, strict=True):
        parts += _journey(value, code, returned, place)
    return Drawing(_said(values, codes.tolist(), back, qparams), tuple(parts), HEIGHT)


def _said(values: Sequence[float], codes: list[int], back: list[float], qparams: QParams) -> str:
    """Return in words what the picture says."""
    first, last = qparams.quant_min, qparams.quant_max
    ruler = (
        f"The codes {_signed(first)} to {_signed(last)} are a ruler from "
        f"{_signed(mark(first, qparams))} to {_signed(mark(last, qparams))}, and code "
        f"{_signed(int(qparams.zero_point))} lies at 0."
    )
    journeys = (
        f"{_signed(value)} gets code {_signed(code)} and comes back as {_signed(returned)}"
        for value, code, returned in zip(values, codes, back, strict=True)
    )
    return f"{ruler} {'; '.join(journeys)}."


def _places(values: Sequence[float], qparams: QParams) -> Callable[[float], float]:
    """Return where a number lies, in percent: the whole ruler and all values are inside."""
    ends = [mark(code, qparams) for code in (qparams.quant_min, qparams.quant_max)]
    first, last = min(*values, *ends), max(*values, *ends)
    return lambda number: 2 + 96 * (number - first) / (last - first)


def _lines() -> Iterator[str]:
    """Yield the two lines of real numbers, and the names of all three."""
    yield text(0, 14, "numbers, float32", anchor="start")
    yield line((0, NUMBERS), (100, NUMBERS), REAL, width=1)
    yield text(0, RULER - 20, "codes, int8", anchor="start")
    yield line((0, BACK), (100, BACK), REAL, width=1)
    yield text(0, BACK + 40, "what comes back", anchor="start")


def _ruler(qparams: QParams, place: Callable[[float], float], codes: list[int]) -> Iterator[str]:
    """Yield the ruler with some of its marks, the codes at its ends, and the zero point."""
    first, last, zero = qparams.quant_min, qparams.quant_max, int(qparams.zero_point)
    start, end = place(mark(first, qparams)), place(mark(last, qparams))
    yield line((start, RULER), (end, RULER), CODE, width=2)
    for number in range(TICKS):
        x = start + number * (end - start) / (TICKS - 1)
        tall = 12 if number in (0, TICKS - 1) else 6
        yield line((x, RULER - tall), (x, RULER), CODE, width=1)
    for code in sorted({first, last, zero} - set(codes)):
        yield text(place(mark(code, qparams)), RULER + 18, _signed(code), size=11)
    x = place(mark(zero, qparams))
    yield line((x, RULER - 16), (x, RULER), CODE, width=3)
    yield text(x + 1.5, RULER + 38, "zero point", anchor="start", bold=True)


def _journey(
    value: float, code: int, returned: float, place: Callable[[float], float]
) -> Iterator[str]:
    """Yield a number's way to its code and back, and in red how far it came off."""
    start, end = place(value), place(returned)
    yield line((start, NUMBERS + 6), (end, RULER - 8), REAL)
    yield line((end, RULER + 24), (end, BACK - 6), CODE)
    yield line((start, BACK), (end, BACK), LOST, width=4)
    yield dot(start, NUMBERS, REAL, filled=False)
    yield dot(end, RULER, CODE)
    yield text(end, RULER + 18, _signed(code), bold=True, size=11)
    yield dot(end, BACK, REAL, radius=3.5)
    yield text(start, NUMBERS - 14, _signed(value))
    yield text(end, BACK + 20, _signed(returned))


def _signed(number: float) -> str:
    """Return a number with a true minus sign and at most two decimals."""
    return f"{round(number, 2):g}".replace("-", "−")
