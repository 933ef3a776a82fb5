"""A dynamic linear layer to play with: every integer between its input and its output."""

from __future__ import annotations

from typing import Any

import anywidget
import torch
import traitlets
from jaxtyping import Float32
from torch import Tensor

from qlearn.checks import check_choice, check_float32
from qlearn.course.widgets.bundle import bundle, styles
from qlearn.integers.dynamic_linear import linear_dynamic
from qlearn.numbers.qparams import QParams
from qlearn.numbers.qtensor import QTensor
from qlearn.numbers.quantize import quantize
from qlearn.numbers.rules.kernel import dynamic_qparams
from qlearn.numbers.rules.observer import choose_qparams

ENGINES = ("fbgemm", "qnnpack")
LARGEST = 1e6
MOST = 6  # rows and columns that a page has room for


class DynamicLinear(anywidget.AnyWidget):
    """Show each stage of a dynamic linear layer, from the input to the output beside float32's.

    The weight is quantized as ``quantize_dynamic`` does it, symmetric and with one scale. The
    browser computes everything, so the widget lives on a static page too; in a live notebook
    each edit arrives in the traits below, and setting one moves the stages.

    Args:
        x: float32 activations of shape (m, k), at most six rows of six numbers.
        weight: float32 of shape (n, k), at most six by six.
        bias: float32, one number for each output.
        engine: "fbgemm", whose arithmetic is that of "x86" too, or "qnnpack".
        reduce_range: spare one bit of the activations; qnnpack ignores it.

    Attributes:
        x, weight, bias: the numbers, in lists of rows and in one list.
        engine, reduce_range: as above.

    Raises:
        TypeError: a tensor is not float32.
        ValueError: shapes that do not match or are too large; numbers beyond 1e6, infinities
            or NaN; an unknown engine. Assignments raise likewise.

    >>> DynamicLinear(torch.tensor([[1.0, -0.5]]), torch.tensor([[0.25, 1.0]]), torch.zeros(1))
    DynamicLinear(1 × 2 numbers, 1 output, fbgemm): scale 0.01181, zero point 42
    """

    _esm = bundle("dynamic_linear.js")
    _css = styles("dynamic_linear.css")

    x: traitlets.List[Any] = traitlets.List().tag(sync=True)
    weight: traitlets.List[Any] = traitlets.List().tag(sync=True)
    bias: traitlets.List[Any] = traitlets.List().tag(sync=True)
    engine = traitlets.Unicode("fbgemm").tag(sync=True)
    reduce_range = traitlets.Bool(True).tag(sync=True)

    def __init__(
        self,
        x: Float32[Tensor, "m k"],
        weight: Float32[Tensor, "n k"],
        bias: Float32[Tensor, " n"],
        *,
        engine: str = "fbgemm",
        reduce_range: bool = True,
    ) -> None:
        """Start with this layer and this input."""
        for name, tensor in {"x": x, "weight": weight, "bias": bias}.items():
            check_float32(tensor, name)
        _check_shapes(x, weight, bias)
        super().__init__(
            x=x.tolist(),
            weight=weight.tolist(),
            bias=bias.tolist(),
            engine=engine,
            reduce_range=reduce_range,
        )

    @property
    def qparams(self) -> QParams:
        """Scale and zero point of the input."""
        return dynamic_qparams(
            torch.tensor(self.x), reduce_range=self.reduce_range and self.engine != "qnnpack"
        )

    @property
    def output(self) -> Float32[Tensor, "m n"]:
        """What the layer puts out."""
        weight = torch.tensor(self.weight)
        qparams = choose_qparams(weight.min(), weight.max(), symmetric=True)
        codes = QTensor(quantize(weight, qparams, rounding="fma"), qparams)
        return linear_dynamic(
            torch.tensor(self.x),
            codes,
            torch.tensor(self.bias),
            engine="qnnpack" if self.engine == "qnnpack" else "fbgemm",
            reduce_range=self.reduce_range,
        )

    @traitlets.validate("x", "weight", "bias")
    def _check_numbers(self, proposal: dict[str, Any]) -> list[Any]:
        """Refuse numbers that no field can show, and another shape than the first."""
        name, value = proposal["trait"].name, proposal["value"]
        numbers = torch.tensor(value, dtype=torch.float64)
        if not bool((numbers.abs() <= LARGEST).all()):
            raise ValueError(
                f"{name} holds numbers that are not finite or beyond {LARGEST:g}: scale them down"
            )
        shape = torch.tensor(getattr(self, name)).shape
        if getattr(self, name) and numbers.shape != shape:
            raise ValueError(
                f"{name} would get the shape {tuple(numbers.shape)}, but this widget has "
                f"{tuple(shape)}: make a new one"
            )
        return list(value)

    @traitlets.validate("engine")
    def _check_engine(self, proposal: dict[str, Any]) -> str:
        """Refuse an engine that the page cannot follow."""
        check_choice(proposal["value"], "engine", ENGINES)
        return str(proposal["value"])

    def __repr__(self) -> str:
        """Say in one line what the widget shows; a notebook's re-run compares it."""
        rows, features, outputs = len(self.x), len(self.x[0]), len(self.bias)
        qparams = self.qparams
        return (
            f"DynamicLinear({rows} × {features} numbers, {outputs} output{'s'[: outputs != 1]}, "
            f"{self.engine}): scale {qparams.scale.item():.4g}, "
            f"zero point {qparams.zero_point.item()}"
        )


def _check_shapes(x: Tensor, weight: Tensor, bias: Tensor) -> None:
    """Raise unless the three make a layer that fits a page."""
    shapes = [tuple(tensor.shape) for tensor in (x, weight, bias)]
    if x.ndim != 2 or weight.ndim != 2 or x.shape[1] != weight.shape[1]:
        raise ValueError(f"x and weight have shapes {shapes[:2]}: pass (m, k) and (n, k)")
    if bias.shape != weight.shape[:1]:
        raise ValueError(f"bias has shape {shapes[2]}: pass one number for each row of the weight")
    if not all(1 <= size <= MOST for shape in shapes for size in shape):
        raise ValueError(f"the shapes are {shapes}, but the page has room for 1 to {MOST} each")
