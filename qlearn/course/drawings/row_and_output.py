"""x · Wᵀ: one row of the weights makes one output, so its scale stands outside of the sum."""

from __future__ import annotations

from collections.abc import Iterator

from qlearn.course.drawings.svg import CELL, CODE, REAL, Drawing, cell, line, text

HEIGHT, TOP = 252, 30  # pixels: of all, of the first cell
WIDE = 9.0  # percent: a cell
INPUTS, WEIGHTS, OUTPUTS = 0.0, 38.0, 88.0  # percent: where each begins
LOW = "₀₁₂"  # subscripts


def row_and_output(shown: int = 1) -> Drawing:
    """Draw three inputs, nine weights and three outputs, with one row and its output in blue.

    Raises:
        ValueError: there is no such row.

    >>> row_and_output().label.endswith("each product has a scale of its own.")
    True
    """
    if shown not in range(3):
        raise ValueError(f"row {shown} is none of 0, 1 and 2: the drawing has three")
    parts = [*_heads(), *_inputs(), *_weights(shown), *_outputs(shown), *_sums(shown)]
    return Drawing(_said(shown), tuple(parts), HEIGHT, width=560)


def _said(shown: int) -> str:
    """Return in words what the picture says."""
    row = LOW[shown]
    return (
        "Inputs x₀ to x₂, a matrix of codes q with three rows, and outputs y₀ to y₂. Row "
        f"{shown} and output y{row} are blue: y{row} is s{row} times the sum of x₀·q{row}₀, "
        f"x₁·q{row}₁ and x₂·q{row}₂, with the scale s{row} outside of the sum. With a scale for "
        "each column, c₀ to c₂, each product has a scale of its own."
    )


def _heads() -> Iterator[str]:
    yield text(INPUTS + 1.5 * WIDE, 16, "inputs")
    yield text(WEIGHTS + 1.5 * WIDE, 16, "codes of the weights")
    yield text(OUTPUTS + WIDE / 2, 16, "outputs")


def _inputs() -> Iterator[str]:
    for place in range(3):
        x = INPUTS + place * WIDE
        yield from cell(x, TOP + CELL, WIDE, f"x{LOW[place]}", code=False, shown=False)
    yield text((INPUTS + 3 * WIDE + WEIGHTS) / 2, TOP + 1.5 * CELL + 5, "·", bold=True, size=20)


def _weights(shown: int) -> Iterator[str]:
    for row in range(3):
        for column in range(3):
            x, y = WEIGHTS + column * WIDE, TOP + row * CELL
            words = f"q{LOW[row]}{LOW[column]}"
            yield from cell(x, y, WIDE, words, code=True, shown=row == shown)


def _outputs(shown: int) -> Iterator[str]:
    for row in range(3):
        y = TOP + row * CELL
        yield from cell(OUTPUTS, y, WIDE, f"y{LOW[row]}", code=False, shown=row == shown)
        middle = y + CELL / 2
        ink, width = (CODE, 2) if row == shown else (REAL, 1)
        start, end = WEIGHTS + 3 * WIDE + 1, OUTPUTS - 1
        yield line((start, middle), (end, middle), ink, width=width)
        yield text((start + end) / 2, middle - 5, f"s{LOW[row]} ·", bold=row == shown)


def _sums(shown: int) -> Iterator[str]:
    """Yield the sum with one scale for the row, and the sum with a scale for each column."""
    row = LOW[shown]
    products = [f"x{LOW[k]}·q{row}{LOW[k]}" for k in range(3)]
    foot = TOP + 3 * CELL + 30
    yield text(0, foot, "a scale for each row: once, outside of the sum", anchor="start")
    words = f"y{row} = s{row} · ({' + '.join(products)})"
    yield text(0, foot + 20, words, anchor="start", ink=CODE, bold=True, size=13)
    yield text(0, foot + 50, "a scale for each column: in every product", anchor="start")
    scaled = " + ".join(f"c{LOW[k]}·{product}" for k, product in enumerate(products))
    yield text(0, foot + 70, f"y{row} = {scaled}", anchor="start", size=13)
