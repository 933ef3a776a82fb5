"""An observer that leaves out the tails: a share of the values, half of it at each end."""

from __future__ import annotations

from typing import Unpack

from jaxtyping import Float32
from torch import Tensor

from qlearn.calibration.observers import MinMaxObserver, ObserverOptions
from qlearn.checks import check_float32, check_number
from qlearn.numbers.extremes import extremes


class PercentileObserver(MinMaxObserver):
    """Remember the range of all but a share of the values, half of the share at each end.

    Of each batch of n values the ``d = ⌊share/2 · n⌋`` smallest and the d largest are left out,
    d computed in float64; the range widens to hold the rest of every batch, as that of
    :class:`MinMaxObserver`. The two ends are values of the batches, with nothing between them
    interpolated.

    Args:
        share: of the values of a batch, at least 0 and below 1; 0 leaves none out.
        **options: those of :class:`MinMaxObserver`.

    Raises:
        TypeError: the share is no number; otherwise as MinMaxObserver.
        ValueError: the share lies outside that range; otherwise as MinMaxObserver, so that an
            infinity is refused and not left out.

    Source: McKinstry et al., arXiv 1809.04191, with 99.9 %, and Wu et al., arXiv 2004.09602,
    section 4.2. Their programs, and ONNX Runtime's, read the percentile off a histogram of ``|x|``
    or of x; here the values are sorted.

    >>> import torch
    >>> observer = PercentileObserver(share=0.5)
    >>> _ = observer(torch.arange(9.0))
    >>> observer.max_val
    tensor(6.)
    """

    def __init__(self, share: float = 0.001, **options: Unpack[ObserverOptions]) -> None:
        """Check the share."""
        super().__init__(**options)
        check_number(share, "share")
        if not 0 <= share < 1:
            raise ValueError(
                f"share is {share}, but must be at least 0 and below 1: it is the share of the "
                "values that is left out, 0.001 for one in a thousand"
            )
        self.share = share

    def __call__(self, x: Float32[Tensor, "*shape"]) -> Float32[Tensor, "*shape"]:
        """Observe ``x`` without its tails, and return it."""
        check_float32(x)
        if x.numel():
            extremes(x, None)  # which refuses infinities and NaN
            ordered = x.detach().flatten().sort().values
            dropped = int(self.share / 2 * len(ordered))
            super().__call__(ordered[dropped : len(ordered) - dropped])
        return x
