"""One call of each public function of qlearn that takes data, on inputs of any size."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

import qlearn
from qlearn import QParams, QTensor, choose_qparams, quantize

# What takes no tensor, or none that grows with the data.
WITHOUT_DATA = {"installed_rounding", "kernels_saturate", "load_digits", "quant_range"}

CHANNELS = 8
WIDTH = 100  # of the linear layers: as many inputs as outputs

INT8, UINT8, INT32 = (
    choose_qparams(-4.0, 5.0, dtype=dtype) for dtype in (torch.int8, torch.uint8, torch.int32)
)
ENDS = torch.linspace(3, 5, CHANNELS)
EACH_CHANNEL = choose_qparams(-ENDS, ENDS, axis=0)


@dataclass(frozen=True)
class Subject:
    """A public function, and how to call it.

    Attributes:
        of: its public name.
        how: which of its ways is taken, in words.
        inputs: returns what goes in, for a number of values: tensors and QTensors.
        call: the call, on these inputs.
    """

    of: str
    how: str
    inputs: Callable[[int], tuple[Any, ...]]
    call: Callable[..., object]


def values(n: int) -> tuple[Tensor]:
    """Return n normally distributed numbers."""
    return (torch.randn(n, generator=torch.Generator().manual_seed(0)),)


def rows(n: int) -> tuple[Tensor]:
    """Return the same as CHANNELS rows."""
    return (values(n)[0].reshape(CHANNELS, -1),)


def approximated(n: int) -> tuple[Tensor, Tensor]:
    """Return values and what stands for them."""
    return values(n)[0], values(n)[0] + 0.01


def growing(n: int) -> tuple[Tensor, Tensor]:
    """Return two batches in rows, the second of a wider range."""
    return rows(n)[0], 1.1 * rows(n)[0]


def with_infinity(n: int) -> tuple[Tensor, Tensor]:
    """Return the same, each with one infinity."""
    first, second = growing(n)
    first[0, 0] = second[0, 0] = math.inf
    return first, second


def with_gradient(n: int) -> tuple[Tensor, Tensor]:
    """Return values to differentiate by, and the gradient that comes back to the result."""
    return values(n)[0].requires_grad_(), torch.ones(n)


def activations(n: int) -> tuple[Tensor]:
    """Return the inputs of a linear layer."""
    return (values(n)[0].reshape(-1, WIDTH),)


def quantized(n: int) -> tuple[QTensor]:
    """Return the same in codes."""
    return (QTensor(quantize(*activations(n), UINT8), UINT8),)


def images(n: int) -> tuple[QTensor]:
    """Return codes of images of 10 × 10 pixels in 10 channels."""
    return (QTensor(quantize(values(n)[0].reshape(-1, 10, 10, 10), UINT8), UINT8),)


def ranges(n: int) -> tuple[Tensor, Tensor]:
    """Return n ranges: their smallest values and their largest."""
    width = values(n)[0].abs() + 1
    return -width, width


def scales(n: int) -> tuple[Tensor, Tensor]:
    """Return n scales and zero points."""
    return values(n)[0].abs() + 1, torch.zeros(n, dtype=torch.int32)


def weight(*shape: int) -> QTensor:
    """Return the weight of a layer."""
    qparams = choose_qparams(-1.0, 1.0, symmetric=True)
    return QTensor(quantize(values(math.prod(shape))[0].reshape(shape) / 4, qparams), qparams)


MATRIX, KERNEL, BIAS = weight(WIDTH, WIDTH), weight(10, 10, 3, 3), torch.ones(WIDTH)


def observe(name: str, **options: object) -> Callable[..., object]:
    """Return a call that makes an observer, shows it the batches and asks for the qparams."""

    def call(*batches: Tensor) -> object:
        observer = getattr(qlearn, name)(**options)
        for batch in batches:
            observer(batch)
        return observer.qparams()

    return call


def trained(function: Callable[[Tensor], Tensor]) -> Callable[..., object]:
    """Return a call of the function, forward and backward."""
    return lambda x, gradient: torch.autograd.grad(function(x), x, gradient)


def learnable(x: Tensor) -> Tensor:
    """Call learnable_fake_quantize."""
    scale, zero_point = INT8.scale.reshape(1), INT8.zero_point.reshape(1).float()
    return qlearn.learnable_fake_quantize(x, scale, zero_point, quant_min=-128, quant_max=127)


def codes_in(qparams: QParams, shape: Callable[[int], tuple[Tensor]] = values) -> Any:
    """Return inputs that are codes."""
    return lambda n: (quantize(*shape(n), qparams),)


SUBJECTS = [
    Subject("quantize", "nearest", values, lambda x: quantize(x, INT8)),
    Subject("quantize", "fma", values, lambda x: quantize(x, UINT8, rounding="fma")),
    Subject("quantize", "add", values, lambda x: quantize(x, UINT8, rounding="add")),
    Subject("quantize", "add, int32", values, lambda x: quantize(x, INT32, rounding="add")),
    Subject("quantize", "per channel", rows, lambda x: quantize(x, EACH_CHANNEL, rounding="add")),
    Subject(
        "quantize", "fma, per channel", rows, lambda x: quantize(x, EACH_CHANNEL, rounding="fma")
    ),
    Subject("dequantize", "int8", codes_in(INT8), lambda q: qlearn.dequantize(q, INT8)),
    Subject("dequantize", "int32", codes_in(INT32), lambda q: qlearn.dequantize(q, INT32)),
    Subject(
        "dequantize",
        "per channel",
        codes_in(EACH_CHANNEL, rows),
        lambda q: qlearn.dequantize(q, EACH_CHANNEL),
    ),
    Subject("QTensor", "int8", codes_in(INT8), lambda q: QTensor(q, INT8)),
    Subject(
        "fake_quantize",
        "and backward",
        with_gradient,
        trained(lambda x: qlearn.fake_quantize(x, INT8)),
    ),
    Subject(
        "fake_quantize",
        "int32, and backward",
        with_gradient,
        trained(lambda x: qlearn.fake_quantize(x, INT32)),
    ),
    Subject("learnable_fake_quantize", "and backward", with_gradient, trained(learnable)),
    Subject(
        "tensorflow_fake_quantize",
        "and backward",
        with_gradient,
        trained(lambda x: qlearn.tensorflow_fake_quantize(x, -4.0, 5.0)),
    ),
    Subject(
        "FusedMovingAverageFakeQuantize",
        "and backward",
        with_gradient,
        trained(lambda x: qlearn.FusedMovingAverageFakeQuantize()(x)),
    ),
    Subject("MinMaxObserver", "", growing, observe("MinMaxObserver")),
    Subject("MovingAverageMinMaxObserver", "", growing, observe("MovingAverageMinMaxObserver")),
    Subject("PerChannelMinMaxObserver", "rows", growing, observe("PerChannelMinMaxObserver")),
    Subject(
        "PerChannelMinMaxObserver", "columns", growing, observe("PerChannelMinMaxObserver", axis=1)
    ),
    Subject(
        "MovingAveragePerChannelMinMaxObserver",
        "",
        growing,
        observe("MovingAveragePerChannelMinMaxObserver"),
    ),
    Subject("HistogramObserver", "", growing, observe("HistogramObserver")),
    Subject("HistogramObserver", "infinities", with_infinity, observe("HistogramObserver")),
    Subject("mse", "", approximated, qlearn.mse),
    Subject("max_error", "", approximated, qlearn.max_error),
    Subject("sqnr", "", approximated, qlearn.sqnr),
    Subject("clipped_share", "", values, lambda x: qlearn.clipped_share(x, INT8)),
    Subject("split_mse", "", values, lambda x: qlearn.split_mse(x, INT8)),
    Subject("textbook_qparams", "", values, qlearn.textbook_qparams),
    Subject("dynamic_qparams", "", values, qlearn.dynamic_qparams),
    Subject("choose_qparams", "many channels", ranges, lambda *ends: choose_qparams(*ends, axis=0)),
    Subject("nudged_range", "many channels", ranges, qlearn.nudged_range),
    Subject("QParams", "many channels", scales, lambda *pair: QParams(*pair, -8, 7, torch.int8, 0)),
    Subject("linear_dynamic", "", activations, lambda x: qlearn.linear_dynamic(x, MATRIX, BIAS)),
    Subject(
        "linear_dynamic",
        "onednn",
        activations,
        lambda x: qlearn.linear_dynamic(x, MATRIX, BIAS, engine="onednn"),
    ),
    Subject("linear_static", "", quantized, lambda x: qlearn.linear_static(x, MATRIX, BIAS, UINT8)),
    Subject(
        "conv2d_static",
        "",
        images,
        lambda x: qlearn.conv2d_static(x, KERNEL, None, UINT8, padding=1),
    ),
    Subject(
        "saturating_matmul",
        "",
        quantized,
        lambda x: qlearn.saturating_matmul(x.values, MATRIX.values.T),
    ),
]
