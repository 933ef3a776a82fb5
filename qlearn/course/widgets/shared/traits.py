"""Traits of numbers that a page can show."""

from __future__ import annotations

import math
from typing import Any

from traitlets import Float


class Number(Float[float, "int | float"]):
    """A float from ``min`` to ``max``: also no NaN, which traitlets' own bounds let pass.

    >>> from traitlets import HasTraits
    >>> class Layer(HasTraits):
    ...     bias = Number(0.0, min=-10, max=10)
    >>> Layer(bias=float("nan"))
    Traceback (most recent call last):
    traitlets.traitlets.TraitError: The 'bias' trait of a Layer instance expected a float, not the \
float nan.
    """

    def validate(self, obj: Any, value: Any) -> float:
        """Return the number, or raise TraitError."""
        if isinstance(value, float) and math.isnan(value):
            self.error(obj, value)
        return super().validate(obj, value)
