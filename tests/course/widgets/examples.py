"""A widget of each class, for the tests that hold for all figures."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import nn

from qlearn import Rule
from qlearn.course.widgets import (
    DecisionGuide,
    ObserverStream,
    QConfigRules,
    Quantizer,
    Requantizer,
    Saturation,
    SwappedLayers,
    TrainingReplay,
)
from qlearn.course.widgets.shared.figure import Figure


def replayed() -> TrainingReplay:
    """Return two frames of three weights."""
    record = {"steps": [0, 10], "losses": [1.0, 0.5], "right": [3, 5], "images": 9}
    grid = {"quant_min": -2, "quant_max": 1, "frozen": 1}
    return TrainingReplay(torch.tensor([[0.2, 0.6, -2.0], [0.3, 0.4, -1.2]]), **record, **grid)


EXAMPLES: dict[str, Callable[[], Figure]] = {
    "DecisionGuide": lambda: DecisionGuide({"device": "other", "file": "language"}),
    "ObserverStream": lambda: ObserverStream(torch.eye(4), torch.ones(3), outliers=[1], seen=3),
    "QConfigRules": lambda: QConfigRules(nn.Sequential(nn.GELU()), Rule("global")),
    "Quantizer": lambda: Quantizer(torch.linspace(-1, 3, 50), symmetric=False),
    "Requantizer": lambda: Requantizer(500, zero_point=3),
    "Saturation": Saturation,
    "SwappedLayers": lambda: SwappedLayers(("lstm", 4, 8), ("linear", 8, 3)),
    "TrainingReplay": replayed,
}
