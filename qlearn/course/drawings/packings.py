"""Eight codes on their way into four bytes, in the orders of several libraries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import torch
from jaxtyping import Int
from torch import Tensor

from qlearn.course.drawings.svg import CODE, REAL, Drawing, line, text

CODES, GAP = 8, 3.0  # half bytes of one word; percent between two bytes
BOX, FALL, ROW, TOP = 22, 26, 108, 34  # pixels: a box, from codes to bytes, to the next order
WIDE = 100 / CODES  # percent, a code; half a byte is narrower by its part of the gap


def packings(orders: Mapping[str, Sequence[int]]) -> Drawing:
    """Draw for each order which code lies in which half of a byte, the upper half at the left.

    Args:
        orders: for each name the numbers of eight codes, from the upper half of the first byte
            in memory to the lower half of the last.

    Raises:
        ValueError: an order has not eight codes, or one twice.

    >>> packings({"high first": range(8)})
    Drawing: high first: the bytes hold the codes 0 1, 2 3, 4 5, 6 7.
    """
    drawn: list[str] = []
    told = []
    for number, (name, order) in enumerate(orders.items()):
        if len(order) != CODES or len(set(order)) != CODES:
            raise ValueError(f"{name!r} is the order {list(order)}: name {CODES} codes, each once")
        drawn += _one(name, order, TOP + ROW * number)
        pairs = ", ".join(f"{order[i]} {order[i + 1]}" for i in range(0, CODES, 2))
        told.append(f"{name}: the bytes hold the codes {pairs}.")
    return Drawing(" ".join(told), tuple(drawn), TOP + ROW * len(orders) - 22)


def halves(packed: Int[Tensor, " words"]) -> list[int]:
    """Return what lies in the halves of the bytes as memory has them, the upper half first.

    >>> halves(torch.tensor([0x76543210], dtype=torch.int32))
    [1, 0, 3, 2, 5, 4, 7, 6]
    """
    in_memory = packed.contiguous().view(torch.uint8).tolist()
    return [half for byte in in_memory for half in divmod(byte, 16)]


def _half(place: int) -> tuple[float, float]:
    """Return the left end and the width of half a byte, in percent."""
    wide = (100 - 3 * GAP) / CODES
    return place * wide + place // 2 * GAP, wide


def _one(name: str, order: Sequence[int], top: int) -> Iterator[str]:
    yield text(0, top - 12, name, anchor="start", bold=True)
    codes = sorted(order)
    foot = top + BOX + FALL
    for place, code in enumerate(order):
        left, wide = _half(place)
        above = codes.index(code)
        middle = left + wide / 2
        yield line(((above + 0.5) * WIDE, top + BOX), (middle, foot), REAL, width=1.2)
        yield _box(above * WIDE + 1.5, top, WIDE - 3, f"{code}", CODE, 0.2)
        yield _box(left, foot, wide, f"{code}", CODE, 0.2 if place % 2 else 0.4)


def _box(left: float, top: float, wide: float, words: str, ink: str, opacity: float) -> str:
    return (
        f'<rect x="{left:.2f}%" y="{top:.0f}" width="{wide:.2f}%" height="{BOX}" fill="{ink}" '
        f'fill-opacity="{opacity}" stroke="{ink}" stroke-width="1"/>'
        + text(left + wide / 2, top + 15, words)
    )
