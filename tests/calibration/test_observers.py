"""The observers: what they refuse and what they keep; proofs/observers.py has torch's."""

import math

import pytest
import torch
from torch.ao.quantization import MovingAverageMinMaxObserver

import qlearn

KINDS = {
    "MinMaxObserver": {},
    "MovingAverageMinMaxObserver": {"averaging_constant": 0.013},
    "PerChannelMinMaxObserver": {"axis": 1},
    "MovingAveragePerChannelMinMaxObserver": {"axis": 1, "averaging_constant": 0.3},
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_refused_batch_leaves_the_state_whole(kind):
    observer = getattr(qlearn, kind)(**KINDS[kind])
    observer(torch.tensor([[-1.0, 2.0], [0.5, 3.0]]))
    before = observer.qparams()
    for bad in (math.nan, math.inf, -math.inf):
        with pytest.raises(ValueError, match="1 values that are infinite or NaN"):
            observer(torch.tensor([[9.0, bad], [0.0, 9.0]]))
    with pytest.raises(TypeError, match="float64"):
        observer(torch.zeros(2, 2, dtype=torch.float64))
    if observer.axis is not None:
        with pytest.raises(ValueError, match=r"3 channels .* has seen 2"):
            observer(torch.ones(2, 3))
        with pytest.raises(ValueError, match="axis 1 does not exist"):
            observer(torch.ones(2))
    assert observer.qparams() == before


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_seen_is_no_range(kind):
    observer = getattr(qlearn, kind)(**KINDS[kind])
    observer(torch.zeros(0, 3))
    with pytest.raises(ValueError, match="seen no values"):
        observer.qparams()


def test_the_batch_is_not_kept():
    """A later change of the batch must not change what was observed."""
    observer = qlearn.PerChannelMinMaxObserver()
    x = torch.tensor([[1.0], [2.0]])
    observer(x)
    x.zero_()
    assert observer.max_val.tolist() == [1.0, 2.0]


@pytest.mark.parametrize("constant", [0.0, -0.1, 1.1, math.nan, "x"])
def test_bad_averaging_constants(constant):
    with pytest.raises(ValueError, match="averaging_constant is"):
        qlearn.MovingAverageMinMaxObserver(averaging_constant=constant)


def test_bad_options_are_refused_when_the_observer_is_made():
    with pytest.raises(ValueError, match="both or neither"):
        qlearn.MinMaxObserver(quant_min=0)
    with pytest.raises(ValueError, match="zero point 128"):
        qlearn.MinMaxObserver(symmetric=True, reduce_range=True)
    with pytest.raises(TypeError, match="axis must be an integer, not 'x'"):
        qlearn.PerChannelMinMaxObserver(axis="x")


def test_an_average_whose_minimum_was_rounded_above_its_maximum():
    """Torch stops there; the range is widened to 0 in any case, so qparams exist."""
    options = {"averaging_constant": 1.0}
    ours, torchs = (
        qlearn.MovingAverageMinMaxObserver(**options),
        MovingAverageMinMaxObserver(**options),
    )
    for x in (torch.tensor([1.0, 1e8]), torch.tensor([3.1, 3.1])):
        ours(x), torchs(x)
    assert ours.min_val > ours.max_val
    with pytest.raises(AssertionError):
        torchs.calculate_qparams()
    assert ours.qparams() == qlearn.choose_qparams(0.0, ours.min_val, dtype=torch.uint8)
