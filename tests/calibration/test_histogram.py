"""Moved counts against those of torch's observer, in every bit."""

import math

import pytest
import torch
from torch.ao.quantization.observer import HistogramObserver as TorchsObserver

from qlearn.calibration.histogram import moved_counts
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
@pytest.mark.parametrize(("down", "up"), [(0.0, 0.3), (1e-7, 1e-4), (0.01, 0.0), (3.0, 500.0)])
def test_moved_counts_are_torchs(seed, down, up):
    bins, x, low, high = drawn(seed)
    counts = torch.histc(x, bins, min=low.item(), max=high.item()) / 3  # no whole numbers
    new = (low - down * (high - low), high + up * (high - low))
    if not all(end.isfinite() for end in new) or new == (low, high):
        return
    expected = TorchsObserver(bins=bins)._upscale_histogram(counts, low, high, *new)
    assert same_bits(moved_counts(counts, (low, high), new), expected)


def test_a_range_that_stays_moves_nothing():
    counts, ends = torch.tensor([1.0, 2.0]), (torch.tensor(0.0), torch.tensor(1.0))
    assert moved_counts(counts, ends, (ends[0].clone(), ends[1].clone())) is counts


def test_one_value_moves_whole():
    one, new = torch.tensor(1.0), (torch.tensor(0.0), torch.tensor(4.0))
    assert moved_counts(torch.tensor([0.0, 5.0]), (one, one), new).tolist() == [5.0, 0.0]
