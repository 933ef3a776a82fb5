"""Which layers of a model have integer weights, and how much of its bytes they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from qlearn.course.drawings.svg import CODE, REAL, TEXT, Drawing, text

ROW, BAR = 70, 22  # pixels: of a model, of its bar


class Stored(NamedTuple):
    """A layer of a model: its name, its bytes, and whether its weights are integers."""

    name: str
    size: int
    integers: bool


def layers_reached(models: Mapping[str, Sequence[Stored]]) -> Drawing:
    """Draw a bar for each model, as long as its bytes: filled where the weights are integers.

    Raises:
        ValueError: there is no model, or one without layers or bytes.

    >>> layers_reached({"model": [Stored("conv", 400, False), Stored("fc", 600, True)]})
    Drawing: model, 1.0 kB: conv 0.4 float32, fc 0.6 int8.
    """
    totals = {name: sum(layer.size for layer in layers) for name, layers in models.items()}
    if not totals or min(totals.values()) <= 0:
        raise ValueError("give at least one model, and each has layers with bytes")
    most, parts, said = max(totals.values()), [], []
    for row, (name, layers) in enumerate(models.items()):
        top = 14 + ROW * row
        parts.append(text(0, top, name, anchor="start", bold=True))
        parts.append(text(100, top, _kilo(totals[name]) + " kB", anchor="end", bold=True))
        words = (f"{layer.name} {_kilo(layer.size)} {_kind(layer)}" for layer in layers)
        parts.append(text(0, top + 17, " · ".join(words), anchor="start", ink=TEXT))
        parts += _bar(layers, top + 25, most)
        sizes = (f"{layer.name} {_kilo(layer.size)} {_kind(layer)}" for layer in layers)
        said.append(f"{name}, {_kilo(totals[name])} kB: {', '.join(sizes)}")
    return Drawing("; ".join(said) + ".", tuple(parts), ROW * len(totals))


def _kilo(size: int) -> str:
    return f"{size / 1000:.1f}"


def _kind(layer: Stored) -> str:
    return "int8" if layer.integers else "float32"


def _bar(layers: Sequence[Stored], top: int, most: int) -> Iterator[str]:
    """Yield a box for each layer, one behind the other."""
    start = 0.0
    for layer in layers:
        width = 100 * layer.size / most
        ink = CODE if layer.integers else REAL
        fill = CODE if layer.integers else "none"
        yield (
            f'<rect x="{start:.2f}%" y="{top}" width="{width:.2f}%" height="{BAR}" '
            f'fill="{fill}" stroke="{ink}" stroke-width="1.5"/>'
        )
        start += width
