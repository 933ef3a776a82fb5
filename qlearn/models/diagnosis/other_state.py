"""Checks of buffers and norms against those of the float model."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor, nn

from qlearn.models.diagnosis import symptoms
from qlearn.models.diagnosis.case import Case
from qlearn.models.diagnosis.finding import Finding
from qlearn.models.diagnosis.names import listed

STATISTICS = "running_mean", "running_var"


def other_buffers(case: Case) -> Iterator[Finding]:
    """Find running statistics, and other buffers, that are not those of the float model."""
    found = _other_buffers(case)
    if statistics := [name for name in found if name.endswith(STATISTICS)]:
        yield Finding(
            symptoms.WORSE,
            "The statistics of batch norms are not those of the float model: "
            f"{listed(statistics)}. Was it calibrated in training mode, or trained since?",
        )
    if others := [name for name in found if not name.endswith(STATISTICS)]:
        text = f"These buffers are not those of the float model: {listed(others)}."
        yield Finding(symptoms.WORSE, text)


def other_norms(case: Case) -> Iterator[Finding]:
    """Find norms whose weight was divided, and whose bias was not."""
    if case.model is None or case.is_right:
        return
    theirs = dict(case.model.named_modules())
    found = [
        name
        for name, part in case.quantized.named_modules()
        if isinstance(part, nn.LayerNorm) and _is_half_divided(part, theirs.get(name))
    ]
    if found:
        yield Finding(
            symptoms.LANGUAGE,
            f"The weight of these norms was changed, and their bias was not: {listed(found)}. "
            "Factors divide both.",
        )


def _other_buffers(case: Case) -> list[str]:
    """Return the buffers that are others than those of their names in float."""
    if case.model is None or case.is_right or case.observers:
        return []
    theirs = dict(case.model.named_buffers())
    both = [(name, x, theirs[name]) for name, x in case.quantized.named_buffers() if name in theirs]
    return [name for name, x, exact in both if _differs(x, exact)]


def _differs(x: Tensor, exact: Tensor) -> bool:
    """Say whether a buffer of floats is another one, in whatever type."""
    plain = x.is_floating_point() and exact.is_floating_point() and x.shape == exact.shape
    return plain and not torch.allclose(x.double(), exact.double(), rtol=0.01, atol=1e-6)


def _is_half_divided(part: nn.LayerNorm, other: nn.Module | None) -> bool:
    if not isinstance(other, nn.LayerNorm) or part.bias is None or part.weight is None:
        return False
    bias, weight = (
        torch.allclose(ours.double(), exact.double(), rtol=0.01)
        for ours, exact in ((part.bias, other.bias), (part.weight, other.weight))
    )
    return bias and not weight and bool(part.bias.any())
