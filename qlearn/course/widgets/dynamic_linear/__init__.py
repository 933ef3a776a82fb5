"""A dynamic linear layer to play with: every integer between its input and its output."""

from __future__ import annotations

from typing import Any

import torch
from jaxtyping import Float32
from torch import Tensor
from traitlets import Bool, Enum, List, TraitError, validate

from qlearn.checks import check_float32
from qlearn.checks.layers import Engine
from qlearn.course.widgets.shared.figure import Figure
from qlearn.course.widgets.shared.print import counted
from qlearn.course.widgets.shared.traits import Number
from qlearn.integers.dynamic_linear import linear_dynamic
from qlearn.numbers.qparams import QParams
from qlearn.numbers.qtensor import QTensor
from qlearn.numbers.quantize import quantize
from qlearn.numbers.rules.kernel import dynamic_qparams
from qlearn.numbers.rules.observer import choose_qparams

Matrix = Float32[Tensor, "rows k"]
ROOM = {"minlen": 1, "maxlen": 6}  # for rows, and for columns, on a page


def row() -> List[Any]:
    """Return the trait of a row of numbers that a field can show."""
    return List(Number(min=-1e6, max=1e6), [0.0], **ROOM)


class DynamicLinear(Figure):
    """Show each stage of a dynamic linear layer, from the input to the output beside float32's.

    The weight is quantized as ``quantize_dynamic`` does it, symmetric and with one scale.

    Args:
        x: float32 activations of shape (m, k), at most six rows of six numbers up to 1e6.
        weight: float32 of shape (n, k), at most six by six.
        bias: float32, one number for each output.
        engine: "fbgemm", whose arithmetic is that of "x86" too, or "qnnpack".
        reduce_range: spare one bit of the activations; qnnpack ignores it.

    >>> DynamicLinear(torch.tensor([[1.0, -0.5]]), torch.tensor([[0.25, 1.0]]), torch.zeros(1))
    DynamicLinear(1 × 2 numbers, 1 output, fbgemm): scale 0.01181, zero point 42
    """

    x = List(row(), [[0.0]], **ROOM).tag(sync=True)
    weight = List(row(), [[0.0]], **ROOM).tag(sync=True)
    bias = row().tag(sync=True)
    engine = Enum[Engine](("fbgemm", "qnnpack"), "fbgemm").tag(sync=True)
    reduce_range = Bool(True).tag(sync=True)

    def __init__(self, x: Matrix, weight: Matrix, bias: Float32[Tensor, " n"], **options: Any):
        for name, tensor in (("x", x), ("weight", weight), ("bias", bias)):
            check_float32(tensor, name)
        super().__init__(x=x.tolist(), weight=weight.tolist(), bias=bias.tolist(), **options)

    @validate("x", "weight", "bias")
    def _check_shapes(self, proposal: dict[str, Any]) -> Any:
        layer = self.state() | {proposal["trait"].name: proposal["value"]}
        widths = {len(row) for row in layer["x"] + layer["weight"]}
        biases, outputs = len(layer["bias"]), len(layer["weight"])
        if len(widths) > 1 or biases != outputs:
            raise TraitError(
                f"the rows of x and weight have {widths} numbers, and {outputs} outputs have "
                f"{biases} biases, but a layer takes shapes (m, k), (n, k) and (n,)"
            )
        return proposal["value"]

    @property
    def qparams(self) -> QParams:
        """Scale and zero point of the input."""
        reduced = self.reduce_range and self.engine != "qnnpack"
        return dynamic_qparams(torch.tensor(self.x), reduce_range=reduced)

    @property
    def output(self) -> Float32[Tensor, "m n"]:
        """What the layer puts out."""
        x, weight, bias = map(torch.tensor, (self.x, self.weight, self.bias))
        qparams = choose_qparams(weight.min(), weight.max(), symmetric=True)
        codes = QTensor(quantize(weight, qparams, rounding="fma"), qparams)
        return linear_dynamic(x, codes, bias, engine=self.engine, reduce_range=self.reduce_range)

    def __repr__(self) -> str:
        """Say in one line what the widget shows; a notebook's re-run compares it."""
        scale, zero_point = self.qparams.scale, self.qparams.zero_point
        size = f"{len(self.x)} × {len(self.x[0])} numbers, {counted(len(self.bias), 'output')}"
        return f"DynamicLinear({size}, {self.engine}): scale {scale:.4g}, zero point {zero_point}"
