"""Checks of the model as it stands: how it was left, before it runs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from torch import Tensor, fx, nn

from qlearn.models.diagnosis import symptoms
from qlearn.models.diagnosis.case import Case
from qlearn.models.diagnosis.finding import Finding
from qlearn.models.diagnosis.weights import Weights, listed, nodes, size

ALIVE = nn.modules.batchnorm._BatchNorm | nn.modules.dropout._DropoutNd
RANDOM = re.compile(r"\b(rand|bernoulli)")
HEAVY = re.compile(r"\b(conv|linear|matmul|addmm|bmm|mm|gru|lstm|scaled_dot)")
FEW = 0.6  # of the bytes: eight bits leave a quarter


def in_training(case: Case) -> Iterator[Finding]:
    """Find dropout that is on, batch norms in training, and outputs that change by themselves."""
    live = live_parts(case.quantized)
    live += [each.name for each in nodes(case.quantized, "call_function") if _is_random(each)]
    if live:
        text = f"In training mode, or drawing random numbers: {listed(live)}."
    elif not case.observers and not case.steady and case.is_steady_in_float:
        text = "A second call gave other outputs."
    else:
        return
    yield Finding(symptoms.EACH_TIME, text)


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


def left_in_float(case: Case) -> Iterator[Finding]:
    """Find weights that nothing quantized, and those that are carried along."""
    if case.observers:
        return  # which not_converted says
    found = case.weights
    if found.floats and not found.codes and not case.seen.roundings:
        yield Finding(
            symptoms.NOTHING,
            f"No weight is stored as codes. In float: {_largest(found.floats)}.",
        )
    elif found.floats and (share := _bytes_left(found)) > FEW:
        yield Finding(
            symptoms.SIZE,
            f"{share:.0%} of the weights' bytes are left. In float: {_largest(found.floats)}.",
        )
    if found.idle:
        yield Finding(
            symptoms.SIZE,
            f"The graph carries float weights along that no node reads: {_largest(found.idle)}.",
            is_note=True,
        )


def untied(case: Case) -> Iterator[Finding]:
    """Find weights that two layers of the float model share, and those of this one do not."""
    ours = dict(case.quantized.named_parameters(remove_duplicate=False))
    theirs: dict[int, list[str]] = {}
    for name, weight in case.model.named_parameters(remove_duplicate=False) if case.model else ():
        theirs.setdefault(id(weight), []).append(name)
    for names in theirs.values():
        if len({id(ours[name]) for name in names if name in ours}) > 1:
            yield Finding(symptoms.SIZE, f"In float these are one: {listed(names)}.")


def float_nodes(case: Case) -> Iterator[Finding]:
    """Find layers of a converted graph that read no codes."""
    left = [
        node.name
        for node in nodes(case.quantized, "call_function")
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


def _bytes_left(found: Weights) -> float:
    """Return the share of the bytes that the weights had in float32."""
    tensors = [*found.floats.values(), *found.codes.values()]
    return size(tensors) / sum(4 * x.numel() for x in tensors)


def _largest(floats: dict[str, Tensor]) -> str:
    """Return the names of weights, the largest first."""
    return listed(sorted(floats, key=lambda name: -floats[name].numel()))


def _is_random(node: fx.Node) -> bool:
    """Say whether a node draws random numbers; dropout's third argument switches it on."""
    if "dropout" in str(node.target):
        return node.args[2:3] == (True,)
    return bool(RANDOM.search(str(node.target)))
