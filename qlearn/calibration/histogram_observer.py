"""The observer that keeps a histogram, and gives up outliers where that lowers the error."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import accumulate, islice, repeat

import torch
from jaxtyping import Float32
from torch import Tensor

from qlearn.calibration.histogram import bin_counts, moved_counts
from qlearn.calibration.observers import MinMaxObserver
from qlearn.checks import check_float32
from qlearn.numbers.extremes import extremes
from qlearn.numbers.qparams import QParams

# How far the search moves along the distribution at each step, as a share of all values.
STEP = 1e-5

# How many of its candidates the search weighs at once; together they take little longer than one.
TOGETHER = 8


class HistogramObserver(MinMaxObserver):
    """Remember a histogram of all values, and choose the range that makes the error least.

    Each batch is counted into ``bins`` equal bins from the smallest to the largest value so far;
    where a batch reaches further, the old counts move to the wider bins. ``qparams`` then gives
    up bins at the ends, those that hold the fewest values first, until the expected squared error
    rises. The first step is compared with nothing and always taken. Infinities are dropped.

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
            raise ValueError(f"bins is {bins}: a histogram has at least 1; 2048 is usual")
        self.bins = bins
        self.histogram: Float32[Tensor, " bins"] | None = None

    def __call__(self, x: Float32[Tensor, "*shape"]) -> Float32[Tensor, "*shape"]:
        """Count the values of ``x`` and return it."""
        check_float32(x)
        if x.numel() == 0:
            return x
        values = x.detach()
        low, high = torch.aminmax(values)
        if not (math.isfinite(low.item()) and math.isfinite(high.item())):
            values = values.flatten()  # in one dimension, the index below takes less memory
            values = values[~torch.isinf(values)]
            if values.numel() == 0:
                return x
            low, high = extremes(values, None)  # which refuses NaN
        self._count(values, *self._update(low, high))
        return x

    def _count(self, values: Tensor, low: Tensor, high: Tensor) -> None:
        """Count the values into bins from low to high, and move the old counts there."""
        counts = bin_counts(values, self.bins, low, high)
        if self.histogram is not None:
            assert self.min_val is not None and self.max_val is not None
            old = (self.min_val, self.max_val)
            counts = moved_counts(self.histogram, old, (low, high)) + counts
        self.min_val, self.max_val, self.histogram = low, high, counts

    def qparams(self) -> QParams:
        """Return the qparams for the best range, by the rule of all observers.

        Raises:
            ValueError: nothing has been observed yet.
        """
        return self._choose(*self.best_range(), None)

    def best_range(self) -> tuple[Float32[Tensor, ""], Float32[Tensor, ""]]:
        """Return the ends of the range that the search chose, both on edges of bins.

        Raises:
            ValueError: nothing has been observed yet.
        """
        if self.min_val is None or self.max_val is None:
            raise ValueError(
                "the observer has seen no values, so it has no range: call it with a batch first"
            )
        first, last = self._best_bins()
        width = (self.max_val - self.min_val) / self.bins
        return self.min_val + width * first, self.min_val + width * (last + 1)

    def _best_bins(self) -> tuple[int, int]:
        """Return the first and the last bin to keep: the search stops when the error rises."""
        assert self.histogram is not None
        best, least = (0, self.bins - 1), math.inf
        candidates = _candidates(self.histogram)
        while block := list(islice(candidates, TOGETHER)):
            for kept, error in zip(block, self._errors(block), strict=True):
                if error > least:
                    return best
                best, least = kept, error
        return best

    def _errors(self, kept: list[tuple[int, int]]) -> list[float]:
        """Return the expected squared error for each pair of the first and the last bin to keep.

        Within a bin the values are taken to be spread evenly, at a density d. Between distances
        a and b from the middle of a code's step they contribute d·(b³ − a³)/3. A bin that spans
        several steps has three parts: to the end of the first step, whole steps, and the rest.
        """
        assert self.histogram is not None and self.min_val is not None and self.max_val is not None
        codes = 2 ** torch.iinfo(self.dtype).bits
        width = (self.max_val.item() - self.min_val.item()) / self.bins
        if width == 0.0:
            return [0.0] * len(kept)
        # One row for each pair. The steps are computed in float64, and used in float32.
        steps = torch.tensor(
            [[width * (last - first + 1) / codes] for first, last in kept], dtype=torch.float64
        )
        step, half = steps.to(torch.float32), (steps / 2).to(torch.float32)
        begin = (torch.arange(self.bins) - torch.tensor([[first] for first, _ in kept])) * width
        end = begin + width
        code_of_begin = torch.div(begin, step, rounding_mode="floor").clamp(0, codes - 1)
        code_of_end = torch.div(end, step, rounding_mode="floor").clamp(0, codes - 1)
        from_middle = begin - (code_of_begin + 0.5) * step
        to_middle = end - (code_of_end * step + half)
        density = self.histogram / width
        error = _spread(from_middle, half, density)
        error += (code_of_end - code_of_begin - 1) * _spread(-half, half, density)
        error += _spread(-half, to_middle, density)
        return [row.sum().item() for row in error]


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

    Many are looked up at once, in float32, as the cumulated counts are.
    """
    shares = accumulate(repeat(step), initial=start)
    next(shares)
    while block := list(islice(shares, 64)):
        sought = (torch.tensor(block, dtype=torch.float64) * total).to(torch.float32)
        if step > 0:
            bins = torch.searchsorted(cumulated, sought)
        else:
            bins = torch.searchsorted(cumulated, sought, right=True) - 1
        yield from zip(block, bins.tolist(), strict=True)
