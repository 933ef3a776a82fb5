"""Counts and moved counts against torch.histc and the plain way of moving, in every bit."""

import math

import pytest
import torch
from torch.ao.quantization.observer import HistogramObserver as TorchsObserver

from qlearn.calibration.histogram import _begins, _places, _wide, bin_counts, moved_counts
from tests.bits import same_bits


def drawn(seed):
    """Return bins, values and their extremes: few bins and many, offsets, tiny and huge numbers."""
    generator = torch.Generator().manual_seed(seed)
    bins = [2048, 256, 100, 31, 7, 2, 1][seed % 7]
    offset = [0.0, 0.0, 3.0, -1e3, 1e6][seed % 5]
    magnitude = 10.0 ** [0, -3, 4, -37, -42, 30, 36, 38][seed % 8]
    x = (torch.randn(2000, generator=generator) + (offset if magnitude < 1e20 else 0)) * magnitude
    x = x[x.isfinite()]  # of magnitude 1e38, ranges are wider than float32 can express
    low, high = torch.aminmax(x)
    edges = torch.linspace(low, high, bins + 1)
    ends = (torch.full_like(edges, math.inf), torch.full_like(edges, -math.inf))
    x = torch.cat([x, edges, *(torch.nextafter(edges, end) for end in ends)])
    return bins, x[(x >= low) & (x <= high)], low, high


@pytest.mark.parametrize("seed", range(56))
def test_counts_are_those_of_histc(seed):
    bins, x, low, high = drawn(seed)
    expected = torch.histc(x, bins, min=low.item(), max=high.item())
    assert same_bits(bin_counts(x, bins, low, high), expected)


def test_counts_of_one_value_and_of_many_bins():
    three = torch.tensor(3.0)
    assert bin_counts(torch.full((5,), 3.0), 8, three, three).tolist() == [0, 0, 0, 0, 5, 0, 0, 0]
    x = torch.randn(1000, generator=torch.Generator().manual_seed(0))
    low, high = torch.aminmax(x)
    expected = torch.histc(x, 40_000, min=low.item(), max=high.item())
    assert same_bits(bin_counts(x, 40_000, low, high), expected)


@pytest.mark.parametrize("seed", range(56))
@pytest.mark.parametrize(("down", "up"), [(0.0, 0.3), (1e-7, 1e-4), (0.01, 0.0), (3.0, 500.0)])
def test_moved_counts_are_torchs(seed, down, up):
    bins, x, low, high = drawn(seed)
    counts = torch.histc(x, bins, min=low.item(), max=high.item()) / 3  # no whole numbers
    new = (low - down * (high - low), high + up * (high - low))
    if not all(end.isfinite() for end in new) or new == (low, high):
        return
    expected = TorchsObserver(bins=bins)._upscale_histogram(counts, low, high, *new)
    assert same_bits(moved_counts(counts, (low, high), new), expected)


def test_both_ways_of_finding_places_agree_and_are_both_taken():
    taken = set()
    for seed in range(56):
        bins, _, low, high = drawn(seed)
        new = (low - 0.1 * (high - low), high + 0.2 * (high - low))
        width = (high - low) / (16 * bins)
        taken.add(_wide(width, (low, high), new))
        if _wide(width, (low, high), new):
            middles = torch.linspace(low, high, 16 * bins + 1)[:-1] + 0.5 * width
            edges = torch.linspace(*new, bins + 1)[1:-1]
            begins = _begins(middles, edges, low, width)
            places = torch.repeat_interleave(begins.diff())
            assert torch.equal(places, _places(middles, edges)), seed
    assert taken == {True, False}


def test_a_range_that_stays_moves_nothing():
    counts, ends = torch.tensor([1.0, 2.0]), (torch.tensor(0.0), torch.tensor(1.0))
    assert moved_counts(counts, ends, (ends[0].clone(), ends[1].clone())) is counts


def test_one_value_moves_whole():
    one, new = torch.tensor(1.0), (torch.tensor(0.0), torch.tensor(4.0))
    assert moved_counts(torch.tensor([0.0, 5.0]), (one, one), new).tolist() == [5.0, 0.0]
