"""The observer that keeps a histogram, and drops outliers where that lowers the error."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import Unpack

import numpy as np
import torch
from jaxtyping import Float32
from torch import Tensor

from qlearn.calibration.histogram import moved_counts
from qlearn.calibration.observers import MinMaxObserver, ObserverOptions
from qlearn.checks import check_float32, check_integer
from qlearn.numbers.extremes import extremes
from qlearn.numbers.qparams import QParams

# float32 counts no further, and neither does it number more bins; so many take 64 MiB.
MOST_BINS = 2**24

# How far the search moves along the distribution at each step, as a share of all values.
STEP = 1e-5


class HistogramObserver(MinMaxObserver):
    """Remember a histogram of all values, and choose the range that makes the error least.

    Each batch is counted into ``bins`` equal bins from the smallest to the largest value so far;
    where a batch reaches further, the old counts move to the wider bins. ``qparams`` then drops
    bins at the ends, those that hold the fewest values first, until the expected squared error
    rises. The first step is always taken. Infinities are dropped.

    Args:
        bins: how many bins; 2048 by default.
        **options: those of :class:`MinMaxObserver`. The search takes the range of codes to be the
            whole dtype's, whatever reduce_range or quant_max say, as torch's does.

    Attributes:
        histogram: the counts so far, float32 of shape (bins,); None before the first batch.

    Raises:
        TypeError: ``bins`` is not an integer; called with anything but a float32 tensor.
        ValueError: ``bins`` is outside 1 … 2^24; called with NaN.

    Source: ``torch.ao.quantization.observer.HistogramObserver``, in every bit, but for affine zero
    points in int32: see :func:`qlearn.choose_qparams`.

    >>> x = torch.randn(10_000, generator=torch.Generator().manual_seed(0))
    >>> observer, all_of_it = HistogramObserver(), MinMaxObserver()
    >>> _ = observer(x), all_of_it(x)
    >>> bool(observer.qparams().scale < all_of_it.qparams().scale)
    True
    """

    def __init__(self, *, bins: int = 2048, **options: Unpack[ObserverOptions]) -> None:
        """Check the number of bins."""
        super().__init__(**options)
        check_integer(bins, "bins", 1, MOST_BINS)
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
        counts = torch.histc(values, self.bins, min=low.item(), max=high.item())
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
            ValueError: nothing has been observed yet, or a range that float32 cannot express.
        """
        if self.min_val is None or self.max_val is None:
            raise ValueError(
                "the observer has seen no values, so it has no range: call it with a batch first"
            )
        if not (self.max_val - self.min_val).isfinite():
            raise ValueError(
                f"the range {self.min_val.item():g}..{self.max_val.item():g} is wider than float32 "
                "can express: scale the values down before they are observed"
            )
        first, last = self._best_bins()
        width = (self.max_val - self.min_val) / self.bins
        return self.min_val + width * first, self.min_val + width * (last + 1)

    def _best_bins(self) -> tuple[int, int]:
        """Return the first and the last bin to keep: the search stops when the error rises."""
        assert self.histogram is not None
        best, least = (0, self.bins - 1), math.inf
        for first, last in _candidates(self.histogram):
            error = self._error(first, last)
            if error > least:
                break
            best, least = (first, last), error
        return best

    def _error(self, first: int, last: int) -> float:
        """Return the expected squared error if the bins from first to last are kept.

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
        begin = (torch.arange(self.bins, dtype=torch.float32) - first) * width
        end = begin + width
        code_of_begin = torch.div(begin, step, rounding_mode="floor").clamp(0, codes - 1)
        code_of_end = torch.div(end, step, rounding_mode="floor").clamp(0, codes - 1)
        from_middle = begin - (code_of_begin + 0.5) * step
        to_middle = end - (code_of_end * step + step / 2)
        half = torch.tensor(step / 2, dtype=torch.float32)
        density = self.histogram / width
        error = _spread(from_middle, half, density)
        error += (code_of_end - code_of_begin - 1) * _spread(-half, half, density)
        error += _spread(-half, to_middle, density)
        return error.sum().item()


def _spread(a: Tensor, b: Tensor, density: Tensor) -> Tensor:
    """Return density · ∫ t² dt from a to b."""
    return density * ((b * b * b - a * a * a) / 3)


def _candidates(histogram: Float32[Tensor, " bins"]) -> Iterator[tuple[int, int]]:
    """Yield ever narrower ranges of bins, first and last, until they meet.

    At each step one end may drop a share STEP of all values: the end that thereby drops more
    bins.
    """
    total, cumulated = histogram.sum().item(), histogram.cumsum(0).tolist()
    first, last = 0, histogram.numel() - 1
    below, above = 0.0, 1.0
    while below < above:
        next_below, next_above = below + STEP, above - STEP
        low = bisect_left(cumulated, _float32(next_below * total), first, last)
        high = bisect_right(cumulated, _float32(next_above * total), first + 1, last + 1) - 1
        if low - first > last - high:
            kept, below = (low, last), next_below
        else:
            kept, above = (first, high), next_above
        if kept != (first, last):
            first, last = kept
            yield kept


def _float32(value: float) -> float:
    return float(np.float32(value))  # a fifth of a tensor's time, of which a search takes 200,000
