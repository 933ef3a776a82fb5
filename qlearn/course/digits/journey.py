"""One image on its way through the digits network: each step in real numbers and in integers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from jaxtyping import Float32, Shaped
from torch import Tensor
from torch.nn.functional import conv2d, linear

from qlearn.course.digits.layers import (
    LAYERS,
    Folded,
    float_outputs,
    integer_outputs,
    weight_codes,
)

# Each step, and how many numbers come of it.
STEPS = {
    "pixels": 64,
    "conv1: sums": 1024,
    "conv1: codes": 1024,
    "conv2: sums": 1024,
    "conv2: codes": 1024,
    "pool: codes": 256,
    "fc: sums": 10,
    "fc: codes": 10,
}


class Step(NamedTuple):
    """The numbers of a step, in one dimension: float32, and codes (uint8) or sums (int32)."""

    real: Float32[Tensor, " numbers"]
    integers: Shaped[Tensor, " numbers"]


def journey(
    layers: Mapping[str, Folded],
    image: Float32[Tensor, "1 1 8 8"],
    ranges: Mapping[str, tuple[float, float]],
) -> dict[str, Step]:
    """Return all that one image becomes; sums of products are those before the bias.

    All codes have eight bits; roundings are fbgemm's. See :func:`~qlearn.course.digits.layers.\
integer_outputs`, also for the arguments and what they raise.

    >>> import torch
    >>> from qlearn.course.digits.net import DigitsNet
    >>> from qlearn.course.digits.layers import OBSERVED, folded_layers
    >>> ranges = dict.fromkeys(OBSERVED, (-1.0, 1.0))
    >>> steps = journey(folded_layers(DigitsNet()), torch.zeros(1, 1, 8, 8), ranges)
    >>> steps["pixels"].integers.unique(), steps["conv1: sums"].integers.unique()
    (tensor([127], dtype=torch.uint8), tensor([0], dtype=torch.int32))
    """
    exact = float_outputs(layers, image)
    codes = integer_outputs(layers, image, ranges, reduce_range=False)
    steps = {}
    for name in STEPS:
        stage, _, kind = name.partition(": ")
        stage = "input" if stage == "pixels" else stage
        if kind == "sums":
            before, weight = LAYERS[LAYERS.index(stage) - 1], layers[stage].weight
            q = codes[before]
            x = q.values.double() - q.qparams.zero_point  # float64 adds these exactly
            sums = _sums(x, weight_codes(weight).values.double()).int()
            steps[name] = Step(_sums(exact[before], weight).flatten(), sums.flatten())
        else:
            steps[name] = Step(exact[stage].flatten(), codes[stage].values.flatten())
    return steps


def _sums(x: Tensor, weight: Tensor) -> Tensor:
    return linear(x.flatten(1), weight) if weight.ndim == 2 else conv2d(x, weight, padding=1)
