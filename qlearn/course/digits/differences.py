"""How far the digits network in integers is from the real one, and how far it could be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import torch
from jaxtyping import Float32
from torch import Tensor

from qlearn.course.digits.layers import (
    LAYERS,
    OBSERVED,
    Folded,
    activation_qparams,
    float_layer,
    float_outputs,
    integer_outputs,
    weight_codes,
)


class Difference(NamedTuple):
    """Of a layer's numbers: the largest difference, and what it is if all errors add up."""

    found: float
    worst: float


def differences(
    layers: Mapping[str, Folded],
    image: Float32[Tensor, "1 1 8 8"],
    ranges: Mapping[str, tuple[float, float]],
) -> dict[str, Difference]:
    """Return for each layer how far what its codes mean is from its real numbers.

    A layer passes on ``|ŵ| · e`` of what came in, adds ``|ŵ − w| · |x|`` by its rounded weights and
    half a step of its ruler: ``worst`` is the sum of these, as if no two errors had other signs.

    Raises:
        ValueError: a number lies beyond its ruler and is clipped, which has no such bound.

    >>> from qlearn.course.digits.layers import folded_layers
    >>> from qlearn.course.digits.net import DigitsNet
    >>> layers, image = folded_layers(DigitsNet().eval()), torch.full((1, 1, 8, 8), 0.1)
    >>> far = differences(layers, image, dict.fromkeys(OBSERVED, (-2.55, 2.55)))
    >>> all(found <= worst for found, worst in far.values())
    True
    """
    qparams = activation_qparams(ranges, reduce_range=False)
    exact = float_outputs(layers, image)
    codes = integer_outputs(layers, image, ranges, reduce_range=False)
    _check_rulers(exact, ranges)
    found, worst = {}, torch.zeros_like(image)
    for before, name in zip(("input", *LAYERS), LAYERS, strict=False):
        if name in layers:
            weight = layers[name].weight
            kept = weight_codes(weight).dequantize()
            passed_on = _added(name, kept.abs(), worst)
            worst = passed_on + _added(name, (kept - weight).abs(), exact[before].abs())
        elif name == "pool":
            worst = float_layer(name, {}, worst)  # the largest of four is off by no more than one
        if name in OBSERVED:
            worst = worst + qparams[name].scale / 2
        off = (codes[name].dequantize() - exact[name]).abs()
        found[name] = Difference(off.max().item(), worst.max().item())
    return found


def _added(name: str, weight: Tensor, x: Tensor) -> Tensor:
    """Return the sums of a layer with these weights, none of which is below 0, and no bias."""
    return float_layer(name, {name: Folded(weight, torch.zeros(len(weight)))}, x)


def _check_rulers(exact: Mapping[str, Tensor], ranges: Mapping[str, tuple[float, float]]) -> None:
    for name, (low, high) in ranges.items():
        ends = [end.item() for end in exact[name].aminmax()]
        if ends[0] < low or ends[1] > high:
            raise ValueError(
                f"the numbers of {name} reach from {ends[0]:.2f} to {ends[1]:.2f}, its ruler from "
                f"{low:.2f} to {high:.2f}: choose an image that is not clipped, or other ranges"
            )
