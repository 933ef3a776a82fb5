"""Checks of what was prepared, and of what computes in float."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from torch import nn

from qlearn.models.diagnosis.case import Case
from qlearn.models.diagnosis.finding import Finding, whole
from qlearn.models.diagnosis.weights import alike, is_exported, weights

UNTRAINED = 1 - 1e-5  # cosine: a batch norm that is folded leaves the direction of a row
UNCHANGED = 60.0  # dB: observers change nothing, and float32 leaves more than 100


def changed_by_preparing(case: Case) -> Iterator[Finding]:
    """Find prepared models that put out something else, though nothing is rounded."""
    if not case.observers or case.sqnr is None or case.sqnr >= UNCHANGED or _rounds(case.quantized):
        return
    if _was_trained(case):
        yield Finding(
            "Good in training, bad after converting",
            "The weights were trained, and nothing was simulated: there are observers only.",
        )
        return
    yield Finding(
        "A graph of PT2E is wrong before it is calibrated"
        if is_exported(case.quantized)
        else "One layer of the old API puts out something else",
        f"It was only prepared, nothing is rounded, and {whole(case.sqnr)} dB are left.",
    )


def in_float(case: Case) -> Iterator[Finding]:
    """Find graphs that compute with floats until they are compiled."""
    if case.seen.in_float:
        yield Finding(
            "The quantized model is slower than float",
            "As it stands, this graph computes with floats. Compiled with freezing, it multiplies "
            "integers.",
            is_note=True,
        )


def _rounds(model: nn.Module) -> bool:
    """Say whether fake quantization is on anywhere; that of torchao has no switch."""
    if any(type(part).__name__.endswith("FakeQuantizer") for part in model.modules()):
        return True
    switches: list[Any] = [getattr(part, "fake_quant_enabled", None) for part in model.modules()]
    return any(bool(switch) for switch in switches if switch is not None)


def _was_trained(case: Case) -> bool:
    """Say whether all weights are others than the float model's of the same names."""
    theirs = weights(case.model).floats if case.model else {}
    ours = weights(case.quantized).floats
    pairs = [(ours[name], theirs[name]) for name in ours if name in theirs]
    return bool(pairs) and all(alike(*pair) < UNTRAINED for pair in pairs)
