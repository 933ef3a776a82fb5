"""Checks of the model as it stands: how it was left, before it runs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from torch import fx, nn

from qlearn.models.diagnosis import symptoms
from qlearn.models.diagnosis.case import Case
from qlearn.models.diagnosis.finding import Finding
from qlearn.models.diagnosis.names import listed
from qlearn.models.diagnosis.nodes import calls
from qlearn.models.diagnosis.places import WHOLE

ALIVE = nn.modules.batchnorm._BatchNorm | nn.modules.dropout._DropoutNd
RANDOM = re.compile(r"\b(rand|bernoulli)")
HEAVY = re.compile(r"\b(conv|linear|matmul|addmm|bmm|mm|gru|lstm|scaled_dot)")


def in_training(case: Case) -> Iterator[Finding]:
    """Find dropout that is on, batch norms in training, and outputs that change by themselves."""
    live = live_parts(case.quantized)
    live += [each.name for each in calls(case.quantized) if _is_random(each)]
    if live:
        text = f"In training mode, or drawing random numbers: {listed(live)}."
    elif not case.observers and not case.steady and case.is_steady_in_float:
        text = "A second call gave other outputs: it draws random numbers, or keeps a state."
    else:
        return
    yield Finding(symptoms.EACH_TIME, text)


def norms_in_training(case: Case) -> Iterator[Finding]:
    """Find batch norms that a graph keeps in training: they take mean and variance of the batch."""
    found = [node.name for node in calls(case.quantized) if _is_training_norm(node)]
    if found and not case.observers:  # with observers the training goes on
        text = (
            f"These batch norms compute with the mean and variance of the batch: {listed(found)}."
        )
        yield Finding(symptoms.BATCH, text)


def live_parts(model: nn.Module) -> list[str]:
    """Return the names of the parts that change their numbers because they are in training mode.

    >>> live_parts(nn.Sequential(nn.Dropout(), nn.Dropout(0.0), nn.Dropout().eval()))
    ['0']
    """
    return [
        name
        for name, part in model.named_modules()
        if isinstance(part, ALIVE)
        and part.training
        and getattr(part, "p", True)
        and "quantized" not in type(part).__module__
    ]


def not_converted(case: Case) -> Iterator[Finding]:
    """Find observers and fake quantization that were left in."""
    if case.observers:
        yield Finding(
            symptoms.SIZE,
            "This model was prepared and is not converted: it computes in float, and holds "
            f"observers or fake quantizers: {listed(case.observers, 2)}.",
        )


def bags_that_add(case: Case) -> Iterator[Finding]:
    """Find quantized bags of embeddings that add, whatever their mode says."""
    found = [
        name or WHOLE
        for name, part in case.quantized.named_modules()
        if "ao.nn.quantized" in type(part).__module__
        and "EmbeddingBag" in type(part).__name__
        and getattr(part, "mode", "sum") != "sum"
    ]
    if found:
        text = f"These bags add their rows, whatever their mode says: {listed(found)}."
        yield Finding(symptoms.KERNEL, text)


def float_nodes(case: Case) -> Iterator[Finding]:
    """Find layers of a converted graph that read no codes."""
    left = [
        node.name
        for node in calls(case.quantized)
        if HEAVY.search(str(node.target))
        and "quantized" not in str(node.target)
        and not any("dequantize" in str(source.target) for source in node.all_input_nodes)
    ]
    if left and case.seen.in_float and not case.observers:
        yield Finding(
            symptoms.NOTHING,
            f"These read no codes: {listed(left)}.",
            is_note=True,
        )


def _is_random(node: fx.Node) -> bool:
    """Say whether a node draws random numbers; dropout's third argument switches it on."""
    if "dropout" in str(node.target):
        return node.args[2:3] == (True,) and bool(node.args[1])
    return bool(RANDOM.search(str(node.target)))


def _is_training_norm(node: fx.Node) -> bool:
    """Say whether a node is a batch norm whose sixth argument, training, is True."""
    trains = node.args[5] if len(node.args) > 5 else False
    return "batch_norm" in str(node.target) and trains is True
