"""What every widget does with a setting that it cannot have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from anywidget import AnyWidget
from traitlets import TraitError


def assert_refused(
    make: Callable[..., AnyWidget],
    name: str,
    value: Any,
    message: str,
    error: type[Exception] = TraitError,
) -> None:
    """Assert that a widget refuses a value, then stays as it was, and none starts with it."""
    widget = make()
    before = repr(widget)
    with pytest.raises(error, match=message):
        setattr(widget, name, value)
    assert repr(widget) == before, f"it was {before}"
    with pytest.raises(error, match=message):
        make(**{name: value})
