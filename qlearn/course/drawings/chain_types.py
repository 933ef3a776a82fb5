"""The types of the numbers in a chain of two layers: with dynamic layers, and with static ones."""

from __future__ import annotations

from collections.abc import Iterator

from qlearn.course.drawings.svg import CODE, LOST, REAL, Drawing, line, text

WIDE, HIGH = 11.0, 32  # of a box: percent, pixels
APART = (100 - WIDE) / 6  # percent, from box to box
ROW, TOP, HEIGHT = 108, 52, 268  # pixels: from chain to chain, the first boxes' upper edge, all
CHAINS = {
    "two dynamic layers": ("float", "uint8", "int32", "float", "uint8", "int32", "float"),
    "two static layers": ("float", "uint8", "int32", "uint8", "int32", "uint8", "float"),
}
STEPS = {  # from a type to the next
    ("float", "uint8"): "q",
    ("uint8", "int32"): "Σ",
    ("int32", "float"): "d",
    ("int32", "uint8"): "m",
    ("uint8", "float"): "d",
}


def chain_types() -> Drawing:
    """Draw the types between two layers: integers filled, floats in outline.

    >>> chain_types().label.startswith("Two dynamic layers: float, uint8, int32, float, uint8")
    True
    """
    parts = [
        part
        for row, (name, types) in enumerate(CHAINS.items())
        for part in _chain(name, types, TOP + ROW * row)
    ]
    parts.append(text(0, HEIGHT - 22, "q: quantize · Σ: multiply codes, add up", anchor="start"))
    parts.append(text(0, HEIGHT - 4, "m: requantize · d: dequantize", anchor="start"))
    said = [f"{name.capitalize()}: {', '.join(types)}." for name, types in CHAINS.items()]
    label = (
        f"{' '.join(said)} The dynamic chain has a float tensor between its layers, and looks for "
        "the range of each layer's input; the static chain has codes there. The int32 sums never "
        "leave the kernel."
    )
    return Drawing(label, tuple(parts), HEIGHT)


def _chain(name: str, types: tuple[str, ...], y: int) -> Iterator[str]:
    """Yield one chain: its boxes, and what is done between them."""
    yield text(0, y - 34, name, anchor="start", bold=True)
    middle = y + HIGH / 2
    for place, kind in enumerate(types):
        x = place * APART
        yield from _box(x, y, kind)
        if place == 0:
            continue
        before = types[place - 1]
        yield line((x - APART + WIDE, middle), (x, middle), REAL)
        search = name == "two dynamic layers" and (before, kind) == ("float", "uint8")
        between = x - (APART - WIDE) / 2
        ink, words = (LOST, "range, q") if search else ("currentColor", STEPS[before, kind])
        yield text(between, y - 8, words, ink=ink, bold=True)


def _box(x: float, y: int, kind: str) -> Iterator[str]:
    """Yield a box with its type: filled for integers, an outline for floats."""
    paint = 'fill="none"' if kind == "float" else f'fill="{CODE}" fill-opacity="0.25"'
    ink = REAL if kind == "float" else CODE
    yield (
        f'<rect x="{x:.2f}%" y="{y}" width="{WIDE}%" height="{HIGH}" {paint} '
        f'stroke="{ink}" stroke-width="2"/>'
    )
    yield text(x + WIDE / 2, y + HIGH / 2 + 4, kind, size=11)
    if kind == "int32":
        yield text(x + WIDE / 2, y + HIGH + 14, "in the kernel", size=10)
