"""Step 6: a layer on codes, and a convolution by the same layer."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import pad

from qlearn.course.exercises.exercise import Case, Exercise, Parts, WrongError, at_row_and_column
from qlearn.course.exercises.tinyquant import choose, matmul, quantize, requantize
from qlearn.course.exercises.tinyquant.ruler import Ruler, ruler

CALL = "Layer(weight, bias, x_ruler, y_ruler, relu=False)"


class Right:
    """A linear layer from uint8 codes to uint8 codes, with a weight scale for each output."""

    def __init__(
        self, weight: Tensor, bias: Tensor, x_ruler: Ruler, y_ruler: Ruler, relu: bool = False
    ) -> None:
        self.bias, self.x_ruler, self.y_ruler, self.relu = bias, x_ruler, y_ruler, relu
        self.w_ruler = self.choose(weight)
        self.weight = quantize.right(weight, self.w_ruler)

    def choose(self, weight: Tensor) -> Ruler:
        """Return the weight's ruler."""
        low, high = torch.aminmax(weight, dim=1, keepdim=True)
        return choose.right(low, high, -128, 127, symmetric=True)

    def __call__(self, q: Tensor) -> Tensor:
        """Return the codes of the output."""
        total = matmul.right(q, self.zero_point(), self.weight)
        return requantize.right(total, self.step(), self.bias, self.y_ruler, self.relu)

    def zero_point(self) -> Tensor:
        """Return the input's zero point."""
        return self.x_ruler.zero_point

    def step(self) -> Tensor:
        """Return the step of the sums."""
        return self.x_ruler.scale * self.w_ruler.scale.flatten()


class OneScale(Right):
    """Take one scale for the whole weight."""

    def choose(self, weight: Tensor) -> Ruler:
        """Return one ruler, a copy for each row."""
        low, high = weight.min().expand(len(weight), 1), weight.max().expand(len(weight), 1)
        return choose.right(low, high, -128, 127, symmetric=True)


class ScalePerInput(Right):
    """Choose the scales along the wrong axis; the mean stands for what is no sum of one step."""

    def choose(self, weight: Tensor) -> Ruler:
        """Return the rulers of the weight's columns."""
        low, high = torch.aminmax(weight, dim=0, keepdim=True)
        return choose.right(low, high, -128, 127, symmetric=True)

    def step(self) -> Tensor:
        """Return steps where the shapes happen to fit."""
        step = super().step()
        return step if len(step) == len(self.weight) else step.mean().expand(len(self.weight))


class Affine(Right):
    """Choose affine weights, and ignore their zero points."""

    def choose(self, weight: Tensor) -> Ruler:
        """Return rulers with zero points."""
        low, high = torch.aminmax(weight, dim=1, keepdim=True)
        return choose.right(low, high, -128, 127)


class NoZeroPoint(Right):
    """Forget the input's zero point."""

    def zero_point(self) -> Tensor:
        """Return 0."""
        return torch.tensor(0)


class OutputsZeroPoint(Right):
    """Take the output's zero point for the input's."""

    def zero_point(self) -> Tensor:
        """Return the wrong one."""
        return self.y_ruler.zero_point


class NoInputScale(Right):
    """Forget the input's scale."""

    def step(self) -> Tensor:
        """Return the weight's scale alone."""
        return self.w_ruler.scale.flatten()


class NotFlattened(Right):
    """Leave the scales in the shape (n, 1), which belongs to rows."""

    def step(self) -> Tensor:
        """Return a column."""
        return self.x_ruler.scale * self.w_ruler.scale


class NoBias(Right):
    """Forget the bias."""

    def __init__(self, weight: Tensor, bias: Tensor, *rest: Any) -> None:
        super().__init__(weight, torch.zeros_like(bias), *rest)


class NoReLU(Right):
    """Ignore the last argument."""

    def __init__(self, weight: Tensor, bias: Tensor, x: Ruler, y: Ruler, _: bool = False) -> None:
        super().__init__(weight, bias, x, y)


