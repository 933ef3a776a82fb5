"""PT2E's graph of two layers, and the integer kernels that a compiler makes of it."""

from __future__ import annotations

from collections.abc import Iterator

from qlearn.course.drawings.svg import CODE, REAL, Drawing, line, text

WIDE, HIGH, APART, TOP = 38.0, 22, 30, 34  # of a box: percent, pixels; from box to box; the first
LEFT, RIGHT = 0.0, 62.0  # percent: where each column begins
LAYER = ("dequantize", "conv2d", "relu", "quantize")
KERNEL = ("int8 kernel", "Σ, bias, ReLU, × m")


def pairs_to_kernels() -> Drawing:
    """Draw the operations of two layers as PT2E writes them, and what they are compiled to.

    >>> "dequantize, conv2d, relu and quantize become one int8 kernel" in pairs_to_kernels().label
    True
    """
    names = ("quantize", *LAYER, *LAYER)
    heads = [
        text(LEFT + WIDE / 2, 16, "PT2E's graph"),
        text(RIGHT + WIDE / 2, 16, "compiled"),
    ]
    parts = [*heads, *_graph(names), *_compiled()]
    label = (
        "On the left the graph: quantize, then twice dequantize, conv2d, relu, quantize. Codes "
        "go from each quantize to the next dequantize, floats go everywhere else. On the right "
        "dequantize, conv2d, relu and quantize become one int8 kernel, which takes codes and puts "
        "out codes."
    )
    return Drawing(label, tuple(parts), TOP + APART * len(names), width=560)


def _box(x: float, y: float, words: tuple[str, ...], *, high: float, whole: bool) -> Iterator[str]:
    """Yield a box: filled where it computes in integers, an outline where in floats."""
    paint = f'fill="{CODE}" fill-opacity="0.25"' if whole else 'fill="none"'
    yield (
        f'<rect x="{x}%" y="{y:g}" width="{WIDE}%" height="{high:g}" {paint} '
        f'stroke="{CODE if whole else REAL}" stroke-width="2"/>'
    )
    first = y + high / 2 + 4 - 8 * (len(words) - 1)
    for row, said in enumerate(words):
        yield text(x + WIDE / 2, first + 17 * row, said, bold=row == 0 and len(words) > 1)


def _graph(names: tuple[str, ...]) -> Iterator[str]:
    for row, name in enumerate(names):
        y = TOP + APART * row
        yield from _box(LEFT, y, (name,), high=HIGH, whole=False)
        if row + 1 < len(names):
            code = name == "quantize"
            middle, foot = LEFT + WIDE / 2, y + HIGH
            ink, width = (CODE, 4) if code else (REAL, 1.5)
            yield line((middle, foot), (middle, foot + APART - HIGH), ink, width=width)


def _compiled() -> Iterator[str]:
    """Yield the quantize that stays, and a kernel beside each layer."""
    yield from _box(RIGHT, TOP, ("quantize",), high=HIGH, whole=False)
    for layer in range(2):
        y = TOP + APART * (1 + len(LAYER) * layer)
        high = APART * (len(LAYER) - 1) + HIGH
        middle = RIGHT + WIDE / 2
        yield line((middle, y - APART + HIGH), (middle, y), CODE, width=4)
        yield from _box(RIGHT, y, KERNEL, high=high, whole=True)
        for edge in (y, y + high):
            yield line((LEFT + WIDE + 1, edge), (RIGHT - 1, edge), REAL, width=1, dashed=True)
