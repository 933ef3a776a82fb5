"""A widget of each class, for the tests that hold for all figures."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import nn

from qlearn import Rule
from qlearn.course.digits.layers import OBSERVED
from qlearn.course.digits.net import trained_digits_net
from qlearn.course.widgets import (
    ClippingThreshold,
    DecisionGuide,
    DynamicLinear,
    FloatBits,
    GPTQSteps,
    GroupedRow,
    GrowingCache,
    Journey,
    NetworkLayers,
    ObserverStream,
    OldAndNew,
    OutlierChannel,
    QConfigRules,
    QuantizedMatrix,
    Quantizer,
    Requantizer,
    Saturation,
    StraightThrough,
    SwappedLayers,
    TrainingReplay,
)
from qlearn.course.widgets.quantized_matrix import SETTINGS
from qlearn.course.widgets.shared.figure import Figure

GRID = [(bits, shared, 10 / bits) for bits, shared in SETTINGS]


def layered() -> NetworkLayers:
    """Return the digits network with a stroke for its image, and ranges by guess."""
    image, ranges = torch.eye(8)[None, None], dict.fromkeys(OBSERVED, (-1.0, 4.0))
    return NetworkLayers(trained_digits_net(), image, torch.tensor([1]), {"by guess": ranges})


def travelled() -> Journey:
    """Return the same at its first sums."""
    image, ranges = torch.eye(8)[None, None], dict.fromkeys(OBSERVED, (-1.0, 4.0))
    return Journey(trained_digits_net(), image, torch.tensor([1]), ranges)


def replayed() -> TrainingReplay:
    """Return two frames of three weights."""
    record = {"steps": [0, 10], "losses": [1.0, 0.5], "right": [3, 5], "images": 9}
    grid = {"quant_min": -2, "quant_max": 1, "frozen": 1}
    return TrainingReplay(torch.tensor([[0.2, 0.6, -2.0], [0.3, 0.4, -1.2]]), **record, **grid)


EXAMPLES: dict[str, Callable[[], Figure]] = {
    "ClippingThreshold": lambda: ClippingThreshold({"line": torch.linspace(-1, 3, 50)}, bits=3),
    "DecisionGuide": lambda: DecisionGuide({"device": "other", "file": "language"}),
    "DynamicLinear": lambda: DynamicLinear(torch.eye(3), torch.ones(2, 3), torch.zeros(2)),
    "FloatBits": lambda: FloatBits(0.3),
    "GPTQSteps": lambda: GPTQSteps(torch.eye(3) + 0.3, torch.ones(2, 3) + torch.eye(3)[:2]),
    "GroupedRow": lambda: GroupedRow(torch.linspace(-1, 1, 64), outlier=3.0),
    "GrowingCache": lambda: GrowingCache(*torch.eye(6).expand(3, 6, 6), tokens=5, group_size=2),
    "Journey": travelled,
    "NetworkLayers": layered,
    "ObserverStream": lambda: ObserverStream(torch.eye(4), torch.ones(3), outliers=[1], seen=3),
    "OldAndNew": lambda: OldAndNew(torch.eye(3), octaves=3),
    "OutlierChannel": lambda: OutlierChannel(torch.eye(4), torch.ones(2, 4), factor=30),
    "QConfigRules": lambda: QConfigRules(nn.Sequential(nn.GELU()), Rule("global")),
    "QuantizedMatrix": lambda: QuantizedMatrix(torch.eye(32), GRID, bits=3),
    "Quantizer": lambda: Quantizer(torch.linspace(-1, 3, 50), symmetric=False),
    "Requantizer": lambda: Requantizer(500, zero_point=3),
    "Saturation": Saturation,
    "StraightThrough": lambda: StraightThrough(0.3, target=0.4),
    "SwappedLayers": lambda: SwappedLayers(("lstm", 4, 8), ("linear", 8, 3)),
    "TrainingReplay": replayed,
}
