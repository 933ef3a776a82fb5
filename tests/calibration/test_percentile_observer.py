"""The observer without tails: what it leaves out and what it refuses; torch is in proofs/."""

import math

import numpy as np
import pytest
import torch

from qlearn import MinMaxObserver, PercentileObserver
from qlearn.course import normal


def test_the_percentile_drops_as_many_values_at_each_end():
    x = normal(1000, generator=torch.Generator().manual_seed(0))
    observer = PercentileObserver(share=0.02)
    assert observer(x) is x
    ordered = np.sort(x.numpy())
    assert (observer.min_val.item(), observer.max_val.item()) == (ordered[10], ordered[-11])


@pytest.mark.parametrize("share", [0, 0.0, 0.3, 0.999999])
def test_few_values_leave_at_least_one(share):
    for n in range(1, 9):
        x = torch.arange(float(n))
        observer = PercentileObserver(share=share)
        observer(x[torch.randperm(n, generator=torch.Generator().manual_seed(0))])
        dropped = int(share / 2 * n)
        assert (observer.min_val, observer.max_val) == (x[dropped], x[n - 1 - dropped])


def test_without_a_share_it_is_the_observer_of_all_values():
    x = normal(50, generator=torch.Generator().manual_seed(1)).requires_grad_()
    options = {"dtype": torch.int8, "symmetric": True}
    ours, all_values = PercentileObserver(share=0, **options), MinMaxObserver(**options)
    ours(x), all_values(x)
    assert ours.qparams() == all_values.qparams()


def test_an_infinity_is_refused_though_it_would_be_left_out():
    observer = PercentileObserver(share=0.5)
    observer(torch.arange(4.0))
    before = observer.qparams()
    for bad in (math.nan, math.inf, -math.inf):
        with pytest.raises(ValueError, match="1 values that are infinite or NaN"):
            observer(torch.tensor([9.0, 8.0, bad, 7.0]))
    with pytest.raises(TypeError, match="float64"):
        observer(torch.zeros(2, dtype=torch.float64))
    observer(torch.zeros(0))
    assert observer.qparams() == before


@pytest.mark.parametrize("share", [-0.1, 1, 1.5, math.nan])
def test_a_share_outside_is_refused(share):
    with pytest.raises(ValueError, match=f"share is {share}, but must be at least 0 and below 1"):
        PercentileObserver(share=share)


def test_a_share_is_a_number():
    with pytest.raises(TypeError, match="share must be an int or a float, not '1 %'"):
        PercentileObserver(share="1 %")
