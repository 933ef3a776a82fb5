"""Numbers in print: what holds everywhere is printed, what may not is refused."""

import pytest

from qlearn.course.steady import steady


@pytest.mark.parametrize(
    ("value", "spec", "text"),
    [(27.8549, ".1f", "27.9"), (-0.1234, ".1%", "-12.3%"), (0.0, ".3f", "0.000")],
)
def test_far_from_a_boundary_it_is_format(value, spec, text):
    assert steady(value, spec) == text


def test_close_to_a_boundary_it_says_what_could_be_read():
    with pytest.raises(ValueError, match=r"reads 42.5 or 42.6: print fewer digits or a bound"):
        steady(42.55018, ".1f")
    assert steady(42.55018, ".1f", margin=1e-6) == "42.6"


def test_a_negative_margin_is_refused():
    with pytest.raises(ValueError, match="margin is -1"):
        steady(1.0, ".1f", margin=-1)
