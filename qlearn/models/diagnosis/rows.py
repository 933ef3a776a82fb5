"""Whether only some rows of a batch are wrong, and what those have in common."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor
from torch.utils import _pytree as pytree

from qlearn.models.diagnosis import symptoms
from qlearn.models.diagnosis.case import Case
from qlearn.models.diagnosis.finding import Finding, whole
from qlearn.models.diagnosis.roundings import RIGHT

FEWEST = 8  # rows
APART = 15.0  # dB between the rows that are wrong and those that are right
SHORT, APART_IF_SHORT = 4, 30.0  # numbers of a row: of one, errors by chance lie 19 dB apart


def some_rows(case: Case) -> Iterator[Finding]:
    """Find batches of which a part is right, and another is not."""
    if case.sqnr is None or case.sqnr >= RIGHT or case.rows(0, 1) is None:
        return
    good, ours = case.pairs[0]
    if good.ndim < 2 or len(good) < FEWEST:
        return
    decibels = _by_row(good, ours)
    wrong, right = torch.quantile(decibels, torch.tensor([0.25, 0.9], dtype=decibels.dtype))
    apart = APART if good[0].numel() >= SHORT else APART_IF_SHORT
    if right > RIGHT and right - wrong > apart:
        yield Finding(
            symptoms.WORSE,
            f"Only some rows are wrong: a quarter has {whole(wrong.item())} dB or less, a tenth "
            f"{whole(right.item())} or more.{_zeros(case, decibels <= wrong, decibels >= right)}",
        )


def _by_row(good: Tensor, ours: Tensor) -> Tensor:
    """Return the SQNR of each row in dB, 100 at most, and of small ones as of the median row."""
    power, noise = (x.square().flatten(1).sum(1) for x in (good, good - ours))
    power = power.maximum(power.median())
    return (10 * torch.log10(power / noise)).nan_to_num(0.0).clamp(-100, 100)


def _zeros(case: Case, wrong: Tensor, right: Tensor) -> str:
    """Say whether the inputs of the wrong rows have more zeros, as padded ones do."""
    for x in pytree.tree_leaves(case.inputs):
        if isinstance(x, Tensor) and x.ndim > 1 and len(x) == len(wrong):
            zeros = (x == 0).flatten(1).double().mean(1)
            if zeros[wrong].min() > zeros[right].max():
                return " The wrong ones have more zeros in their inputs, as padding has."
    return ""
