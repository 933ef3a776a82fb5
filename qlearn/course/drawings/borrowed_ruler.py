"""The outputs of a layer on the ruler of its inputs: what fits, and what is clipped."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from qlearn.course.drawings.svg import CODE, LOST, REAL, Drawing, dot, line, text

TOP, ROW, FOOT = 14, 84, 26  # pixels: the first name, one ruler, the axis
OUTPUTS, RULER = 24, 54  # pixels below the name


def borrowed_ruler(outputs: Sequence[float], inputs: Mapping[str, float]) -> Drawing:
    """Draw the outputs over a ruler that reaches twice as far as the inputs, for each name.

    Args:
        outputs: what the layer would put out in float32.
        inputs: the largest input of each line; the smallest is 0, and the inputs use half of
            the codes.

    Raises:
        ValueError: there is no output, or an input that is not above 0.

    >>> borrowed_ruler([-1.0, 0.5, 2.0], {"inputs to 0.5": 0.5})
    Drawing: inputs to 0.5: the ruler ends at 1, and 2 of 3 outputs are clipped.
    """
    if not outputs or not inputs or min(inputs.values()) <= 0:
        raise ValueError("give at least one output, and a largest input above 0 for each name")
    ends = {name: 255 * largest / 127 for name, largest in inputs.items()}
    numbers = [0.0, *outputs, *ends.values()]
    low, high = min(numbers), max(numbers)

    def place(number: float) -> float:
        return 2 + 96 * (number - low) / (high - low)

    foot = TOP + ROW * len(ends)
    parts = [*_axis(place, low, high, foot)]
    said = []
    for row, (name, end) in enumerate(ends.items()):
        clipped = sum(not 0 <= output <= end for output in outputs)
        parts += _row(name, end, inputs[name], outputs, place, TOP + ROW * row)
        said.append(
            f"{name}: the ruler ends at {end:.3g}, and {clipped} of {len(outputs)} outputs are "
            "clipped"
        )
    return Drawing("; ".join(said) + ".", tuple(parts), foot + FOOT)


def _axis(place: Callable[[float], float], low: float, high: float, foot: int) -> Iterator[str]:
    """Yield a dashed line at 0 through all rows, and whole numbers at the bottom."""
    yield line((0, foot), (100, foot), REAL, width=1)
    yield line((place(0.0), TOP + 8), (place(0.0), foot), REAL, width=1, dashed=True)
    for whole in range(-100, 101):
        if low <= whole <= high:
            yield line((place(whole), foot - 4), (place(whole), foot), REAL)
            yield text(place(whole), foot + 16, f"{whole}".replace("-", "−"), size=11)


def _row(
    name: str,
    end: float,
    largest: float,
    outputs: Sequence[float],
    place: Callable[[float], float],
    top: int,
) -> Iterator[str]:
    """Yield the ruler, the part of it that the inputs use, and each output's way to it."""
    yield text(0, top, name, anchor="start", bold=True)
    yield text(100, top, f"its ruler ends at {end:.2f}", anchor="end", ink=CODE)
    y = top + RULER
    yield line((place(0.0), y), (place(end), y), CODE, width=2)
    yield line((place(0.0), y), (place(largest), y), CODE, width=7)
    for number in (0.0, end):
        yield line((place(number), y - 9), (place(number), y + 9), CODE, width=2)
    for output in outputs:
        nearest = min(max(output, 0.0), end)
        lost = nearest != output
        ink = LOST if lost else REAL
        start = place(output), top + OUTPUTS
        yield line((start[0], start[1] + 6), (place(nearest), y - 4), ink, dashed=lost)
        yield dot(*start, ink, filled=False)
