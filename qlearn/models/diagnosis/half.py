"""Whether a model's type is at fault: it then gains much in float32, with the same codes."""

from __future__ import annotations

import copy
from collections.abc import Iterator

import torch
from torch import Tensor

from qlearn.models.diagnosis import symptoms
from qlearn.models.diagnosis.case import Case
from qlearn.models.diagnosis.finding import Finding, whole
from qlearn.models.diagnosis.roundings import RIGHT
from qlearn.models.diagnosis.runs import answers, cast_for, least_sqnr

HALVES = {torch.float16, torch.bfloat16}
FEWEST = 16  # numbers of a buffer
GAIN = 10.0  # dB: bfloat16 costs less where it serves


def fallen_together(case: Case) -> Iterator[Finding]:
    """Find buffers of growing numbers, such as positions, of which neighbours became equal."""
    if case.model is None:
        return
    theirs = dict(case.model.named_buffers())
    for name, ours in case.quantized.named_buffers():
        exact = theirs.get(name)
        if exact is None or ours.dtype not in HALVES or exact.shape != ours.shape:
            continue
        if exact.numel() >= FEWEST and _grows(exact) and (count := len(ours.unique())) < len(exact):
            kind = str(ours.dtype).removeprefix("torch.")
            yield Finding(
                symptoms.WORSE,
                f'The {len(exact)} numbers of "{name}" are {count} in {kind}. Keep positions in '
                "float32, and what is computed from them.",
                is_note=case.is_right,
            )


def _grows(x: Tensor) -> bool:
    """Say whether each number is larger than the one before it, or each smaller."""
    steps = x.diff()
    return x.ndim == 1 and bool((steps > 0).all() or (steps < 0).all())


def lost_in_half(case: Case) -> Iterator[Finding]:
    """Find models whose float16 or bfloat16 loses much: in float32 they are nearer to float."""
    halves = {x.dtype for x in case.quantized.parameters()} & HALVES
    if not halves or case.is_right:
        return
    wide_model = copy.deepcopy(case.quantized).float()
    wide = answers(wide_model, cast_for(wide_model, case.inputs))
    ours, theirs = case.outputs[:1], case.exact[:1] if case.exact else wide[:1]
    before, after = least_sqnr(theirs, ours), least_sqnr(theirs, wide[:1])
    if after is not None and (before is None or before < min(RIGHT, after - GAIN)):
        names = " or ".join(str(kind).removeprefix("torch.") for kind in halves)
        symptom, why = (
            symptoms.EQUAL,
            "numbers leave its range, or become 0. Take bfloat16, or that part in float32.",
        )
        if torch.float16 not in halves:
            symptom = symptoms.LENGTH
            why = "it has three digits. Positions, angles and long sums need float32."
        nan = any(bool(x.isnan().any()) for x in ours)
        yield Finding(
            symptoms.NAN if nan else symptom,
            f"In float32 the same codes have {whole(after)} dB, so {names} is at fault: {why}",
        )
