"""HistogramObserver against torch's, histogram and qparams in every bit, on streams of batches."""

import math
import warnings

import pytest
import torch
from torch.ao.quantization import observer as torch_observers

from qlearn import HistogramObserver, MinMaxObserver
from tests.hard_values import random_code, same_bits

KINDS = {
    "uint8-affine": ({"dtype": torch.uint8}, torch.per_tensor_affine),
    "int8-symmetric": ({"dtype": torch.int8, "symmetric": True}, torch.per_tensor_symmetric),
    "reduced": ({"dtype": torch.uint8, "reduce_range": True}, torch.per_tensor_affine),
    "own-range": (
        {"dtype": torch.int8, "quant_min": -8, "quant_max": 7},
        torch.per_tensor_affine,
    ),
}


def torch_twin(bins, options, qscheme):
    rest = {name: value for name, value in options.items() if name != "symmetric"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # reduce_range warns that it will go
        return torch_observers.HistogramObserver(bins=bins, qscheme=qscheme, **rest)


def stream(seed):
    """Yield batches: growing and shrinking, one-sided, constant, outliers, infinities, empty."""
    generator = torch.Generator().manual_seed(seed)
    for _ in range(random_code(1, 4, generator)):
        n = random_code(1, 3000, generator)
        x = torch.randn(n, generator=generator) * 10.0 ** random_code(-3, 2, generator)
        kind = random_code(0, 5, generator)
        if kind == 0:
            x = x.abs()
        elif kind == 1:
            x = torch.full((4,), x[0].item())
        elif kind == 2:
            x[0] *= 100
        elif kind == 3:
            x[: 1 + n // 2] = math.inf if seed % 2 else -math.inf
        yield x.reshape(-1, 1)
    yield torch.zeros(0)


@pytest.mark.filterwarnings("ignore:torch.inf detected:UserWarning")
@pytest.mark.parametrize("bins", [2048, 64, 7])
@pytest.mark.parametrize("kind", KINDS)
def test_equals_torchs_after_every_batch(kind, bins):
    options, qscheme = KINDS[kind]
    for seed in range(8):
        ours, torchs = HistogramObserver(bins=bins, **options), torch_twin(bins, options, qscheme)
        for x in stream(seed):
            assert ours(x) is x
            torchs(x)
            if ours.histogram is None:  # nothing but infinities so far
                continue
            assert same_bits(ours.histogram, torchs.histogram), seed
            scale, zero_point = torchs.calculate_qparams()
            assert ours.qparams().scale == scale and ours.qparams().zero_point == zero_point, seed


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
    ("bins", "error", "message"), [(0, ValueError, "bins is 0"), (2.0, TypeError, "bins is 2.0")]
)
def test_bad_bins(bins, error, message):
    with pytest.raises(error, match=message):
        HistogramObserver(bins=bins)


def test_nothing_seen_is_no_range():
    observer = HistogramObserver()
    observer(torch.tensor([math.inf]))
    with pytest.raises(ValueError, match="seen no values"):
        observer.qparams()
