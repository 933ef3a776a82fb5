"""Inputs for the registry of public functions: small ones by hand, and large ones of any size."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from qlearn import QParams, QTensor, choose_qparams, quantize

# Small ones

FEW = QParams(0.1, 10, -128, 127, torch.int8)
ROWS = QParams([0.1, 0.2], [0, 0], -128, 127, torch.int8, axis=0)
BYTES = QParams(0.5, 3, 0, 255, torch.uint8)
X = torch.tensor([[-1.0, 0.5, 2.0], [3.0, -0.25, 0.0]])
WEIGHT = QTensor(torch.tensor([[1, -2, 3], [4, 5, -6]], dtype=torch.int8), ROWS)
CODES = QTensor(torch.tensor([[1, 2, 3], [255, 0, 7]], dtype=torch.uint8), BYTES)
IMAGE = QTensor(torch.arange(18, dtype=torch.uint8).reshape(1, 2, 3, 3), BYTES)
KERNELS = QTensor(torch.ones(2, 2, 2, 2, dtype=torch.int8), ROWS)

# Large ones

CHANNELS = 8
WIDTH = 100  # of the linear layers: as many inputs as outputs

INT8, UINT8, INT32 = (
    choose_qparams(-4.0, 5.0, dtype=dtype) for dtype in (torch.int8, torch.uint8, torch.int32)
)
_ENDS = torch.linspace(3, 5, CHANNELS)
EACH_CHANNEL = choose_qparams(-_ENDS, _ENDS, axis=0)


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


def sequences(n: int) -> tuple[Tensor]:
    """Return sequences of five steps, each the input of a linear layer."""
    return (values(n)[0].reshape(5, -1, 2),)


def quantized(n: int) -> tuple[QTensor]:
    """Return the inputs of a linear layer in codes."""
    return (QTensor(quantize(*activations(n), UINT8), UINT8),)


def images(n: int) -> tuple[QTensor]:
    """Return codes of images of 10 × 10 pixels in 10 channels."""
    return (QTensor(quantize(values(n)[0].reshape(-1, 10, 10, 10), UINT8), UINT8),)


def sums(n: int) -> tuple[Tensor]:
    """Return the int32 sums of a linear layer."""
    return ((activations(n)[0] * 1000).to(torch.int32),)


def ranges(n: int) -> tuple[Tensor, Tensor]:
    """Return n ranges: their smallest values and their largest."""
    width = values(n)[0].abs() + 1
    return -width, width


def scales(n: int) -> tuple[Tensor, Tensor]:
    """Return n scales and zero points."""
    return values(n)[0].abs() + 1, torch.zeros(n, dtype=torch.int32)


def codes_in(qparams: QParams, shape: Callable[[int], tuple[Tensor]] = values) -> Any:
    """Return inputs that are codes."""
    return lambda n: (quantize(*shape(n), qparams),)


def weight(*shape: int) -> QTensor:
    """Return the weight of a layer."""
    qparams = choose_qparams(-1.0, 1.0, symmetric=True)
    return QTensor(quantize(values(math.prod(shape))[0].reshape(shape) / 4, qparams), qparams)


MATRIX, KERNEL, BIAS = weight(WIDTH, WIDTH), weight(10, 10, 3, 3), torch.ones(WIDTH)


def trained(function: Callable[[Tensor], Tensor]) -> Callable[..., object]:
    """Return a call of the function, forward and backward."""
    return lambda x, gradient: torch.autograd.grad(function(x), x, gradient)


def observing(make: Callable[[], Any]) -> Callable[..., object]:
    """Return a call that makes an observer, shows it the batches and asks for the qparams."""

    def call(*batches: Tensor) -> object:
        observer = make()
        for batch in batches:
            observer(batch)
        return observer.qparams()

    return call
