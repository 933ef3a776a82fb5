"""Requantization as a change of ruler: from the fine one of the sums to that of the codes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from qlearn.course.drawings.svg import CODE, REAL, Drawing, dot, line, text
from qlearn.numbers.qparams import QParams

BAND, MARKS, HEIGHT = (62, 78), (126, 140), 204  # pixels: of the sums, of the codes, of all
FEWEST = 8  # labels of the codes, about


def change_of_ruler(sums: Sequence[int], multiplier: float, output: QParams, reach: int) -> Drawing:
    """Draw sums on their ruler from −reach to reach, and under it the ruler of the codes.

    The marks of the sums lie too close to be drawn one by one: they are a filled band.

    Raises:
        ValueError: a sum beyond the reach.

    >>> import torch
    >>> output = QParams(0.05, 60, 0, 255, torch.uint8)
    >>> change_of_ruler([3160], 0.01, output, 4000)
    Drawing: Above, a ruler of sums from −4,000 to 4,000. Below, a ruler of codes: one of its \
steps is as wide as 100 steps of the sums, and its mark 60, the zero point, lies under sum 0. Sum \
3,160 lies above code 92.
    """
    beyond = [total for total in sums if abs(total) > reach]
    if beyond:
        raise ValueError(f"sum {beyond[0]} is beyond the ruler's end: let reach be larger")
    zero_point = int(output.zero_point)
    codes = [round(total * multiplier) + zero_point for total in sums]
    parts = [*_sums(reach), *_codes(multiplier, zero_point, reach)]
    parts += _zero(multiplier, zero_point)
    for total, code in zip(sums, codes, strict=True):
        below = _place((code - zero_point) / multiplier, reach)
        parts += _way(total, code, _place(total, reach), below)
    return Drawing(_said(sums, codes, multiplier, zero_point, reach), tuple(parts), HEIGHT)


def _said(
    sums: Sequence[int], codes: Sequence[int], multiplier: float, zero_point: int, reach: int
) -> str:
    """Return in words what the picture says."""
    each = [f"Sum {_signed(t)} lies above code {c}." for t, c in zip(sums, codes, strict=True)]
    return (
        f"Above, a ruler of sums from {_signed(-reach)} to {_signed(reach)}. Below, a ruler of "
        f"codes: one of its steps is as wide as {1 / multiplier:.4g} steps of the sums, and its "
        f"mark {zero_point}, the zero point, lies under sum 0. {' '.join(each)}"
    )


def _place(steps: float, reach: int) -> float:
    """Return where a number of fine steps lies, in percent."""
    return 50 + 50 * steps / reach


def _signed(number: float) -> str:
    return f"{number:,}".replace("-", "−")


def _sums(reach: int) -> Iterator[str]:
    """Yield the band of the fine marks, and the numbers of a few of them."""
    yield text(0, 14, "sums, int32", anchor="start")
    top, foot = BAND
    yield (
        f'<rect x="0%" y="{top}" width="100%" height="{foot - top}" fill="{CODE}" '
        f'fill-opacity="0.35"/>'
    )
    for quarter in range(-2, 3):
        place = _place(quarter * reach / 2, reach)
        yield line((place, top - 6), (place, foot), CODE, width=2)
        anchor = {-2: "start", 2: "end"}.get(quarter, "middle")  # a page cuts what leaves the ruler
        yield text(place, 36, _signed(quarter * reach // 2), anchor=anchor, size=11)


def _codes(multiplier: float, zero_point: int, reach: int) -> Iterator[str]:
    """Yield a mark for each code in reach, and the numbers of round ones."""
    top, foot = MARKS
    half = int(reach * multiplier)
    each = next(e for e in (1, 2, 5, 10, 20, 50, 100, 200) if 2 * half / e <= FEWEST)
    yield line((0, foot), (100, foot), CODE)
    for code in range(zero_point - half, zero_point + half + 1):
        place = _place((code - zero_point) / multiplier, reach)
        yield line((place, top + 5 * (code % each != 0)), (place, foot), CODE, width=1)
        if code % each == 0:
            yield text(place, foot + 15, _signed(code), size=11)
    yield text(0, foot + 54, "codes, uint8", anchor="start")


def _zero(multiplier: float, zero_point: int) -> Iterator[str]:
    """Yield the line from sum 0 to the zero point, and what is done on the way."""
    yield line((50, BAND[1]), (50, MARKS[0]), REAL, dashed=True)
    yield text(50, MARKS[1] + 54, "zero point")
    yield line((50, MARKS[1] + 20), (50, MARKS[1] + 40), REAL)
    words = f"× {multiplier:.4g}, + {zero_point}"
    yield text(52, (BAND[1] + MARKS[0]) / 2 + 4, words, anchor="start")


def _way(total: int, code: int, above: float, below: float) -> Iterator[str]:
    """Yield one sum, its code, and the way from one to the other."""
    middle = sum(BAND) / 2
    yield text(above, 54, _signed(total), bold=True)
    yield dot(above, middle, CODE)
    yield line((above, middle), (below, MARKS[1]), CODE, width=2)
    yield text(below, MARKS[1] + 34, _signed(code), ink=CODE, bold=True, size=13)
