"""The same codes, read by two rulers: above the numbers of the one, below those of the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from qlearn.course.drawings.svg import CODE, REAL, Drawing, dot, line, text
from qlearn.numbers.qparams import QParams

ABOVE, CODES, BELOW, HEIGHT = 58, 120, 186, 240  # in pixels from the top
TICKS = 32  # so many marks of the ruler are drawn


def readings(codes: Sequence[int], above: QParams, below: QParams) -> Drawing:
    """Draw codes on their ruler, and what they mean by two sets of qparams.

    Raises:
        ValueError: the two have other ranges of codes, or one of them is per channel.

    >>> import torch
    >>> fine, coarse = (QParams(s, z, -128, 127, torch.int8) for s, z in ((0.1, 0), (1.0, -1)))
    >>> print(readings([-16, 40], fine, coarse).label)
    The codes −16 and 40 mean −1.6 and 4 by scale 0.1 and zero point 0, and −15 and 41 by scale 1 \
and zero point −1.
    """
    ends = {(qparams.quant_min, qparams.quant_max) for qparams in (above, below)}
    if len(ends) > 1 or above.axis is not None or below.axis is not None:
        raise ValueError(
            f"codes {sorted(ends)} with axes {above.axis} and {below.axis}: draw two single "
            "rulers of the same codes"
        )
    parts = [*_ruler(codes, above)]
    for qparams, y in ((above, ABOVE), (below, BELOW)):
        parts += _reading(codes, qparams, y)
    words = [f"{_and(_numbers(codes, q))} by {_name(q)}" for q in (above, below)]
    said = f"The codes {_and([float(c) for c in codes])} mean {words[0]}, and {words[1]}."
    return Drawing(said, tuple(parts), HEIGHT)


def _numbers(codes: Sequence[int], qparams: QParams) -> list[float]:
    """Return what codes mean."""
    return [float(qparams.scale) * (code - int(qparams.zero_point)) for code in codes]


def _place(code: float, qparams: QParams) -> float:
    """Return where a code lies, in percent."""
    low, high = qparams.quant_min, qparams.quant_max
    return 5 + 90 * (code - low) / (high - low)


def _ruler(codes: Sequence[int], qparams: QParams) -> Iterator[str]:
    """Yield the ruler of codes in the middle, with its ends and the codes that are read."""
    yield line((5, CODES), (95, CODES), CODE, width=2)
    for number in range(TICKS):
        x, tall = 5 + number * 90 / (TICKS - 1), 12 if number in (0, TICKS - 1) else 5
        yield line((x, CODES - tall), (x, CODES), CODE, width=1)
    yield text(5, CODES - 20, "codes", anchor="start")
    for end in (qparams.quant_min, qparams.quant_max):
        yield text(_place(end, qparams), CODES + 18, _signed(end), size=11)
    for code in codes:
        x = _place(code, qparams)
        yield line((x, ABOVE + 6), (x, BELOW - 6), CODE)
        yield dot(x, CODES, CODE)
        yield text(x - 1.5, CODES + 18, _signed(code), anchor="end", bold=True, size=11)


def _reading(codes: Sequence[int], qparams: QParams, y: int) -> Iterator[str]:
    """Yield a line of numbers, at its ends what the ruler covers."""
    side = -1 if y < CODES else 1
    yield line((5, y), (95, y), REAL, width=1)
    ends = (qparams.quant_min, qparams.quant_max)
    for end, number in zip(ends, _numbers(ends, qparams), strict=True):
        yield text(_place(end, qparams), y + (20 if side > 0 else -12), _signed(number), size=11)
    for code, number in zip(codes, _numbers(codes, qparams), strict=True):
        x = _place(code, qparams)
        yield dot(x, y, REAL, filled=False)
        yield text(x, y + (22 if side > 0 else -14), _signed(number), bold=True, size=13)
    yield text(0, y + (46 if side > 0 else -40), _name(qparams), anchor="start")


def _name(qparams: QParams) -> str:
    scale, zero_point = float(qparams.scale), int(qparams.zero_point)
    return f"scale {_signed(scale)} and zero point {_signed(zero_point)}"


def _and(numbers: list[float]) -> str:
    """Return numbers in a row, the last one after an *and*."""
    *most, last = map(_signed, numbers)
    return f"{', '.join(most)} and {last}" if most else last


def _signed(number: float) -> str:
    """Return a number with a true minus sign and at most two decimals."""
    return f"{round(number, 2):g}".replace("-", "−")
