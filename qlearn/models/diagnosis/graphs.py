"""Checks of what was prepared, and of what computes in float."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from torch import Tensor, fx, nn

from qlearn.models.diagnosis import symptoms
from qlearn.models.diagnosis.case import Case
from qlearn.models.diagnosis.finding import Finding, whole
from qlearn.models.diagnosis.names import listed
from qlearn.models.diagnosis.nodes import calls, is_exported, value
from qlearn.models.diagnosis.roundings import Rounding
from qlearn.models.diagnosis.sizes import UNCHANGED
from qlearn.models.diagnosis.weights import ALIKE, alike

UNTRAINED = 1 - 1e-9  # cosine: a batch norm that is folded leaves the direction of a row


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
        for node in calls(case.quantized)
        if "dequantize_per_channel" in str(node.target) and _is_one(node.args[1])
    ]
    if found:
        yield Finding(
            symptoms.NO_DATA,
            f"All scales of weights are 1: {listed(found)}. Was the prepared graph ever called?",
        )


def unfolded_weights(case: Case) -> Iterator[Finding]:
    """Find weights that a graph holds as floats, and quantizes in each call."""
    found = [
        str(node.args[0])
        for node in calls(case.quantized)
        if "quantized_decomposed.quantize_per" in str(node.target) and _is_parameter(node.args[0])
    ]
    if found and not case.observers:
        yield Finding(
            symptoms.SIZE,
            f"These weights are kept as floats, and quantized in each call: {listed(found)}. "
            "Convert without fold_quantize=False.",
        )


def hidden_regions(case: Case) -> Iterator[Finding]:
    """Find regions of a graph whose layers no quantizer sees."""
    found = [node.name for node in calls(case.quantized) if "wrap_with_" in str(node.target)]
    if found:
        yield Finding(
            symptoms.NOTHING,
            f"Layers are hidden in {listed(found)}: export without no_grad or autocast in forward.",
        )


def in_float(case: Case) -> Iterator[Finding]:
    """Find graphs that compute with floats until they are compiled."""
    if case.seen.in_float and not case.is_compiled:
        text = f"As it stands, this graph computes with floats.{_way(case.seen.roundings)}"
        yield Finding(symptoms.SLOWER, text, is_note=True)


def _is_parameter(node: Any) -> bool:
    """Say whether a node is a parameter of its graph."""
    return isinstance(node, fx.Node) and isinstance(value(node), nn.Parameter)


def _is_one(scales: Any) -> bool:
    """Say whether a node is a tensor of ones."""
    found = value(scales) if isinstance(scales, fx.Node) else None
    return isinstance(found, Tensor) and bool((found == 1).all())


def _way(activations: list[Rounding]) -> str:
    """Say who has kernels for the codes of activations: Inductor, if they have no sign."""
    if not activations:
        return ""
    if all(each.codes[0] == 0 for each in activations):
        return " Compiled with freezing, it multiplies integers."
    return " Its codes have signs, as XNNPACK's: ExecuTorch has kernels for them, Inductor none."


def _rounds(model: nn.Module) -> bool:
    """Say whether fake quantization is on anywhere; that of torchao has no switch."""
    if any(type(part).__name__.endswith("FakeQuantizer") for part in model.modules()):
        return True
    switches: list[Any] = [getattr(part, "fake_quant_enabled", None) for part in model.modules()]
    return any(bool(switch) for switch in switches if switch is not None)


def _was_trained(case: Case) -> bool:
    """Say whether a weight is another than the float model's of its name, and comes from it."""
    ours, theirs = case.weights.floats, case.float_weights
    pairs = [(ours[name], theirs[name]) for name in ours if name in theirs]
    return any(ALIKE <= alike(*pair) < UNTRAINED for pair in pairs)
