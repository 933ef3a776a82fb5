"""The words of a ruler: its scale, its zero point, and the error of one number."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import torch

from qlearn.course.drawings.marks import check_room, mark, marks, places
from qlearn.course.drawings.svg import CODE, LOST, REAL, Drawing, dot, line, signed, text
from qlearn.numbers.qparams import QParams
from qlearn.numbers.quantize import dequantize, quantize

NUMBERS, RULER, HEIGHT = 46, 132, 196  # in pixels from the top
MOST_CODES = 32  # more marks than that run into each other on a phone


def ruler_and_error(values: Sequence[float], shown: int, qparams: QParams) -> Drawing:
    """Draw numbers over a ruler, and name its scale, its zero point, and one number's error.

    Raises:
        ValueError: the ruler has more than 32 marks, or its qparams are per channel.

    >>> from qlearn import QParams
    >>> ruler_and_error([0.66, -0.3], 0, QParams(0.25, 1, -8, 7, torch.int8)).label[:45]
    'The marks −8 to 7 of a ruler are 0.25 apart: '
    """
    check_room(qparams, MOST_CODES)
    place = places(values, qparams)
    value = values[shown]
    code = quantize(torch.tensor([value], dtype=torch.float32), qparams)
    back = dequantize(code, qparams).item()
    parts = [*_numbers(values, shown, place), *_ruler(qparams, place), *_names(qparams, place)]
    parts += _error(value, back, place)
    said = (
        f"The marks {signed(qparams.quant_min)} to {signed(qparams.quant_max)} of a ruler are "
        f"{signed(float(qparams.scale), '.3g')} apart: this is the scale. Mark "
        f"{signed(int(qparams.zero_point))} lies at 0: this is the zero point. The number "
        f"{signed(value, '.4g')} gets the nearest mark, {signed(code.item())}, and its error is "
        f"{signed(abs(back - value), '.2f')}."
    )
    return Drawing(said, tuple(parts), HEIGHT)


def _numbers(values: Sequence[float], shown: int, place: Callable[[float], float]) -> Iterator[str]:
    """Yield the line of real numbers, where 0 lies on it, and a dot for each number."""
    yield line((0, NUMBERS), (100, NUMBERS), REAL, width=1)
    yield text(0, 14, "numbers, float32", anchor="start")
    zero = place(0.0)
    yield line((zero, NUMBERS - 7), (zero, RULER - 12), REAL, dashed=True)
    yield text(zero, NUMBERS - 12, "0")
    for number, value in enumerate(values):
        yield dot(place(value), NUMBERS, REAL, filled=False)
        if number == shown:
            yield text(place(value), NUMBERS - 12, signed(value, ".4g"))


def _ruler(qparams: QParams, place: Callable[[float], float]) -> Iterator[str]:
    """Yield a mark and a number for each code; the zero point's mark is longer."""
    codes = range(qparams.quant_min, qparams.quant_max + 1)
    lie = [place(number) for number in marks(qparams)]
    yield line((lie[0], RULER), (lie[-1], RULER), CODE)
    for code, x in zip(codes, lie, strict=True):
        zero = code == int(qparams.zero_point)
        yield line((x, RULER - (14 if zero else 8)), (x, RULER), CODE, width=3 if zero else 2)
        yield text(x, RULER + 16, signed(code), bold=zero, size=11)


def _names(qparams: QParams, place: Callable[[float], float]) -> Iterator[str]:
    """Yield the words: codes, zero point, and scale between the last two marks."""
    last = [place(mark(qparams.quant_max - back, qparams)) for back in (1, 0)]
    yield line((last[0], RULER - 18), (last[1], RULER - 18), CODE, width=2)
    scale = f"scale {signed(float(qparams.scale), '.3g')}"
    yield text(last[1], RULER - 24, scale, anchor="end", bold=True)
    yield text(0, RULER + 36, "codes", anchor="start")
    zero = place(0.0)
    yield line((zero, RULER + 20), (zero, RULER + 34), CODE)
    yield text(zero, RULER + 48, "zero point", bold=True)


def _error(value: float, back: float, place: Callable[[float], float]) -> Iterator[str]:
    """Yield the way of a number to its mark, and in red how far it is off."""
    start, end = place(value), place(back)
    yield line((start, NUMBERS + 6), (start, RULER - 20), REAL)
    yield line((start, RULER - 18), (end, RULER - 18), LOST, width=4)
    yield line((end, RULER - 16), (end, RULER - 5), CODE)
    yield dot(end, RULER, CODE)
    away = ("start", 2.0) if end > start else ("end", -2.0)
    yield text(end + away[1], RULER - 24, "error", anchor=away[0], ink=LOST, bold=True)
