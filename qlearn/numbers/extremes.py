"""The smallest and the largest value, of a tensor or of each of its channels."""

from __future__ import annotations

import torch
from jaxtyping import Float32
from torch import Tensor

from qlearn.checks import check_axis


def extremes(
    x: Float32[Tensor, "..."], axis: int | None
) -> tuple[Float32[Tensor, "*channels"], Float32[Tensor, "*channels"]]:
    """Return minimum and maximum, of shape () or, for slices along ``axis``, (C,).

    Raises:
        TypeError: ``axis`` is not an integer.
        ValueError: ``x`` is empty, lacks the axis, or holds infinities or NaN.

    >>> extremes(torch.tensor([[1.0, -2.0], [3.0, 4.0]]), axis=0)
    (tensor([-2.,  3.]), tensor([1., 4.]))
    """
    if axis is not None:
        check_axis(axis, x)
    if x.numel() == 0:
        raise ValueError(f"x has shape {tuple(x.shape)} and no values: a range needs at least one")
    x = x.detach()
    if axis is None:
        low, high = torch.aminmax(x)
    else:
        slices = x.movedim(axis, 0).flatten(1) if x.ndim > 1 else x.unsqueeze(1)
        low, high = torch.aminmax(slices, dim=1)
    # A single NaN or infinity shows in an extreme; only then is it worth counting them.
    if not (torch.isfinite(low).all() and torch.isfinite(high).all()):
        raise ValueError(
            f"x holds {int((~torch.isfinite(x)).sum())} values that are infinite or NaN, and a "
            "scale needs a finite range: replace them, or for one range of all leave them out, "
            "x[torch.isfinite(x)]"
        )
    return low, high
