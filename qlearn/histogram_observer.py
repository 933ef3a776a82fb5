"""The observer that keeps a histogram, and gives up outliers where that lowers the error."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate, islice, repeat

import torch
from jaxtyping import Float32
from torch import Tensor

from qlearn.codes import check_float32
from qlearn.extremes import extremes
from qlearn.observers import MinMaxObserver
from qlearn.qparams import QParams

# How far the search moves along the distribution at each step, as a share of all values.
STEP = 1e-5

# Into how many parts a bin is cut when it is moved to a histogram of wider bins.
PARTS = 16


class HistogramObserver(MinMaxObserver):
    """Remember a histogram of all values, and choose the range that makes the error least.

    Each batch is counted into ``bins`` equal bins from the smallest to the largest value so far;
    where a batch reaches further, the old counts move to the wider bins. ``qparams`` then gives
    up bins at the ends, those that hold the fewest values first, as long as the expected squared
    error falls. Infinities are dropped.

    Args:
        bins: how many bins; 2048 by default.
        **options: those of :class:`MinMaxObserver`. The search takes the range of codes to be the
            whole dtype's, whatever reduce_range or quant_max say, as torch's does.

    Attributes:
        histogram: the counts so far, float32 of shape (bins,); None before the first batch.

    Raises:
        TypeError: ``bins`` is not an integer; called with anything but a float32 tensor.
        ValueError: ``bins`` is below 1; called with NaN.

    Source: ``torch.ao.quantization.observer.HistogramObserver``, in every bit.

    >>> x = torch.randn(10_000, generator=torch.Generator().manual_seed(0))
    >>> observer, all_of_it = HistogramObserver(), MinMaxObserver()
    >>> _ = observer(x), all_of_it(x)
    >>> bool(observer.qparams().scale < all_of_it.qparams().scale)
    True
    """

    def __init__(self, *, bins: int = 2048, **options: object) -> None:
        """Check the number of bins."""
        super().__init__(**options)  # type: ignore[arg-type]
        if isinstance(bins, bool) or not isinstance(bins, int):
            raise TypeError(f"bins is {bins!r}, but it counts bins: pass an int")
        if bins < 1:
            raise ValueError(f"bins is {bins}, but a histogram has at least 1")
        self.bins = bins
        self.histogram: Float32[Tensor, " bins"] | None = None

    def __call__(self, x: Float32[Tensor, "*shape"]) -> Float32[Tensor, "*shape"]:
        """Count the values of ``x`` and return it."""
        check_float32(x)
        values = _without_infinities(x.detach())
        if values.numel():
            low, high = self._update(*extremes(values, None))
            counts = torch.histc(values, self.bins, min=low.item(), max=high.item())
            if self.histogram is not None:
                counts = self._moved(self.histogram, low, high) + counts
            self.min_val, self.max_val, self.histogram = low, high, counts
        return x

    def qparams(self) -> QParams:
        """Return the qparams for the best range, by the rule of all observers.

        Raises:
            ValueError: nothing has been observed yet.
        """
        if self.min_val is None or self.max_val is None or self.histogram is None:
            return super().qparams()  # which says that nothing has been observed
        first, last = self._best_bins()
        width = (self.max_val - self.min_val) / self.bins
        return self._choose(self.min_val + width * first, self.min_val + width * (last + 1), None)

    def _moved(self, counts: Tensor, low: Tensor, high: Tensor) -> Tensor:
        """Return the old counts in the bins of the new range."""
        assert self.min_val is not None and self.max_val is not None
        if low == self.min_val and high == self.max_val:
            return counts
        if self.min_val == self.max_val:  # all of them in the bin of the one value
            one = torch.histc(self.min_val, self.bins, min=low.item(), max=high.item())
            return one * counts.sum()
        parts = counts.repeat_interleave(PARTS) / PARTS
        edges = torch.linspace(self.min_val, self.max_val, self.bins * PARTS + 1)
        width = (self.max_val - self.min_val) / (self.bins * PARTS)
        new_edges = torch.linspace(low, high, self.bins + 1)
        places = torch.bucketize(edges[:-1] + 0.5 * width, new_edges, right=True) - 1
        places = places.clamp(0, self.bins - 1)
        return torch.bincount(places, weights=parts, minlength=self.bins)

    def _best_bins(self) -> tuple[int, int]:
        """Return the first and the last bin to keep: the search stops when the error rises."""
        assert self.histogram is not None
        best, least = (0, self.bins - 1), float("inf")
        for kept in _candidates(self.histogram):
            error = self._error(*kept)
            if error > least:
                break
            best, least = kept, error
        return best

    def _error(self, first: int, last: int) -> float:
        """Return the expected squared error if the codes cover the bins from first to last.

        Within a bin the values are taken to be spread evenly, at a density d. Between distances
        a and b from the middle of a code's step they contribute d·(b³ − a³)/3. A bin that spans
        several steps has three parts: to the end of the first step, whole steps, and the rest.
        """
        assert self.histogram is not None and self.min_val is not None and self.max_val is not None
        codes = 2 ** torch.iinfo(self.dtype).bits
        width = (self.max_val.item() - self.min_val.item()) / self.bins
        step = width * (last - first + 1) / codes
        if step == 0.0:
            return 0.0
        half = torch.tensor(step / 2)
        begin = (torch.arange(self.bins) - first) * width
        end = begin + width
        code_of_begin = torch.div(begin, step, rounding_mode="floor").clamp(0, codes - 1)
        code_of_end = torch.div(end, step, rounding_mode="floor").clamp(0, codes - 1)
        from_middle = begin - (code_of_begin + 0.5) * step
        to_middle = end - (code_of_end * step + step / 2)
        density = self.histogram / width
        error = _spread(from_middle, half, density)
        error += (code_of_end - code_of_begin - 1) * _spread(-half, half, density)
        error += _spread(-half, to_middle, density)
        return error.sum().item()


def _without_infinities(x: Tensor) -> Tensor:
    """Drop infinities; where there are none, as almost always, nothing is copied."""
    if x.numel() == 0 or not any(torch.isinf(end) for end in torch.aminmax(x)):
        return x
    return x[~torch.isinf(x)]


def _spread(a: Tensor, b: Tensor, density: Tensor) -> Tensor:
    """Return density · ∫ t² dt from a to b."""
    return density * ((b * b * b - a * a * a) / 3)


def _candidates(histogram: Float32[Tensor, " bins"]) -> Iterator[tuple[int, int]]:
    """Yield ever narrower ranges of bins, first and last, until they meet.

    At each step one end may give up a share STEP of all values: the end that thereby gets rid
    of more bins.
    """
    cumulated, total = histogram.cumsum(0), histogram.sum().item()
    low_bins = _bins_of_shares(cumulated, total, 0.0, STEP)
    high_bins = _bins_of_shares(cumulated, total, 1.0, -STEP)
    first, last = 0, histogram.numel() - 1
    below, above = 0.0, 1.0
    next_below, low_bin = next(low_bins)
    next_above, high_bin = next(high_bins)
    while below < above:
        low = min(max(low_bin, first), last)
        high = max(min(high_bin, last), first)
        if low - first > last - high:
            kept = (low, last)
            below, (next_below, low_bin) = next_below, next(low_bins)
        else:
            kept = (first, high)
            above, (next_above, high_bin) = next_above, next(high_bins)
        if kept != (first, last):
            first, last = kept
            yield kept


def _bins_of_shares(
    cumulated: Float32[Tensor, " bins"], total: float, start: float, step: float
) -> Iterator[tuple[float, int]]:
    """Yield start + step, start + 2·step and so on, each with the bin in which that share ends.

    A few hundred are looked up at once, in float32, as the cumulated counts are.
    """
    shares = accumulate(repeat(step), initial=start)
    next(shares)
    while block := list(islice(shares, 512)):
        sought = (torch.tensor(block, dtype=torch.float64) * total).to(torch.float32)
        if step > 0:
            bins = torch.searchsorted(cumulated, sought)
        else:
            bins = torch.searchsorted(cumulated, sought, right=True) - 1
        yield from zip(block, bins.tolist(), strict=True)
