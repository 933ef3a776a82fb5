"""Whether the outputs of a model are few numbers, since they were rounded at the end."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from qlearn.models.diagnosis import symptoms
from qlearn.models.diagnosis.case import Case
from qlearn.models.diagnosis.finding import Finding

ROWS = 16
FEWEST = 8  # different outputs
FEW = 10.0  # steps between the quarters of the outputs; healthy ones have 17 and more
OFF = 0.01  # steps: a number that is further from a mark is not on one


def coarse_outputs(case: Case) -> Iterator[Finding]:
    """Find outputs of one number, such as a price, half of which lie within few steps."""
    if len(case.pairs) != 1:
        return
    exact, ours = (x.flatten() for x in case.pairs[0])
    if case.pairs[0][0].shape != (len(exact), 1) or len(exact) < ROWS:
        return
    steps = ours.unique().diff()
    if len(steps) < FEWEST or not (case.seen.roundings or case.seen.kernels):
        return
    step = steps.min()
    low, high = torch.quantile(exact, torch.tensor([0.25, 0.75], dtype=exact.dtype))
    count = ((high - low) / step).item()
    if _on_marks(ours, step) and not _on_marks(exact, step) and count < FEW:
        yield Finding(
            symptoms.WORSE,
            f"Half of the outputs lie within {count:.0f} steps of {step.item():.3g}, since they "
            "were rounded at the end, and large ones set the step. Keep the last layer in float.",
            is_note=True,
        )


def _on_marks(x: Tensor, step: Tensor) -> bool:
    """Say whether numbers are whole steps apart."""
    apart = (x - x.min()) / step
    return bool((apart.round() - apart).abs().max() < OFF)
