"""Several rulers, each under its numbers: which marks lie beyond the numbers, and how many."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch
from jaxtyping import Float32
from torch import Tensor

from qlearn.course.drawings.marks import has_room
from qlearn.course.drawings.svg import CODE, REAL, Drawing, dot, line, signed, text
from qlearn.numbers.qparams import QParams
from qlearn.numbers.quantize import dequantize, quantize

TOP, ROW, FOOT = 14, 74, 30  # in pixels: the first name, one ruler, the axis at the bottom
MOST_CODES = 32  # more marks than that run into each other on a phone


def rulers(lines: dict[str, tuple[Float32[Tensor, "..."], QParams]]) -> Drawing:
    """Draw a ruler under its numbers for each name, all on one number line.

    Marks beyond the outermost numbers are short and thin, and are counted in words.

    Raises:
        ValueError: there is no line, or a ruler has more than 32 marks or is per channel.

    >>> from qlearn import QParams
    >>> x = torch.tensor([-1.0, 0.5])
    >>> rulers({"symmetric": (x, QParams(0.5, 0, -2, 1, torch.int8))})
    Drawing: symmetric: a mark every 0.5, marks −2 to 1, none beyond the numbers.
    """
    if not lines:
        raise ValueError("there is no ruler to draw: name at least one")
    for name, (_, qparams) in lines.items():
        if not has_room(qparams, MOST_CODES):
            raise ValueError(
                f"{name} is no single ruler of at most {MOST_CODES} marks: draw four bits, and "
                "each channel as a line of its own"
            )
    place = _places(lines)
    foot = TOP + ROW * len(lines)
    parts = [*_axis(place, foot)]
    said = []
    for number, (name, (values, qparams)) in enumerate(lines.items()):
        words = _count(len(beyond_the_numbers(values, qparams)))
        parts += _ruler(name, words, values, qparams, place, TOP + ROW * number)
        said.append(
            f"{name}: a mark every {float(qparams.scale):.3g}, marks "
            f"{signed(qparams.quant_min)} to {signed(qparams.quant_max)}, {words}"
        )
    return Drawing("; ".join(said) + ".", tuple(parts), foot + FOOT)


def beyond_the_numbers(values: Float32[Tensor, "..."], qparams: QParams) -> list[int]:
    """Return the codes beyond those of the smallest and the largest number.

    >>> beyond_the_numbers(torch.tensor([-1.0, 0.5]), QParams(0.5, 0, -4, 3, torch.int8))
    [-4, -3, 2, 3]
    """
    first, last = (int(end) for end in torch.aminmax(quantize(values, qparams)))
    codes = range(qparams.quant_min, qparams.quant_max + 1)
    return [code for code in codes if not first <= code <= last]


def _count(spare: int) -> str:
    """Say how many marks have no number at them or farther out."""
    if spare == 0:
        return "none beyond the numbers"
    return f"{spare} mark{'s' if spare > 1 else ''} beyond the numbers"


def _marks(qparams: QParams) -> dict[int, float]:
    """Return each code with the number at its mark."""
    codes = torch.arange(qparams.quant_min, qparams.quant_max + 1).to(qparams.dtype)
    numbers = dequantize(codes, qparams).tolist()
    return dict(zip(codes.tolist(), numbers, strict=True))


def _places(lines: dict[str, tuple[Tensor, QParams]]) -> Callable[[float], float]:
    """Return where a number lies, in percent."""
    numbers = [number for _, qparams in lines.values() for number in _marks(qparams).values()]
    numbers += [float(end) for values, _ in lines.values() for end in torch.aminmax(values)]
    first, last = min(numbers), max(numbers)
    margin = 0.02 * (last - first)
    return lambda number: 100 * (number - first + margin) / (last - first + 2 * margin)


def _axis(place: Callable[[float], float], foot: int) -> Iterator[str]:
    """Yield a dashed line at 0 through all rulers, and whole numbers at the bottom."""
    yield line((0, foot), (100, foot), REAL, width=1)
    wholes = [whole for whole in range(-200, 201) if 0 <= place(float(whole)) <= 100]
    every = next(step for step in (1, 5, 10, 50) if step == 50 or len(wholes) <= 12 * step)
    for whole in (whole for whole in wholes if whole % every == 0):
        x = place(float(whole))
        yield line((x, foot - 4), (x, foot), REAL)
        yield text(x, foot + 16, signed(whole), size=11)
    yield line((place(0.0), TOP + 8), (place(0.0), foot), REAL, width=1, dashed=True)


def _ruler(
    name: str,
    words: str,
    values: Tensor,
    qparams: QParams,
    place: Callable[[float], float],
    top: int,
) -> Iterator[str]:
    """Yield the name, the numbers as outlines, and below them the marks."""
    yield text(0, top, name, anchor="start", bold=True)
    yield text(100, top, words, anchor="end", ink=CODE)
    spare = set(beyond_the_numbers(values, qparams))
    for code, number in _marks(qparams).items():
        x, thin = place(number), code in spare
        length = 18 if code == int(qparams.zero_point) else 8 if thin else 12
        yield line((x, top + 52 - length), (x, top + 52), CODE, width=1 if thin else 2.5)
    ends = [place(number) for number in _marks(qparams).values()]
    yield line((ends[0], top + 52), (ends[-1], top + 52), CODE, width=1)
    for value in values.flatten().tolist():
        yield dot(place(value), top + 22, REAL, filled=False)
