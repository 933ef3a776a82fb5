"""The drawing of a few numbers on several rulers: where each goes, and what is clipped."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import torch
from jaxtyping import Float32
from torch import Tensor

from qlearn.course.drawings.marks import check_room_of, mark
from qlearn.course.drawings.svg import CODE, LOST, REAL, Drawing, dot, line, signed, text
from qlearn.course.steady import steady
from qlearn.numbers.metrics import split_mse
from qlearn.numbers.qparams import QParams
from qlearn.numbers.quantize import dequantize, quantize
from qlearn.numbers.rounding import unclamped_codes

TOP, DEEP, ROW = 40, 40, 132  # pixels: of the first numbers, down to their ruler, to the next row
MOST_CODES = 8  # their numbers stand below the marks, on a phone too


def several_rulers(values: Sequence[float], rulers: Mapping[str, QParams]) -> Drawing:
    """Draw the numbers once for each ruler, with their ways to its marks; the clipped are red.

    Beside the name of a ruler stand the squared errors of rounding and of clipping, summed.

    Raises:
        ValueError: a ruler has more than eight marks, or its qparams are per channel.

    >>> from qlearn import QParams
    >>> several_rulers([0.25, 2.0], {"short": QParams(0.5, 0, -1, 1, torch.int8)})
    Drawing: Ruler short, a step of 0.5: rounding 0.06, clipping 2.25.
    """
    x = torch.tensor(values, dtype=torch.float32)
    for name, qparams in rulers.items():
        check_room_of(name, qparams, MOST_CODES)
    ends = [abs(mark(code, q)) for q in rulers.values() for code in (q.quant_min, q.quant_max)]
    reach = max(*ends, float(x.abs().max()))

    def place(number: float) -> float:
        return 50 + 47 * number / reach

    parts: list[str] = []
    said = []
    for row, (name, qparams) in enumerate(rulers.items()):
        parts += _row(x, name, qparams, TOP + ROW * row, place)
        rounding, clipping = _sums(x, qparams)
        step = f"{float(qparams.scale):.3g}"
        said.append(f"Ruler {name}, a step of {step}: rounding {rounding}, clipping {clipping}.")
    return Drawing(" ".join(said), tuple(parts), TOP + ROW * (len(rulers) - 1) + DEEP + 26)


def _row(
    x: Float32[Tensor, " n"],
    name: str,
    qparams: QParams,
    y: int,
    place: Callable[[float], float],
) -> Iterator[str]:
    rounding, clipping = _sums(x, qparams)
    foot = y + DEEP
    yield text(0, y - 20, name, anchor="start", bold=True)
    yield text(100, y - 20, f"rounding {rounding} + clipping {clipping}", anchor="end")
    yield line((0, y), (100, y), REAL, width=1)
    codes = quantize(x, qparams)
    clamped = (unclamped_codes(x, qparams, "nearest") != codes).tolist()
    ways = zip(x.tolist(), dequantize(codes, qparams).tolist(), clamped, strict=True)
    for value, returned, beyond in ways:
        ink, width = (LOST, 2.5) if beyond else (REAL, 1)
        yield line((place(value), y + 5), (place(returned), foot - 10), ink, width=width)
        yield dot(place(value), y, ink, filled=False)
    first, last = (mark(code, qparams) for code in (qparams.quant_min, qparams.quant_max))
    yield line((place(first), foot), (place(last), foot), CODE)
    for code in range(qparams.quant_min, qparams.quant_max + 1):
        at = place(mark(code, qparams))
        yield line((at, foot - 10), (at, foot), CODE, width=2)
        yield text(at, foot + 16, signed(code), size=11)


def _sums(x: Float32[Tensor, " n"], qparams: QParams) -> tuple[str, str]:
    """Return the squared errors of the rounded and of the clipped numbers, summed, in print."""
    rounding, clipping = (part * x.numel() for part in split_mse(x, qparams))
    return steady(rounding, ".2f"), steady(clipping, ".2f")
