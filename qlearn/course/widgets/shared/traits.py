"""Traits of numbers that a page can show, and of what a widget has."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from traitlets import Float, TraitError, ValidateHandler, validate


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


def present(name: str, there: Callable[[Any], Sequence[object]]) -> ValidateHandler:
    """Return a check of the trait of this name: it, or each of its items, is one that is there.

    What is there, a widget may know from its other traits; traitlets asks once all are set.

    >>> from traitlets import HasTraits, Int
    >>> class Tokens(HasTraits):
    ...     count, token = Int(8), Int()
    ...     check_token = present("token", lambda self: range(self.count))
    >>> Tokens(token=8)
    Traceback (most recent call last):
    traitlets.traitlets.TraitError: token is 8, but there are 0 … 7
    """

    def check(widget: Any, proposal: dict[str, Any]) -> Any:
        value, all_ = proposal["value"], there(widget)
        if any(each not in all_ for each in (value if isinstance(value, list) else [value])):
            ends = f"{all_[0]} … {all_[-1]}" if isinstance(all_, range) else ""
            shown = ends or ", ".join(map(repr, all_))
            raise TraitError(f"{name} is {value!r}, but there are {shown}")
        return value

    return validate(name)(check)
