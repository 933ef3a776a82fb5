"""A quiet call: the result comes back, the warnings do not, and the filters stay."""

import warnings

import pytest

from qlearn.course import quietly


def warns(x, *, factor=1):
    warnings.warn("going away", DeprecationWarning, stacklevel=2)
    return x * factor


def test_the_result_comes_back_without_a_warning(recwarn):
    assert quietly(warns, 3, factor=2) == 6
    assert not recwarn


def test_only_the_call_is_quiet():
    before = list(warnings.filters)
    quietly(warns, 3)
    assert warnings.filters == before
    with pytest.warns(DeprecationWarning, match="going away"):
        warns(3)
