"""The digits network layer by layer: in float32, and in the codes of a static conversion."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

import torch
from jaxtyping import Float32
from torch import Tensor
from torch.nn.functional import conv2d, linear, max_pool2d

from qlearn.calibration.histogram_observer import HistogramObserver
from qlearn.checks import check_choice
from qlearn.course.digits.net import DigitsNet
from qlearn.integers.requantization import full_range
from qlearn.integers.static_conv import conv2d_static
from qlearn.integers.static_linear import linear_static
from qlearn.numbers.metrics import sqnr
from qlearn.numbers.qparams import QParams
from qlearn.numbers.qtensor import QTensor
from qlearn.numbers.quantize import quantize
from qlearn.numbers.rules.observer import choose_qparams

LAYERS = ("input", "conv1", "conv2", "pool", "fc")
OBSERVED = ("input", "conv1", "conv2", "fc")  # pool keeps the qparams of conv2
WEIGHTED = ("conv1", "conv2", "fc")
LEAST_BITS, MOST_BITS = 2, 8


class Folded(NamedTuple):
    """Weight and bias of a layer with its batch norm multiplied in."""

    weight: Float32[Tensor, "n ..."]
    bias: Float32[Tensor, " n"]


def folded_layers(net: DigitsNet) -> dict[str, Folded]:
    """Return the layers with weights, the batch norms multiplied into the convolutions.

    ``w · γ/√(σ² + ε)`` and ``β − μ · γ/√(σ² + ε)``, rounded as ``fuse_modules`` rounds them.

    >>> folded_layers(DigitsNet())["conv2"].weight.shape
    torch.Size([16, 16, 3, 3])
    """
    layers = {}
    with torch.no_grad():
        for name, conv, norm in (("conv1", net.conv1, net.bn1), ("conv2", net.conv2, net.bn2)):
            assert norm.running_mean is not None and norm.running_var is not None
            inverse = torch.rsqrt(norm.running_var + norm.eps)
            weight = conv.weight * (norm.weight * inverse).reshape(-1, 1, 1, 1)
            layers[name] = Folded(weight, -norm.running_mean * inverse * norm.weight + norm.bias)
    return layers | {"fc": Folded(net.fc.weight.detach(), net.fc.bias.detach())}


def float_layer(name: str, layers: Mapping[str, Folded], x: Float32[Tensor, "..."]) -> Tensor:
    """Return what one layer makes of its input in float32; ReLU belongs to the convolutions.

    >>> float_layer("pool", {}, torch.eye(2).reshape(1, 1, 2, 2))
    tensor([[[[1.]]]])
    """
    if name == "pool":
        return max_pool2d(x, 2)
    if name == "fc":
        return linear(x.flatten(1), *layers["fc"])
    return conv2d(x, *layers[name], padding=1).relu() if name in layers else x


def float_outputs(
    layers: Mapping[str, Folded], images: Float32[Tensor, "n 1 8 8"]
) -> dict[str, Tensor]:
    """Return the output of each layer, the images themselves first.

    >>> list(float_outputs(folded_layers(DigitsNet()), torch.zeros(1, 1, 8, 8)))
    ['input', 'conv1', 'conv2', 'pool', 'fc']
    """
    outputs = {}
    for name in LAYERS:
        outputs[name] = images = float_layer(name, layers, images)
    return outputs


def observed_ranges(
    layers: Mapping[str, Folded],
    images: Float32[Tensor, "n 1 8 8"],
    observer: Literal["minmax", "histogram"] = "histogram",
) -> dict[str, tuple[float, float]]:
    """Return the range of each layer in ``OBSERVED`` that a calibration by these images finds.

    Raises:
        ValueError: an unknown observer.

    >>> layers, images = folded_layers(DigitsNet().eval()), torch.zeros(1, 1, 8, 8)
    >>> observed_ranges(layers, images, "minmax")["input"]
    (0.0, 0.0)
    """
    check_choice(observer, "observer", ("minmax", "histogram"))
    outputs, ranges = float_outputs(layers, images), {}
    for name in OBSERVED:
        low, high = torch.aminmax(outputs[name])
        if observer == "histogram":
            histogram = HistogramObserver()
            histogram(outputs[name])
            low, high = histogram.best_range()
        ranges[name] = low.item(), high.item()
    return ranges


def integer_outputs(
    layers: Mapping[str, Folded],
    images: Float32[Tensor, "n 1 8 8"],
    ranges: Mapping[str, tuple[float, float]],
    *,
    activation_bits: Mapping[str, int] | None = None,
    weight_bits: Mapping[str, int] | None = None,
    reduce_range: bool = True,
) -> dict[str, QTensor]:
    """Return the codes of each layer, computed from codes, with fbgemm's roundings.

    Args:
        layers: as :func:`folded_layers` gives them.
        images: float32.
        ranges: smallest and largest number by calibration, for each name in ``OBSERVED``.
        activation_bits: of the codes by name, 2 to 8; they clamp at the last code of those bits.
            A name without bits has eight.
        weight_bits: of the weights by name, 2 to 8; a name without bits has eight. Each output
            has one scale, symmetric.
        reduce_range: choose the scales of activations without ``activation_bits`` for the codes
            0 … 127. As in the kernels, larger numbers still get codes up to 255.

    Raises:
        ValueError: ranges of other layers, or with ends that are swapped or not finite; bits that
            are not an integer from 2 to 8.

    >>> ranges = dict.fromkeys(OBSERVED, (-1.0, 1.0))
    >>> codes = integer_outputs(folded_layers(DigitsNet()), torch.zeros(1, 1, 8, 8), ranges)
    >>> codes["input"].values.unique(), codes["fc"].values.dtype
    (tensor([64], dtype=torch.uint8), torch.uint8)
    """
    bits = dict.fromkeys(OBSERVED, MOST_BITS) | dict(activation_bits or {})
    qparams = activation_qparams(ranges, activation_bits, reduce_range=reduce_range)
    pixels = full_range(qparams["input"])
    q = _clamped(QTensor(quantize(images, pixels), pixels), bits["input"])
    codes = {"input": q}
    for name in LAYERS[1:]:
        if name == "pool":
            q = _pooled(q)
        else:
            weight = weight_codes(layers[name].weight, (weight_bits or {}).get(name, MOST_BITS))
            q = _clamped(_layer(name, q, weight, layers[name].bias, qparams[name]), bits[name])
        codes[name] = q
    return codes


def _layer(name: str, q: QTensor, weight: QTensor, bias: Tensor, output: QParams) -> QTensor:
    """Return the codes of a convolution with ReLU, or of the linear layer."""
    if name == "fc":
        flat = QTensor(q.values.flatten(1), q.qparams)
        return linear_static(flat, weight, bias, output)
    return conv2d_static(q, weight, bias, output, padding=1, relu=True)


def _pooled(q: QTensor) -> QTensor:
    """Return the largest code of each 2 × 2: the largest code is that of the largest number."""
    return QTensor(max_pool2d(q.values.float(), 2).to(torch.uint8), q.qparams)


def layer_errors(
    layers: Mapping[str, Folded],
    exact: Mapping[str, Tensor],
    codes: Mapping[str, QTensor],
) -> dict[str, tuple[float, float]]:
    """Return for each layer two SQNRs in dB: of its output, and of the error that it adds.

    The first compares with the float network. For the second the layer is computed in float32
    from the same input that its integers had, so that what came in with it is in both.

    >>> layers = folded_layers(DigitsNet().eval())
    >>> image = torch.linspace(0, 1, 64).reshape(1, 1, 8, 8)
    >>> codes = integer_outputs(layers, image, dict.fromkeys(OBSERVED, (-2.0, 2.0)))
    >>> errors = layer_errors(layers, float_outputs(layers, image), codes)
    >>> errors["pool"][1]
    inf
    """
    errors, x = {}, exact["input"]
    for name in LAYERS:
        alone = float_layer(name, layers, x)
        x = codes[name].dequantize()
        errors[name] = sqnr(exact[name], x), sqnr(alone, x)
    return errors


def activation_qparams(
    ranges: Mapping[str, tuple[float, float]],
    activation_bits: Mapping[str, int] | None = None,
    *,
    reduce_range: bool = True,
) -> dict[str, QParams]:
    """Return the qparams of each layer in ``OBSERVED``; the arguments are those of integer_outputs.

    >>> activation_qparams(dict.fromkeys(OBSERVED, (0.0, 2.55)), reduce_range=False)["fc"].scale
    tensor(0.0100)
    """
    if ranges.keys() != set(OBSERVED):
        given = ", ".join(ranges) or "nothing"
        raise ValueError(f"ranges has {given}: pass one for each of {', '.join(OBSERVED)}")
    own, qparams = dict(activation_bits or {}), {}
    for name in OBSERVED:
        quant_max = 2 ** _checked_bits(own.get(name, MOST_BITS)) - 1
        if reduce_range and name not in own:
            quant_max //= 2
        kind = {"dtype": torch.uint8, "quant_min": 0, "quant_max": quant_max}
        qparams[name] = choose_qparams(*ranges[name], **kind)
    return qparams


def weight_codes(weight: Float32[Tensor, "n ..."], bits: int = MOST_BITS) -> QTensor:
    """Return a layer's weights in codes: symmetric, with one scale for each output.

    >>> weight_codes(torch.tensor([[1.0, -0.5], [0.1, 0.2]])).values
    tensor([[127, -64],
            [ 64, 127]], dtype=torch.int8)
    """
    half = 2 ** (_checked_bits(bits) - 1)
    low, high = torch.aminmax(weight.flatten(1), dim=1)
    qparams = choose_qparams(low, high, symmetric=True, quant_min=-half, quant_max=half - 1, axis=0)
    return QTensor(quantize(weight, qparams, rounding="add"), qparams)


def _clamped(q: QTensor, bits: int) -> QTensor:
    """Clamp the codes at the last code of ``bits`` bits."""
    return QTensor(q.values.clamp(max=2**bits - 1), q.qparams)


def _checked_bits(bits: int) -> int:
    if type(bits) is not int or not LEAST_BITS <= bits <= MOST_BITS:
        raise ValueError(f"bits is {bits!r}: pass an integer from {LEAST_BITS} to {MOST_BITS}")
    return bits
