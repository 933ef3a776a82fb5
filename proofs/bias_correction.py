"""Bias correction in float64, on numbers that are few enough for float32 to be exact as well."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import unfold

from proofs.draw import Draw
from proofs.inputs import X
from proofs.proof import proof
from proofs.public import public
from qlearn import QParams, SimulatedLayer, bias_corrected, simulate

UNIT = 0.125  # of weights and inputs, which are −7 … 7 of it


def units(draw: Draw, *shape: int) -> Tensor:
    """Return random multiples of UNIT."""
    return draw.codes(shape, torch.int64, -7, 7).to(torch.float32) * UNIT


def power(draw: Draw) -> float:
    """Return a scale that is a power of two, from half a unit to eight."""
    return UNIT * draw.choice([0.5, 1.0, 2.0, 4.0, 8.0])


def draw_layer(draw: Draw, size: tuple[int, int], kernel: int | None) -> SimulatedLayer:
    """Return a linear layer, or a convolution with such a kernel, that rounds to codes."""
    inputs, outputs = size
    bias = draw.chance(0.7)
    layer: Any = (
        nn.Linear(inputs, outputs, bias=bias)
        if kernel is None
        else nn.Conv2d(inputs, outputs, kernel, bias=bias)
    )
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.copy_(units(draw, *parameter.shape))
    bits, zeros = draw.integer(2, 8), torch.zeros(outputs, dtype=torch.int32)
    half = 2 ** (bits - 1)
    scales = torch.tensor([power(draw) for _ in range(outputs)])
    of_input = QParams(power(draw), draw.integer(0, 255), 0, 255, torch.uint8)
    return SimulatedLayer(
        layer, of_input, QParams(scales, zeros, -half, half - 1, torch.int8, axis=0)
    )


def rounded(x: Tensor, qparams: QParams, scale: Tensor) -> Tensor:
    """Return what comes back from codes, in float64."""
    zero = qparams.zero_point.double().max()
    codes = torch.round(x / scale) + zero
    return (codes.clamp(qparams.quant_min, qparams.quant_max) - zero) * scale


def outputs_of(layer: Any, x: Tensor, weight: Tensor) -> Tensor:
    """Return (outputs, places) without the bias, in float64: a product of matrices."""
    if isinstance(layer, nn.Linear):
        return weight @ x.T
    return weight @ unfold(x, layer.kernel_size).movedim(1, 0).flatten(1)


def as_input(y: Tensor, x: Tensor) -> Tensor:
    """Return (outputs, places) after a ReLU, as the input of the next layer."""
    images = y.clamp_min(0).unflatten(1, (len(x), -1)).movedim(1, 0)  # (batch, outputs, places)
    if x.ndim == 2:
        return images[:, :, 0]
    side = round(images.shape[2] ** 0.5)
    return images.unflatten(2, (side, side))


def corrected_biases(layers: Sequence[SimulatedLayer], x: Tensor) -> tuple[Tensor, ...]:
    """Return the biases by the formula: the mean error of each layer, behind corrected ones."""
    exact, seen, biases = x.double(), x.double(), []
    for one in layers:
        layer, of_input, of_weight = one.layer, one.input_qparams, one.weight_qparams
        assert of_input is not None and of_weight is not None
        weight = layer.weight.detach().double().flatten(1)
        bias = torch.zeros(len(weight), dtype=torch.float64)
        if layer.bias is not None:
            bias = layer.bias.detach().double()
        coded = rounded(weight, of_weight, of_weight.scale.double()[:, None])
        entering = rounded(seen, of_input, of_input.scale.double())
        true, found = outputs_of(layer, exact, weight), outputs_of(layer, entering, coded)
        better = bias - (found - true).sum(1) / true.shape[1]
        biases.append(better.to(torch.float32))
        exact, seen = (
            as_input(true + bias[:, None], exact),
            as_input(found + better[:, None], seen),
        )
    return tuple(biases)


@proof(
    "bias_corrected",
    "its formula in float64 by products of matrices, on sums that float32 holds exactly",
)
def biases_by_the_formula(draw: Draw) -> tuple[Any, Any]:
    """Compare biases and weights of two layers, linear or convolutions, 2 to 8 bits a weight."""
    sizes = [draw.integer(1, 3) for _ in range(3)]
    batch, kernel = draw.choice([1, 2, 4]), draw.choice([None, 1, 2])
    x = units(draw, 4 * batch, sizes[0])
    if kernel is not None:
        side = draw.choice([1, 2]) + kernel - 1
        x = units(draw, batch, sizes[0], side, side)
    layers = [
        draw_layer(draw, (sizes[0], sizes[1]), kernel),
        draw_layer(draw, (sizes[1], sizes[2]), kernel and 1),
    ]
    net = nn.Sequential(layers[0].layer, nn.ReLU(), layers[1].layer).eval()
    quantized = nn.Sequential(layers[0], nn.ReLU(), layers[1]).eval()
    found: Any = bias_corrected(net, quantized, x)
    changed = [found[0].layer, found[2].layer]
    return (
        (tuple(layer.bias for layer in changed), tuple(layer.weight for layer in changed)),
        (corrected_biases(layers, x), tuple(one.layer.weight for one in layers)),
    )


_NET = nn.Sequential(nn.Linear(3, 2), nn.ReLU(), nn.Linear(2, 2)).eval()

public(
    "bias_corrected",
    "models/debugging",
    {"net": _NET, "quantized": simulate(_NET, X), "calibration": X},
    not_large="its time is the network's",
)
