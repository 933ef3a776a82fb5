"""Traits of numbers that a page can show, and of what a widget has."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from traitlets import Float, TraitError


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


def present(proposal: dict[str, Any], there: Sequence[object]) -> Any:
    """Return what a ``validate`` method was asked about, if it, or each of its items, is there.

    Raises:
        TraitError: it is not; the trait is named, and what there is.

    >>> from traitlets import HasTraits, Int, validate
    >>> class Tokens(HasTraits):
    ...     token = Int()
    ...     check = validate("token")(lambda self, proposal: present(proposal, range(8)))
    >>> Tokens(token=8)
    Traceback (most recent call last):
    traitlets.traitlets.TraitError: token is 8, but there are 0 … 7
    """
    name, value = proposal["trait"].name, proposal["value"]
    if any(each not in there for each in (value if isinstance(value, list) else [value])):
        spelled = ", ".join(map(repr, there))
        shown = f"{there[0]} … {there[-1]}" if isinstance(there, range) else spelled
        raise TraitError(f"{name} is {value!r}, but there are {shown}")
    return value