class Narrow(Right):
    """Let the weight's codes begin at -127."""

    def choose(self, weight: Tensor) -> Ruler:
        """Return rulers of 254 steps."""
        low, high = torch.aminmax(weight, dim=1, keepdim=True)
        return choose.right(low, high, -127, 127, symmetric=True)


class AlwaysReLU(Right):
    """Take a ReLU for granted."""

    def __init__(self, weight: Tensor, bias: Tensor, x: Ruler, y: Ruler, _: bool = False) -> None:
        super().__init__(weight, bias, x, y, True)


class SwappedRulers(Right):
    """Take the output's ruler for the input's scale."""

    def step(self) -> Tensor:
        """Return the step of another product."""
        return self.y_ruler.scale * self.w_ruler.scale.flatten()


class InputsRuler(Right):
    """Put out codes on the ruler of the input."""

    def __init__(self, weight: Tensor, bias: Tensor, x: Ruler, y: Ruler, *relu: bool) -> None:
        super().__init__(weight, bias, x, x, *relu)


class NoWeightScale(Right):
    """Forget the weight's scale."""

    def step(self) -> Tensor:
        """Return the input's scale alone."""
        return self.x_ruler.scale.expand(len(self.weight))


class QuantizedTwice(Right):
    """Quantize what are codes already."""

    def __call__(self, q: Tensor) -> Tensor:
        """Return the codes of the output."""
        return super().__call__(quantize.right(q, self.x_ruler))


class InFloats(Right):
    """Compute with the numbers, and quantize what comes out."""

    def __call__(self, q: Tensor) -> Tensor:
        """Return the codes of the output."""
        x, weight = quantize.numbers(q, self.x_ruler), quantize.numbers(self.weight, self.w_ruler)
        codes = quantize.right(x @ weight.T + self.bias, self.y_ruler)
        return codes.clamp(min=int(self.y_ruler.zero_point)) if self.relu else codes


class FloatWeight(Right):
    """Compute with the float weight itself."""

    def __init__(self, weight: Tensor, *options: Any) -> None:
        super().__init__(weight, *options)
        self.numbers = weight

    def __call__(self, q: Tensor) -> Tensor:
        """Return the codes of the output."""
        y = quantize.numbers(q, self.x_ruler) @ self.numbers.T + self.bias
        return quantize.right(y.relu() if self.relu else y, self.y_ruler)


class RoundedBias(Right):
    """Round the bias to whole steps."""

    def __init__(self, *options: Any) -> None:
        super().__init__(*options)
        self.bias = torch.round(self.bias / self.step()) * self.step()


def is_ruler(kept: Any, wanted: Ruler) -> bool:
    """Return whether what a layer keeps is this ruler, or another one with its numbers."""
    if not isinstance(kept, tuple) or len(kept) != len(wanted):
        return False
    pairs = zip(map(torch.as_tensor, kept), map(torch.as_tensor, wanted), strict=True)
    return all(torch.equal(one.double(), other.double()) for one, other in pairs)


def drive(subject: Any, options: tuple[Any, ...], q: Tensor) -> Parts:
    """Make a layer, and give it codes.

    Raises:
        WrongError: it takes none, or does not keep the ruler that the next step needs.
    """
    layer = subject(*options)
    if not callable(layer):
        raise WrongError("Your layer cannot be called with codes: give it a `__call__`.")
    codes = layer(q)
    if isinstance(codes, Tensor) and not is_ruler(getattr(layer, "x_ruler", None), options[2]):
        raise WrongError("Your layer does not keep x_ruler as an attribute of this name.")
    return {"codes": codes}


