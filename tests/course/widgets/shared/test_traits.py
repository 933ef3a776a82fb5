"""Traits that take what a page can show, and nothing else."""

from __future__ import annotations

import math

import pytest
from traitlets import HasTraits, TraitError

from qlearn.course.widgets.shared.traits import Number


class Layer(HasTraits):
    bias = Number(0.5, min=-1, max=2)


def test_a_number_becomes_a_float() -> None:
    assert (Layer().bias, Layer(bias=-1).bias, Layer(bias=2.0).bias) == (0.5, -1.0, 2.0)
    assert type(Layer(bias=1).bias) is float


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (math.nan, "expected a float, not the float nan"),
        (2.5, "should not be greater than 2, but a value of 2.5"),
        (-math.inf, "should not be less than -1, but a value of -inf"),
        ("1", "expected a float, not the str '1'"),
    ],
)
def test_what_is_no_number_within_the_bounds_is_refused(value: object, message: str) -> None:
    with pytest.raises(TraitError, match=message):
        Layer(bias=value)
