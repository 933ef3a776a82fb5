"""What was measured of the layers of a model, in rows that can be printed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from jaxtyping import Float32
from torch import Tensor

from qlearn.checks import check_choice


class LayerRow(NamedTuple):
    """What was measured of one layer; a layer whose input has no codes clips and uses nothing.

    Attributes:
        name: the layer's, in the model.
        own: SQNR in dB of its output against the float layer on the same input.
        leaving: SQNR in dB of its output against the float model's.
        clipped: share of its input's values beyond the ends of the ruler.
        used: share of the ruler between the smallest and the largest code of its input.
        mean_share: share of the own error's power that is the mean error of each channel.
        weight_spread: largest weight of the largest output channel, over that of the smallest one
            that is not all 0.
        input_spread: largest value of the largest input channel, over that of the median one;
            channels of zeros are left out.
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


# The titles of columns, the fields of a row, and how their numbers are written
COLUMNS = {
    "own dB": ("own", ".0f"),
    "leaving dB": ("leaving", ".0f"),
    "clipped": ("clipped", ".1%"),
    "used": ("used", ".0%"),
    "mean": ("mean_share", ".0%"),
    "weights": ("weight_spread", ".0f"),
    "inputs": ("input_spread", ".0f"),
}


class LayerTable(tuple[LayerRow, ...]):
    """Rows in the order of the model's layers; ``print`` shows all but ``mean_error``."""

    def text(
        self, form: Callable[[float, str], str] = format, columns: Sequence[str] = tuple(COLUMNS)
    ) -> str:
        """Return the table, or some columns of it, as text.

        Args:
            form: called with a number and a format, writes the number.
            columns: titles, such as "own dB".

        Raises:
            ValueError: there is no column of that title.
        """
        for title in columns:
            check_choice(title, "a column", tuple(COLUMNS))
        width = max(5, *(len(row.name) for row in self)) if self else 5
        lines = [" " * width + "".join(f"  {title}" for title in columns)]
        for row in self:
            line = f"{row.name:{width}}"
            for title in columns:
                field, spec = COLUMNS[title]
                line += f"  {form(getattr(row, field), spec):>{len(title)}}"
            lines.append(line)
        return "\n".join(lines)

    __str__ = text