WEIGHT = torch.tensor([[0.5, -1.0, 0.29], [0.03, 0.01, -0.02]])
BIAS = torch.tensor([0.1, -0.02])
RULERS = ruler(0.05, 20, 0, 255), ruler(0.02, 90, 0, 255)
CODES = torch.tensor([[40, 10, 60], [10, 50, 30]], dtype=torch.uint8)
ONE = torch.ones(1, 1)  # whose code is 127, and its scale 1 / 127.5
STEP = float(Right(ONE, torch.zeros(1), *RULERS).step())
HALVES = ruler(2 * 127 * STEP, 90, 0, 255)
FOURS = ruler(4 * STEP, 90, 0, 255)
EVERY = torch.arange(256).to(torch.uint8).reshape(-1, 1)
MANY = torch.sin(torch.arange(16 * 32) * 1.7).reshape(16, 32), torch.cos(torch.arange(16) * 3.0)
LARGE = matmul.codes(64, 32, torch.uint8)
UNEVEN = torch.tensor([[0.5, 0.9, 0.2], [-0.3, 0.01, 0.02], [0.4, 0.1, 0.7]])

LAYER = Exercise(
    name="Layer",
    call=CALL,
    task="an object that turns codes of x into codes of x @ weight.T + bias",
    drive=drive,
    right=Right,
    cases=(
        # Scales of one size, so that a step which lacks one of them makes codes in between.
        Case(
            "large weights",
            (
                (WEIGHT[:1] * 100, BIAS[:1], ruler(0.5, 20, 0, 255), ruler(30.0, 120, 0, 255)),
                CODES,
            ),
        ),
        Case("one output", ((WEIGHT[:1], BIAS[:1], *RULERS), CODES)),
        Case("two outputs with weights of different sizes", ((WEIGHT, BIAS, *RULERS), CODES)),
        Case("a ReLU", ((WEIGHT, BIAS, *RULERS, True), CODES)),
        Case(
            "weights to one side of 0",
            ((UNEVEN, torch.zeros(3), *RULERS), matmul.codes(40, 3, torch.uint8)),
        ),
        Case(
            "an output whose steps are 254 steps of the sum",
            ((ONE, torch.zeros(1), RULERS[0], HALVES), EVERY),
        ),
        Case(
            "a bias of half a step of the sum",
            ((ONE, torch.tensor([STEP / 2]), RULERS[0], FOURS), EVERY[18:25]),
        ),
        Case(
            "16 outputs of 32 inputs",
            ((*MANY, ruler(0.01, 60, 0, 255), ruler(0.03, 120, 0, 255)), LARGE),
        ),
    ),
    mistakes={
        "You take one scale for all weights: each row of the weight gets its own, with dim=1 and "
        "keepdim=True.": OneScale,
        "You choose a scale for each column of the weight. A row makes one output, so each row "
        "gets a scale.": ScalePerInput,
        "Your weights have zero points, which the product does not subtract: choose them "
        "symmetric.": Affine,
        "You forgot the zero point of the input: pass it to integer_matmul.": NoZeroPoint,
        "You subtract the zero point of the output from the input's codes: pass that of "
        "x_ruler.": OutputsZeroPoint,
        "You forgot the scale of the input: one step of a sum is the product of two "
        "scales.": NoInputScale,
        "Your step has the shape (n, 1), and so each row of sums gets its own. Each column needs "
        "one: flatten it to (n,).": NotFlattened,
        "You compute with floats and quantize the result. Give the integer sum to your "
        "requantize.": InFloats,
        "Your weight's ruler begins at -127: take -128 … 127.": Narrow,
        "Your layer has a ReLU without relu=True: pass `relu` on.": AlwaysReLU,
        "Your step takes the scale of the output: it is x_ruler.scale times the weight's.": (
            SwappedRulers
        ),
        "Your step lacks the scale of the weight: it is the product of two scales.": NoWeightScale,
        "Your output is on the ruler of the input: give y_ruler to requantize.": InputsRuler,
        "The input is codes already: do not quantize it.": QuantizedTwice,
        "You compute with the float weight. Quantize it, and take your integer_matmul and "
        "requantize.": FloatWeight,
        "You round the bias to whole steps of the sum: give it to requantize as it is.": (
            RoundedBias
        ),
        "You forgot the bias.": NoBias,
        "You ignore `relu`: pass it on to requantize.": NoReLU,
    },
    hints=(
        "Make the ruler and the codes of the weight once, in __init__; a call only needs two of "
        "your functions.",
        "w_ruler.scale has the shape (n, 1), requantize wants (n,): flatten it.",
    ),
    praise="From codes to codes, as torch.ops.quantized.linear by FBGEMM.",
    place=at_row_and_column,
)


