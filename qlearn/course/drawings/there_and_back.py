"""The first drawing: numbers in float32, a ruler of codes below them, and what comes back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import torch

from qlearn.course.drawings.svg import CODE, LOST, REAL, Drawing, dot, line, text
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
    if qparams.axis is not None or qparams.quant_max - qparams.quant_min >= MOST_CODES:
        raise ValueError(
            f"codes {qparams.quant_min} … {qparams.quant_max} with axis {qparams.axis} make no "
            f"single ruler of at most {MOST_CODES} marks: draw four bits, per tensor"
        )
    codes = quantize(torch.tensor(values, dtype=torch.float32), qparams)
    back = dequantize(codes, qparams).tolist()
    journeys = list(zip(values, codes.tolist(), back, strict=True))
    place = _places(values, qparams)
    parts = [*_lines(), *_ruler(qparams, place)]
    for value, _, returned in journeys:
        parts += _journey(value, returned, place)
    said = (
        f"{_signed(value, '.2f')} gets code {_signed(code, 'd')} and comes back as "
        f"{_signed(returned, '.2f')}"
        for value, code, returned in journeys
    )
    return Drawing("; ".join(said) + ".", tuple(parts), HEIGHT)


def _places(values: Sequence[float], qparams: QParams) -> Callable[[float], float]:
    """Return where a number lies, in percent: all are inside, with half a step at the ends."""
    marks = [_number(code, qparams) for code in (qparams.quant_min, qparams.quant_max)]
    half = float(qparams.scale) / 2
    first, last = min(*values, *marks) - half, max(*values, *marks) + half
    return lambda number: 100 * (number - first) / (last - first)


def _number(code: int, qparams: QParams) -> float:
    """Return the real number at the mark of a code."""
    return float(qparams.scale) * (code - int(qparams.zero_point))


def _lines() -> Iterator[str]:
    """Yield the two lines of real numbers and their names."""
    for y, name, foot in ((NUMBERS, "weights, float32", 14), (BACK, "what comes back", BACK + 38)):
        yield line((0, y), (100, y), REAL, width=1)
        yield text(0, foot, name, anchor="start")


def _ruler(qparams: QParams, place: Callable[[float], float]) -> Iterator[str]:
    """Yield a mark and a number for each code, and the scale between the last two."""
    codes = range(qparams.quant_min, qparams.quant_max + 1)
    places = [place(_number(code, qparams)) for code in codes]
    yield line((places[0], RULER), (places[-1], RULER), CODE)
    yield text(0, RULER - 20, "codes", anchor="start")
    for code, x in zip(codes, places, strict=True):
        zero = code == int(qparams.zero_point)
        yield line((x, RULER - (12 if zero else 8)), (x, RULER), CODE, width=2)
        yield text(x, RULER + 16, _signed(code, "d"), bold=zero, size=11)
    yield line((places[-2], RULER - 16), (places[-1], RULER - 16), CODE, width=1)
    yield text(sum(places[-2:]) / 2, RULER - 21, f"{float(qparams.scale):.3g}")


def _journey(value: float, returned: float, place: Callable[[float], float]) -> Iterator[str]:
    """Yield a number's way to its mark and back, and in red how far it came off."""
    start, end = place(value), place(returned)
    yield line((start, NUMBERS + 6), (end, RULER - 10), REAL)
    yield line((end, RULER + 22), (end, BACK - 6), CODE)
    yield line((start, BACK), (end, BACK), LOST, width=4)
    yield dot(start, NUMBERS, REAL, filled=False)
    yield dot(end, RULER, CODE)
    yield dot(end, BACK, REAL, radius=3.5)
    yield text(start, NUMBERS - 12, _signed(value, ".2f"))
    yield text(end, BACK + 20, _signed(returned, ".2f"))


def _signed(number: float, spec: str) -> str:
    """Return a number with a true minus sign."""
    return format(number, spec).replace("-", "−")
