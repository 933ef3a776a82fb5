"""Which trial is taken, and the reason that is given."""

import math

import pytest

from qlearn.course.own_model import Trial, Trials, advice

FLOAT = Trial("float32", 0, 100_000, 100_000, math.inf, 90)
FIRST = Trial("first", 3, 30_000, 30_000, 46.0, 90)
SECOND = Trial("second", 3, 29_000, 29_000, 41.0, 90)
SMALL = Trial("small", 3, 15_000, 15_000, 12.0, 88)
LARGE = Trial("large", 1, 95_000, 95_000, 50.0, 90)
STOPPED = Trial("stopped", 0, 0, 0, -math.inf, math.nan, "it takes no layer")


@pytest.mark.parametrize(
    ("rows", "may_lose", "method", "said"),
    [
        ([FIRST, SECOND, SMALL], 1, "first", "30 kB and not 100"),
        ([FIRST, SMALL], 2, "small", "So few decibels are a warning"),
        ([SMALL], 1, "float32", "small comes nearest with 88, where float has 90"),
        ([LARGE], 1, "float32", "still has 95 of 100 kB"),
        ([STOPPED], 1, "float32", "No method took a layer"),
        ([STOPPED, SECOND], 0, "second", "41 dB"),
        ([], 0, "float32", "No method took a layer"),
    ],
)
def test_the_smallest_file_that_keeps_the_metric_is_taken(rows, may_lose, method, said):
    told = advice(Trials([FLOAT, *rows]), may_lose)
    assert told.method == method
    assert said in told.reason


@pytest.mark.parametrize("may_lose", [-1, math.nan])
def test_a_loss_below_zero_is_none(may_lose):
    with pytest.raises(ValueError, match="may_lose is"):
        advice(Trials([FLOAT]), may_lose)