def convolved(layer: Any, q: Tensor, *, border: Any = None, order: Any = (0, 2, 3, 1, 4, 5)) -> Any:
    """Return the codes of a 3 × 3 convolution; the last two make known mistakes."""
    code = int(layer.x_ruler.zero_point) if border is None else border
    padded = pad(q, (1, 1, 1, 1), value=code)
    windows = padded.unfold(2, 3, 1).unfold(3, 3, 1).permute(order)
    images, _, height, width = q.shape
    rows = windows.reshape(images * height * width, -1)
    return layer(rows).reshape(images, height, width, -1).permute(0, 3, 1, 2)


def not_moved_back(layer: Any, q: Tensor) -> Tensor:
    """Leave the channels last, in the shape of an image."""
    codes = convolved(layer, q)
    return codes.permute(0, 2, 3, 1).reshape(codes.shape)


def drive_convolve(subject: Any, layer: Any, q: Tensor) -> Parts:
    """Convolve codes by a layer that is right."""
    return {"codes": subject(layer, q)}


KERNELS = torch.arange(-26, 28).reshape(3, 18) / 50
CONV = Right(
    KERNELS, torch.tensor([0.1, 0.0, -0.2]), ruler(0.02, 50, 0, 255), ruler(0.2, 90, 0, 255)
)
ONES = Right(torch.ones(1, 9), torch.zeros(1), ruler(0.02, 50, 0, 255), ruler(0.2, 50, 0, 255))
HUNDREDS = torch.full((1, 1, 3, 3), 100, dtype=torch.uint8)

CONVOLVE = Exercise(
    name="convolve",
    call="convolve(layer, q)",
    task="the codes of a 3 × 3 convolution, in the shape (images, outputs, height, width)",
    drive=drive_convolve,
    right=convolved,
    cases=(
        Case("an image of nine ones", (ONES, HUNDREDS)),
        Case(
            "two images of two channels",
            (CONV, matmul.codes(2, 40, torch.uint8).reshape(2, 2, 4, 5)),
        ),
    ),
    mistakes={
        "Your border has the code 0, which does not mean 0: pad with the zero point of "
        "layer.x_ruler.": lambda layer, q: convolved(layer, q, border=0),
        "In your windows the channels come after the places: a kernel is flattened as (channel, "
        "row, column).": lambda layer, q: convolved(layer, q, order=(0, 2, 3, 4, 5, 1)),
        "Your windows are transposed: rows come before columns.": lambda layer, q: convolved(
            layer, q, order=(0, 2, 3, 1, 5, 4)
        ),
        "You reshape the windows before you permute them, so a row mixes channels and places: "
        "bring image, row and column to the front.": lambda layer, q: convolved(
            layer, q, order=(0, 1, 2, 3, 4, 5)
        ),
        "Your border is the zero point of the output: take that of layer.x_ruler.": (
            lambda layer, q: convolved(layer, q, border=int(layer.y_ruler.zero_point))
        ),
        "You reshape the output to its shape, but the layer puts the outputs last: permute "
        "them.": not_moved_back,
    },
    hints=(
        "One window is one row for the layer: of the shape (images, channels, height, width, 3, 3) "
        "the channels and the last two axes belong to it.",
        "Before you reshape, permute: image, row and column first, then what is inside a window.",
    ),
    praise="Border and windows are as in torch.ops.quantized.conv2d.",
    place=lambda args, index: (
        f"image {index[0]}, output {index[1]}, row {index[2]}, column {index[3]}"
    ),
)
