"""Whether the rows of padding in embeddings are still 0."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor, nn

from qlearn.models.diagnosis import symptoms
from qlearn.models.diagnosis.case import Case
from qlearn.models.diagnosis.finding import Finding
from qlearn.models.diagnosis.names import listed
from qlearn.models.diagnosis.runs import numbers

SEEN = 1e-4  # of the power of a usual row: a hundred rows of padding may be summed


def padding_rows(case: Case) -> Iterator[Finding]:
    """Find embeddings whose rows of zeros, as ``padding_idx`` has them, are no longer 0."""
    if case.model is None or case.is_right:
        return
    ours = dict(case.quantized.named_modules())
    found = []
    for name, part in case.model.named_modules():
        if isinstance(part, nn.Embedding) and name in ours:
            with case.noted(f"padding of {name}"):
                found += [name] if _is_filled(part.weight.detach(), ours[name]) else []
    if found:
        yield Finding(
            symptoms.BATCH,
            f"Rows that are 0 in float, as those of padding, are not 0 any more: {listed(found)}. "
            "Zero needs a code of its own: is the zero point a whole number?",
        )


def _is_filled(exact: Tensor, embedding: nn.Module) -> bool:
    """Say whether an embedding puts out numbers for rows that are all 0 in float."""
    power = exact.double().square().sum(1)
    zeros = (power == 0).nonzero()[:, 0]
    if not len(zeros) or len(zeros) == len(exact):
        return False
    with torch.no_grad():
        found = numbers(embedding.forward(zeros))  # without hooks
    if not found or found[0].shape != (len(zeros), exact.shape[1]):
        return False
    usual = power[power > 0].median()
    return bool((found[0].double().square().sum(1) > SEEN * usual).any())
