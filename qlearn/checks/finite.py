"""Checks that numbers are finite, or are numbers at all; the first one that is not is named."""

from __future__ import annotations

from torch import Tensor


def check_finite(x: Tensor, *extremes: Tensor, name: str = "x", because: str = "") -> None:
    """Raise ValueError if ``x`` holds infinities or NaN; ``because`` says why, and the way out.

    They show in the extremes of its blocks: where these are at hand, x is read if they are not
    finite, and not before.

    >>> import torch
    >>> check_finite(torch.tensor([1.0, torch.nan]))
    Traceback (most recent call last):
    ValueError: x holds infinities or NaN, as at index (1,), and they have no code: replace them
    """
    if extremes and all(extreme.isfinite().all() for extreme in extremes):
        return
    bad = ~x.isfinite()
    if bad.any():
        raise ValueError(
            f"{name} holds infinities or NaN, as at index {first_index(bad)}, and "
            + (because or "they have no code: replace them")
        )


def check_no_nan(x: Tensor, name: str, because: str) -> None:
    """Raise ValueError if ``x`` holds NaN; ``because`` says why, and the way out.

    >>> import torch
    >>> check_no_nan(torch.tensor(torch.nan), "bias", "no code stands for it: replace it")
    Traceback (most recent call last):
    ValueError: bias holds NaN, as at index (), and no code stands for it: replace it
    """
    bad = x.isnan()
    if bad.any():
        raise ValueError(f"{name} holds NaN, as at index {first_index(bad)}, and {because}")


def first_index(marked: Tensor) -> tuple[int, ...]:
    """Return the index of the first True, in the order of rows.

    >>> import torch
    >>> first_index(torch.tensor([[False, False], [True, True]]))
    (1, 0)
    """
    return tuple(marked.nonzero()[0].tolist())
