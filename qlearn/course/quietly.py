"""A call without the warnings that a chapter has explained already."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import ParamSpec, TypeVar

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


def quietly(
    function: Callable[Arguments, Result], *args: Arguments.args, **options: Arguments.kwargs
) -> Result:
    """Return ``function(*args, **options)``, called without showing its warnings.

    >>> quietly(warnings.warn, "torch.ao will be removed")
    """
    with warnings.catch_warnings(action="ignore"):
        return function(*args, **options)
