"""A widget of each class, for the tests that hold for all figures."""

from __future__ import annotations

from collections.abc import Callable

from qlearn.course.widgets import Saturation
from qlearn.course.widgets.shared.figure import Figure

EXAMPLES: dict[str, Callable[[], Figure]] = {
    "Saturation": Saturation,
}
