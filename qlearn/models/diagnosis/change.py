"""Whether what a model adds to its input is lost, though its outputs are near."""

from __future__ import annotations

import math
from collections.abc import Iterator

from torch import Tensor
from torch.utils import _pytree as pytree

from qlearn.models.diagnosis import symptoms
from qlearn.models.diagnosis.case import Case
from qlearn.models.diagnosis.finding import Finding, whole
from qlearn.models.diagnosis.roundings import LOST
from qlearn.numbers.metrics import sqnr

SMALL = 20.0  # dB below the input: such a change is a tenth of its size at most


def lost_change(case: Case) -> Iterator[Finding]:
    """Find outputs that are an input and a small change, and lack most of that change."""
    given = [x for x in pytree.tree_leaves(case.inputs) if isinstance(x, Tensor)]
    for good, ours in case.pairs:
        for x in given:
            if x.shape == good.shape and x.is_floating_point() and _is_small(good, x.double()):
                left = sqnr(good - x.double(), ours - x.double())
                if left < LOST:
                    yield Finding(
                        symptoms.SMALL,
                        "The outputs are an input and a small change. Of that change "
                        f"{whole(left)} dB are left, and of the whole "
                        f"{whole(sqnr(good, ours))}: is the input rounded before it is added?",
                    )
                    return


def _is_small(good: Tensor, x: Tensor) -> bool:
    """Say whether an output is its input but for a small change."""
    change, power = (good - x).square().sum().item(), x.square().sum().item()
    return 0 < change < power * 10 ** (-SMALL / 10) and math.isfinite(power)
