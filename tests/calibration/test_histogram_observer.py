"""HistogramObserver: what it gives up and refuses; proofs/observers.py has torch's."""

import math

import pytest
import torch
from torch.ao.quantization import observer as torch_observers

from qlearn import HistogramObserver, MinMaxObserver
from tests.bits import same_bits


def test_it_gives_up_little_at_eight_bits():
    """The squared error of what is clipped weighs so much that hardly an end is given up."""
    x = torch.randn(10_000, generator=torch.Generator().manual_seed(0))
    histogram, all_of_it = HistogramObserver(), MinMaxObserver()
    histogram(x), all_of_it(x)
    ratio = histogram.qparams().scale / all_of_it.qparams().scale
    assert 0.99 < ratio < 1.0


def test_a_refused_batch_leaves_the_state_whole():
    observer = HistogramObserver(bins=16)
    observer(torch.linspace(-1, 1, 100))
    before, qparams = observer.histogram.clone(), observer.qparams()
    with pytest.raises(ValueError, match="infinite or NaN"):
        observer(torch.tensor([5.0, math.nan]))
    with pytest.raises(TypeError, match="float64"):
        observer(torch.zeros(2, dtype=torch.float64))
    assert same_bits(observer.histogram, before) and observer.qparams() == qparams


@pytest.mark.parametrize(
    ("bins", "error", "message"),
    [
        (0, ValueError, "from 1 to 16777216, not 0"),
        (2**70, ValueError, f"from 1 to 16777216, not {2**70}"),
        (2.0, TypeError, "bins must .* not 2.0"),
    ],
)
def test_bad_bins(bins, error, message):
    with pytest.raises(error, match=message):
        HistogramObserver(bins=bins)


def test_nothing_seen_is_no_range():
    observer = HistogramObserver()
    observer(torch.tensor([math.inf]))
    for ask in (observer.qparams, observer.best_range):
        with pytest.raises(ValueError, match="seen no values"):
            ask()


def test_the_first_step_of_the_search_is_free():
    """An outlier that is a hundred-thousandth of all values goes, whatever that costs."""
    for n, kept in [(90_000, True), (110_000, False)]:
        x = torch.randn(n, generator=torch.Generator().manual_seed(0))
        x[0] = 100.0
        ours, torchs = HistogramObserver(), torch_observers.HistogramObserver()
        ours(x), torchs(x)
        _, high = ours.best_range()
        assert (high > 99) == kept
        assert high == torchs._non_linear_param_search()[1]


def test_a_range_beyond_float32_is_named():
    observer = HistogramObserver()
    observer(torch.tensor([-3e38, 3e38, 1.0]))
    with pytest.raises(ValueError, match=r"-3e\+38..3e\+38 is wider than float32"):
        observer.qparams()
