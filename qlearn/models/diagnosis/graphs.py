"""Checks of what was prepared, and of what computes in float."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from torch import fx, nn

from qlearn.models.diagnosis import symptoms
from qlearn.models.diagnosis.case import Case
from qlearn.models.diagnosis.finding import Finding, whole
from qlearn.models.diagnosis.weights import alike, is_exported, listed, nodes

UNTRAINED = 1 - 1e-5  # cosine: a batch norm that is folded leaves the direction of a row
UNCHANGED = 60.0  # dB: observers change nothing, and float32 leaves more than 100

WAYS = {
    True: "Compiled with freezing, it multiplies integers.",
    False: "Its codes have signs, as XNNPACK's: ExecuTorch has kernels for them, Inductor none.",
}


def changed_by_preparing(case: Case) -> Iterator[Finding]:
    """Find prepared models that put out something else, though nothing is rounded."""
    if not case.observers or case.sqnr is None or case.sqnr >= UNCHANGED or _rounds(case.quantized):
        return
    if _was_trained(case):
        yield Finding(
            symptoms.TRAINING,
            "The weights were trained, and nothing was simulated: there are observers only.",
        )
        return
    yield Finding(
        symptoms.BEFORE if is_exported(case.quantized) else symptoms.KERNEL,
        f"It was only prepared, nothing is rounded, and {whole(case.sqnr)} dB are left.",
    )


def unscaled_weights(case: Case) -> Iterator[Finding]:
    """Find weights of a graph whose observers never ran, so that all their scales are 1."""
    found = [
        str(node.args[0])
        for node in nodes(case.quantized, "call_function")
        if "dequantize_per_channel" in str(node.target) and _is_one(case.quantized, node.args[1])
    ]
    if found:
        yield Finding(
            symptoms.NO_DATA,
            f"All scales of weights are 1: {listed(found)}. Was the prepared graph ever called?",
        )


def hidden_regions(case: Case) -> Iterator[Finding]:
    """Find regions of a graph whose layers no quantizer sees."""
    found = [
        node.name
        for node in nodes(case.quantized, "call_function")
        if "wrap_with_" in str(node.target)
    ]
    if found:
        yield Finding(
            symptoms.NOTHING,
            f"Layers are hidden in {listed(found)}: export without no_grad or autocast in forward.",
        )


def in_float(case: Case) -> Iterator[Finding]:
    """Find graphs that compute with floats until they are compiled."""
    if case.seen.in_float:
        yield Finding(
            symptoms.SLOWER,
            f"As it stands, this graph computes with floats. {WAYS[_is_unsigned(case)]}",
            is_note=True,
        )


def _is_one(model: Any, scales: Any) -> bool:
    """Say whether a node is a tensor of ones."""
    return isinstance(scales, fx.Node) and bool((getattr(model, str(scales.target)) == 1).all())


def _is_unsigned(case: Case) -> bool:
    """Say whether activations have bytes without a sign, which Inductor has kernels for."""
    return all(each.codes[0] == 0 for each in case.seen.roundings)


def _rounds(model: nn.Module) -> bool:
    """Say whether fake quantization is on anywhere; that of torchao has no switch."""
    if any(type(part).__name__.endswith("FakeQuantizer") for part in model.modules()):
        return True
    switches: list[Any] = [getattr(part, "fake_quant_enabled", None) for part in model.modules()]
    return any(bool(switch) for switch in switches if switch is not None)


def _was_trained(case: Case) -> bool:
    """Say whether all weights are others than the float model's of the same names."""
    ours, theirs = case.weights.floats, case.float_weights
    pairs = [(ours[name], theirs[name]) for name in ours if name in theirs]
    return bool(pairs) and all(alike(*pair) < UNTRAINED for pair in pairs)
