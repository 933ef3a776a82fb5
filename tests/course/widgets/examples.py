"""A widget of each class, for the tests that hold for all figures."""

from __future__ import annotations

from collections.abc import Callable

from qlearn.course.widgets import Saturation, SwappedLayers
from qlearn.course.widgets.shared.figure import Figure

EXAMPLES: dict[str, Callable[[], Figure]] = {
    "Saturation": Saturation,
    "SwappedLayers": lambda: SwappedLayers(("lstm", 4, 8), ("linear", 8, 3)),
}
