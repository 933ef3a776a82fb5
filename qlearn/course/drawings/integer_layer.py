"""One output of an integer linear layer: codes, their products, an int32 sum, scales outside."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch

from qlearn.course.drawings.svg import CODE, LOST, REAL, Drawing, text
from qlearn.numbers.qparams import QParams
from qlearn.numbers.quantize import quantize

CELL, HEIGHT = 28, 356  # pixels: of a box, of all
WIDE, GAP = 17.0, 2.0  # percent: of a box, between two
ROWS = (22, 86, 150, 214)  # pixels: the top of each row of boxes
FEET = (278, 320)  # pixels: the top of the two last boxes


def integer_layer(
    x: Sequence[float], weight: Sequence[int], qparams: QParams, weight_scale: float, bias: float
) -> Drawing:
    """Draw how a row of inputs and a row of weights' codes make an output.

    Args:
        x: the inputs, at most four.
        weight: the codes of the weights, as many.
        qparams: scale and zero point of the inputs.
        weight_scale: the scale of the weights.
        bias: what is added in float32.

    Raises:
        ValueError: x and weight differ in length, or have none or more than four numbers.

    >>> ruler = QParams(0.5, 3, 0, 127, torch.uint8)
    >>> integer_layer([1.0, -0.5], [10, 20], ruler, 0.1, 0.0).label[:62]
    'Inputs 1 and −0.5 get the codes 5 and 2. Times the codes 10 an'
    """
    if len(x) != len(weight) or not 1 <= len(x) <= 4:
        raise ValueError(
            f"{len(x)} inputs and {len(weight)} weights: the drawing has room for one to four, "
            "and both have the same number"
        )
    codes = quantize(torch.tensor(x), qparams).tolist()
    products = [a * b for a, b in zip(codes, weight, strict=True)]
    scale, zero_point = qparams.scale.item(), int(qparams.zero_point)
    raw, offset = sum(products), sum(weight)
    total = raw - zero_point * offset
    y = total * scale * weight_scale + bias
    rows: tuple[tuple[str, Sequence[float], bool], ...] = (
        ("inputs, float32", x, False),
        (f"their codes, uint8: divided by {scale:.4f}, plus {zero_point}", codes, True),
        ("times the codes of the weights, int8", weight, True),
        ("products", products, True),
    )
    parts = [part for row, top in zip(rows, ROWS, strict=True) for part in _row(*row, top)]
    scales = f"· {scale:.4f} · {weight_scale:.4f} {_signed(bias)} ="
    parts += _foot("sum, int32", raw, f"− {zero_point} · {_said(offset)} =", total, FEET[0])
    parts += _scaled(total, scales, y)
    label = (
        f"Inputs {_list(x)} get the codes {_list(codes)}. Times the codes {_list(weight)} of the "
        f"weights they make the products {_list(products)}, whose int32 sum is {_said(raw)}. The "
        f"zero point times the sum of the weights' codes, {zero_point} · {_said(offset)}, is "
        f"subtracted, and {_said(total)} is left. Outside of the sum it is multiplied by the "
        f"scales {scale:.4f} and {weight_scale:.4f}; with the bias {_said(bias)} the output is "
        f"{_said(round(y, 3))}."
    )
    return Drawing(label, tuple(parts), HEIGHT, width=560)


def _said(number: float) -> str:
    """Return a number as a page shows it.

    >>> _said(-0.5), _said(7640)
    ('−0.5', '7640')
    """
    return f"{number:g}".replace("-", "−")


def _signed(number: float) -> str:
    return f"{'+' if number >= 0 else '−'} {_said(abs(number))}"


def _list(numbers: Sequence[float]) -> str:
    *first, last = map(_said, numbers)
    return f"{', '.join(first)} and {last}" if first else last


def _box(x: float, y: float, number: float, *, code: bool) -> Iterator[str]:
    """Yield a box with a number: filled for an integer, an outline for a float."""
    ink = CODE if code else REAL
    fill = f'fill="{CODE}" fill-opacity="0.25"' if code else 'fill="none"'
    yield (
        f'<rect x="{x:.1f}%" y="{y:.0f}" width="{WIDE:.1f}%" height="{CELL}" {fill} '
        f'stroke="{ink}" stroke-width="1.5"/>'
    )
    yield text(x + WIDE / 2, y + CELL / 2 + 4, _said(number), bold=True)


def _row(words: str, numbers: Sequence[float], code: bool, top: float) -> Iterator[str]:
    yield text(0, top - 8, words, anchor="start")
    for place, number in enumerate(numbers):
        yield from _box(place * (WIDE + GAP), top, number, code=code)


def _foot(words: str, raw: float, taken: str, total: float, top: float) -> Iterator[str]:
    """Yield the sum, what the zero point adds to it, and what is left."""
    yield text(0, top - 8, words, anchor="start")
    yield from _box(0, top, raw, code=True)
    yield text(WIDE + GAP, top + 18, taken, anchor="start", ink=LOST, bold=True)
    right = 3 * (WIDE + GAP) + WIDE
    yield text(right, top - 8, "the zero point's share", anchor="end", ink=LOST)
    yield from _box(3 * (WIDE + GAP), top, total, code=True)


def _scaled(total: float, scales: str, y: float) -> Iterator[str]:
    """Yield the two scales and the bias, outside of the sum, and the output."""
    top, left = FEET[1], 4 * (WIDE + GAP)
    yield text(0, top + 18, f"{_said(total)} {scales}", anchor="start")
    yield from _box(left, top, round(y, 2), code=False)
    yield text(left + WIDE / 2, top - 8, "output")
