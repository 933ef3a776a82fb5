"""GPTQ to step through: a column is rounded, and all later columns make up for its error."""

from __future__ import annotations

from typing import Any

from jaxtyping import Float32
from torch import Tensor
from traitlets import Bytes, Int

from qlearn.course.widgets.shared.figure import Figure
from qlearn.course.widgets.shared.traits import present
from qlearn.course.widgets.shared.values import matrix_shape, stored
from qlearn.formats.groups import GroupedTensor, quantize_groups
from qlearn.language.gptq import gptq


class GPTQSteps(Figure):
    """Show GPTQ at work on a small weight, column by column, beside rounding to nearest.

    Args:
        weight: of a linear layer, (outputs, inputs): from 1 × 2 to 4 × 8.
        inputs: what reaches the layer, a row for each token.
        start: ``bits``, 2 to 4; ``step``, how many columns are rounded at first.

    Raises:
        TypeError, ValueError: the weight has another shape, or GPTQ refuses it or the inputs.

    >>> from torch import tensor
    >>> inputs = tensor([[1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    >>> GPTQSteps(tensor([[0.4, 0.4, -7.5]]), inputs, bits=4)
    GPTQSteps(1 of 3 columns, 4 bits): output error in the end 7.1 % by GPTQ, 12.5 % to nearest
    """

    weight = Bytes().tag(sync=True)
    inputs = Bytes().tag(sync=True)
    columns = Int(2, min=2, max=8).tag(sync=True)
    bits = Int(3, min=2, max=4).tag(sync=True)
    step = Int(1, min=0).tag(sync=True)
    _check_step = present("step", lambda self: range(self.columns + 1))

    def __init__(
        self, weight: Float32[Tensor, "n k"], inputs: Float32[Tensor, "rows k"], **start: Any
    ) -> None:
        rows, columns = matrix_shape(weight, "weight", "an output")
        if not 1 <= rows <= 4 or not 2 <= columns <= 8:
            raise ValueError(f"weight is {rows} × {columns}: pass a part, from 1 × 2 to 4 × 8")
        gptq(weight, inputs)  # says if they do not fit
        self._weight, self._inputs = weight.detach(), inputs.detach()
        given = {"weight": stored(weight=weight), "inputs": stored(inputs=inputs)}
        super().__init__(columns=columns, **given, **start)

    @property
    def rounded(self) -> dict[str, GroupedTensor]:
        """The weight once all columns are rounded: by GPTQ, and to nearest."""
        nearest = quantize_groups(self._weight, bits=self.bits, group_size=self.columns)
        return {"gptq": gptq(self._weight, self._inputs, bits=self.bits), "nearest": nearest}

    @property
    def errors(self) -> dict[str, float]:
        """The size of the errors of the outputs in the end, as a share of their own."""
        inputs, weight = self._inputs.double(), self._weight.double()
        off = {name: each.dequantize().double() - weight for name, each in self.rounded.items()}
        size = (inputs @ weight.T).norm().item() or 1.0
        return {name: (inputs @ each.T).norm().item() / size for name, each in off.items()}

    def __repr__(self) -> str:
        """Say in one line what the widget shows; a notebook's re-run compares it."""
        by_gptq, to_nearest = (f"{100 * error:.1f} %" for error in self.errors.values())
        return (
            f"GPTQSteps({self.step} of {self.columns} columns, {self.bits} bits): "
            f"output error in the end {by_gptq} by GPTQ, {to_nearest} to nearest"
        )
