"""What was measured of the layers of a model, in rows that can be printed."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from jaxtyping import Float32
from torch import Tensor


class LayerRow(NamedTuple):
    """What was measured of one layer; a layer whose input has no codes clips and uses nothing.

    Attributes:
        name: the layer's, in the model.
        own: SQNR in dB of its output against the float layer on the same input.
        leaving: SQNR in dB of its output against the float model's.
        clipped: share of its input's values beyond the ends of the ruler.
        used: share of the ruler between the smallest and the largest code of its input.
        mean_share: share of the own error's power that is the mean error of each channel.
        weight_spread: largest weight of the largest output channel, over that of the smallest.
        input_spread: largest value of the largest input channel, over that of the median one.
        mean_error: the mean own error of each output channel, in the output's unit.
    """

    name: str
    own: float
    leaving: float
    clipped: float
    used: float
    mean_share: float
    weight_spread: float
    input_spread: float
    mean_error: Float32[Tensor, " channels"]


COLUMNS = (
    ("own dB", "own", ".0f"),
    ("leaving dB", "leaving", ".0f"),
    ("clipped", "clipped", ".1%"),
    ("used", "used", ".0%"),
    ("mean", "mean_share", ".0%"),
    ("weights", "weight_spread", ".0f"),
    ("inputs", "input_spread", ".0f"),
)


class LayerTable(tuple[LayerRow, ...]):
    """Rows in the order of the model's layers; ``print`` shows all but the means."""

    def text(self, form: Callable[[float, str], str] = format) -> str:
        """Return the table as text; ``form(number, spec)`` writes each number."""
        width = max(5, *(len(row.name) for row in self))
        lines = [" " * width + "".join(f"{title:>11}" for title, _, _ in COLUMNS)]
        for row in self:
            numbers = (form(getattr(row, field), spec) for _, field, spec in COLUMNS)
            lines.append(f"{row.name:{width}}" + "".join(f"{number:>11}" for number in numbers))
        return "\n".join(lines)

    __str__ = text
