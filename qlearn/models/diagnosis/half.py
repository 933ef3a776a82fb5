"""Whether a model's type is at fault: it then gains much in float32, with the same codes."""

from __future__ import annotations

import copy
from collections.abc import Iterator

import torch

from qlearn.models.diagnosis import symptoms
from qlearn.models.diagnosis.case import Case
from qlearn.models.diagnosis.finding import Finding, whole
from qlearn.models.diagnosis.roundings import RIGHT
from qlearn.models.diagnosis.runs import answers, cast_for, least_sqnr

GAIN = 10.0  # dB: bfloat16 costs less where it serves


def lost_in_half(case: Case) -> Iterator[Finding]:
    """Find models whose float16 or bfloat16 loses much: in float32 they are nearer to float."""
    halves = {x.dtype for x in case.quantized.parameters()} & {torch.float16, torch.bfloat16}
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
