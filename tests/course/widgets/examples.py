"""A widget of each class, for the tests that hold for all figures."""

from __future__ import annotations

from collections.abc import Callable

import torch

from qlearn.course.widgets import (
    ObserverStream,
    Quantizer,
    Requantizer,
    Saturation,
    SwappedLayers,
)
from qlearn.course.widgets.shared.figure import Figure

EXAMPLES: dict[str, Callable[[], Figure]] = {
    "ObserverStream": lambda: ObserverStream(torch.eye(4), torch.ones(3), outliers=[1], seen=3),
    "Quantizer": lambda: Quantizer(torch.linspace(-1, 3, 50), symmetric=False),
    "Requantizer": lambda: Requantizer(500, zero_point=3),
    "Saturation": Saturation,
    "SwappedLayers": lambda: SwappedLayers(("lstm", 4, 8), ("linear", 8, 3)),
}
