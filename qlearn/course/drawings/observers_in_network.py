"""The drawing of observers in a network: where each sits, what it keeps, what becomes of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from qlearn.course.drawings.svg import CODE, REAL, TEXT, Drawing, dot, line, text
from qlearn.numbers.qparams import QParams

CALIBRATE, CONVERT, HEIGHT = 66, 184, 240  # in pixels from the top: the two chains
SEEN, START, END = 0.27, 0.44, 0.96  # of a layer's share of the width: observer, box
Range = tuple[float, float]


def observers_in_network(inputs: Mapping[str, tuple[Range, QParams]]) -> Drawing:
    """Draw a chain of layers twice: while its inputs are observed, and after the conversion.

    Each entry names a layer, with the range that the observer of its input has kept and the
    qparams that the range became.

    >>> from qlearn import choose_qparams
    >>> from torch import uint8
    >>> qparams = choose_qparams(0.0, 5.1, dtype=uint8)
    >>> observers_in_network({"fc": ((0.0, 5.1), qparams)})
    Drawing: Before fc an observer keeps 0 … 5.1, which becomes scale 0.0200 and zero point 0.
    """
    parts = [
        text(0, 16, "calibrate: numbers pass, observers take note", anchor="start", bold=True),
        text(0, 138, "convert: a fixed scale where each observer sat", anchor="start", bold=True),
    ]
    share = 100 / len(inputs)
    for number, (name, (ends, qparams)) in enumerate(inputs.items()):
        first = number * share
        parts += _observed(name, ends, first, share)
        parts += _converted(name, qparams, first, share)
    said = (
        f"Before {name} an observer keeps {_range(ends)}, which becomes {' and '.join(_two(q))}."
        for name, (ends, q) in inputs.items()
    )
    return Drawing(" ".join(said), tuple(parts), HEIGHT)


def _observed(name: str, ends: Range, first: float, share: float) -> Iterator[str]:
    """Yield the way through an observer, an eye, into a layer, all of it float32."""
    y, x = CALIBRATE, first + SEEN * share
    yield line((first, y), (first + START * share, y), REAL, width=2)
    yield dot(x, y - 18, TEXT, filled=False, radius=8)
    yield dot(x, y - 18, TEXT, radius=3)
    yield line((x, y - 10), (x, y), REAL, dashed=True)
    yield text(x, y + 32, _range(ends), size=11)
    yield from _layer(name, y, first, share)


def _converted(name: str, qparams: QParams, first: float, share: float) -> Iterator[str]:
    """Yield the way through a ruler, from which codes go into the layer."""
    y, x = CONVERT, first + SEEN * share
    yield line((first, y), (x, y), REAL, width=2)
    yield line((x, y), (first + START * share, y), CODE, width=3)
    for mark in range(-2, 3):
        place = x + 1.6 * mark
        yield line((place, y - 12), (place, y), CODE, width=2)
    yield line((x - 3.2, y), (x + 3.2, y), CODE, width=3)
    for row, words in enumerate(_two(qparams)):
        yield text(x, y + 32 + 16 * row, words, size=11)
    yield from _layer(name, y, first, share)


def _layer(name: str, y: float, first: float, share: float) -> Iterator[str]:
    start, end = first + START * share, first + END * share
    yield (
        f'<rect x="{start:.2f}%" y="{y - 15}" width="{end - start:.2f}%" height="30" rx="4" '
        f'fill="none" stroke="{REAL}" stroke-width="1.5"/>'
    )
    yield text((start + end) / 2, y + 4, name)
    yield line((end, y), (first + share, y), REAL, width=2)


def _range(ends: Range) -> str:
    return " … ".join(f"{end:.2g}".replace("-", "−") for end in ends)


def _two(qparams: QParams) -> tuple[str, str]:
    return f"scale {float(qparams.scale):.4f}", f"zero point {int(qparams.zero_point)}"
