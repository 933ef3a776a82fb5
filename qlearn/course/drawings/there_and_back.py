"""The first drawing: numbers in float32, a ruler of codes below them, and what comes back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import torch

from qlearn.course.drawings.marks import check_room, marks, places
from qlearn.course.drawings.svg import CODE, LOST, REAL, Drawing, dot, line, signed, text
from qlearn.numbers.qparams import QParams
from qlearn.numbers.quantize import dequantize, quantize

NUMBERS, RULER, BACK, HEIGHT = 46, 122, 208, 250  # in pixels from the top
MOST_CODES = 32  # more marks than that run into each other on a phone


def there_and_back(values: Sequence[float], qparams: QParams) -> Drawing:
    """Draw each value, its mark on the ruler of codes, and the number that comes back.

    Raises:
        ValueError: the ruler has more than 32 marks, or its qparams are per channel.

    >>> from qlearn import QParams
    >>> there_and_back([0.66, -0.3], QParams(0.2, 0, -8, 7, torch.int8))
    Drawing: 0.66 gets code 3 and comes back as 0.60; −0.30 gets code −2 and comes back as −0.40.
    """
    check_room(qparams, MOST_CODES)
    codes = quantize(torch.tensor(values, dtype=torch.float32), qparams)
    back = dequantize(codes, qparams).tolist()
    journeys = list(zip(values, codes.tolist(), back, strict=True))
    place = places(values, qparams)
    parts = [*_lines(), *_ruler(qparams, place)]
    for value, _, returned in journeys:
        parts += _journey(value, returned, place)
    said = (
        f"{signed(value, '.2f')} gets code {signed(code, 'd')} and comes back as "
        f"{signed(returned, '.2f')}"
        for value, code, returned in journeys
    )
    return Drawing("; ".join(said) + ".", tuple(parts), HEIGHT)


def _lines() -> Iterator[str]:
    """Yield the two lines of real numbers and their names."""
    for y, name, foot in ((NUMBERS, "weights, float32", 14), (BACK, "what comes back", BACK + 38)):
        yield line((0, y), (100, y), REAL, width=1)
        yield text(0, foot, name, anchor="start")


def _ruler(qparams: QParams, place: Callable[[float], float]) -> Iterator[str]:
    """Yield a mark and a number for each code, and the scale between the last two."""
    codes = range(qparams.quant_min, qparams.quant_max + 1)
    lie = [place(number) for number in marks(qparams)]
    yield line((lie[0], RULER), (lie[-1], RULER), CODE)
    yield text(0, RULER - 20, "codes", anchor="start")
    for code, x in zip(codes, lie, strict=True):
        zero = code == int(qparams.zero_point)
        yield line((x, RULER - (12 if zero else 8)), (x, RULER), CODE, width=2)
        yield text(x, RULER + 16, signed(code, "d"), bold=zero, size=11)
    yield line((lie[-2], RULER - 16), (lie[-1], RULER - 16), CODE, width=1)
    yield text(sum(lie[-2:]) / 2, RULER - 21, f"{float(qparams.scale):.3g}")


def _journey(value: float, returned: float, place: Callable[[float], float]) -> Iterator[str]:
    """Yield a number's way to its mark and back, and in red how far it came off."""
    start, end = place(value), place(returned)
    yield line((start, NUMBERS + 6), (end, RULER - 10), REAL)
    yield line((end, RULER + 22), (end, BACK - 6), CODE)
    yield line((start, BACK), (end, BACK), LOST, width=4)
    yield dot(start, NUMBERS, REAL, filled=False)
    yield dot(end, RULER, CODE)
    yield dot(end, BACK, REAL, radius=3.5)
    yield text(start, NUMBERS - 12, signed(value, ".2f"))
    yield text(end, BACK + 20, signed(returned, ".2f"))
