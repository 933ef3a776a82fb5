"""One loud number among quiet ones, as bars of steps: as it is, set apart, divided, rotated."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import torch
from jaxtyping import Float32
from torch import Tensor

from qlearn.course.drawings.svg import CODE, LOST, REAL, TEXT, Drawing, line, signed, text
from qlearn.language.hadamard import hadamard
from qlearn.language.rounded_product import codes_and_step
from qlearn.language.smoothing import smooth_scales

TOP, TALL, ROW = 38, 66, 160  # pixels: the first panel's bars, the longest bar, one to the next
WIDE, BAR = 46.0, 7.0  # percent: a panel, and a bar
LARGEST = 127


class Remedy(NamedTuple):
    """What reaches the layer, the codes of it, with None for what stays float, and the output."""

    numbers: Sequence[float]
    codes: Sequence[int | None]
    output: float


def remedies_of(
    row: Float32[Tensor, "1 k"], weight: Float32[Tensor, "1 k"], threshold: float = 6.0
) -> dict[str, Remedy]:
    """Return what int8 makes of a row and a layer of one output, as it is and in three ways.

    The weight is not rounded. Numbers of at least the threshold are those set apart.

    >>> row, weight = torch.tensor([[[0.6, -0.2, 63.5, 0.1]], [[1, 2, 0.02, -3]]])
    >>> {name: round(way.output, 2) for name, way in remedies_of(row, weight).items()}
    {'as it is': 1.77, 'set apart': 1.18, 'divided': 1.17, 'rotated': 1.27}
    """
    scales, turn = smooth_scales(weight, row), hadamard(row.shape[1])
    nothing = torch.zeros_like(row, dtype=torch.bool)
    return {
        "as it is": _remedy(row, weight, nothing),
        "set apart": _remedy(row, weight, row.abs() >= threshold),
        "divided": _remedy(row / scales, weight * scales, nothing),
        "rotated": _remedy(row @ turn, weight @ turn, nothing),
    }


def _remedy(row: Tensor, weight: Tensor, apart: Tensor) -> Remedy:
    """Return the codes of a row whose numbers ``apart`` stay float, and the output."""
    codes, step = codes_and_step(row.masked_fill(apart, 0), 8, rows=True)
    back = torch.where(apart, row, codes * step)
    kept = [None if f else int(c) for f, c in zip(apart[0], codes[0], strict=True)]
    return Remedy(row[0].tolist(), kept, (back @ weight.T).item())


def three_remedies(remedies: Mapping[str, Remedy]) -> Drawing:
    """Draw each remedy's codes as bars, 127 the longest; a 0 is red, a float has an outline.

    Raises:
        ValueError: a remedy has not a code for each number.

    >>> said = three_remedies({"as it is": Remedy([0.6, 63.5], [1, 127], 1.77)}).label
    >>> said
    'as it is: 0.6 is code 1, 63.5 is code 127; the output is 1.77.'
    """
    parts: list[str] = []
    told = []
    for number, (name, remedy) in enumerate(remedies.items()):
        if len(remedy.codes) != len(remedy.numbers):
            raise ValueError(
                f"{name} has {len(remedy.codes)} codes for {len(remedy.numbers)} numbers: pass "
                "one for each, or None"
            )
        left, foot = number % 2 * (100 - WIDE), TOP + number // 2 * ROW + TALL
        parts.append(text(left, foot - TALL - 22, name, anchor="start", bold=True))
        parts += _bars(remedy, left, foot)
        ends = f"output {signed(remedy.output, '.3g')}"
        parts.append(text(left, foot + 46, ends, anchor="start"))
        told.append(f"{name}: {_said(remedy)}; the output is {signed(remedy.output, '.3g')}.")
    rows = (len(remedies) + 1) // 2
    return Drawing(" ".join(told), tuple(parts), TOP + ROW * (rows - 1) + TALL + 54)


def _bars(remedy: Remedy, left: float, foot: int) -> Iterator[str]:
    """Yield a bar for each number, its code above and the number below."""
    yield line((left, foot), (left + WIDE, foot), REAL, width=1)
    for place, (number, code) in enumerate(zip(remedy.numbers, remedy.codes, strict=True)):
        x = left + (place + 0.5) * WIDE / len(remedy.numbers)
        if code is None:
            yield _bar(x, foot, 24, f'fill="none" stroke="{REAL}" stroke-width="2"')
            yield text(x, foot - 30, "float", size=11)
        elif code == 0:
            yield line((x - BAR / 2, foot - 2), (x + BAR / 2, foot - 2), LOST, width=4)
            yield text(x, foot - 9, "0", ink=LOST, bold=True, size=11)
        else:
            tall = max(2.0, TALL * abs(code) / LARGEST)
            yield _bar(x, foot, tall, f'fill="{CODE}"')
            yield text(x, foot - tall - 4, signed(code), size=11)
        yield text(x, foot + 18, signed(number, ".3g"), ink=TEXT, size=11)


def _bar(x: float, foot: int, tall: float, style: str) -> str:
    return (
        f'<rect x="{x - BAR / 2:.2f}%" y="{foot - tall:.1f}" width="{BAR:g}%" '
        f'height="{tall:.1f}" {style}/>'
    )


def _said(remedy: Remedy) -> str:
    """Return numbers and codes in words."""
    return ", ".join(
        f"{signed(number, '.3g')} {'stays float' if code is None else f'is code {signed(code)}'}"
        for number, code in zip(remedy.numbers, remedy.codes, strict=True)
    )
