"""Checks of the model as it stands: how it was left, before it runs."""

from __future__ import annotations

import re
from collections.abc import Iterator

import torch
from torch import Tensor, fx, nn

from qlearn.models.diagnosis import symptoms
from qlearn.models.diagnosis.case import Case
from qlearn.models.diagnosis.finding import Finding
from qlearn.models.diagnosis.names import listed
from qlearn.models.diagnosis.nodes import calls
from qlearn.models.diagnosis.places import WHOLE
from qlearn.models.diagnosis.weights import Weights, size

ALIVE = nn.modules.batchnorm._BatchNorm | nn.modules.dropout._DropoutNd
RANDOM = re.compile(r"\b(rand|bernoulli)")
HEAVY = re.compile(r"\b(conv|linear|matmul|addmm|bmm|mm|gru|lstm|scaled_dot)")
UNCHANGED = 60.0  # dB: float32 in another order leaves more than 100
WORDS = (torch.int16, torch.int32)  # in which several codes may be packed
FEW = 0.6  # of the bytes: eight bits leave a quarter


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


def left_in_float(case: Case) -> Iterator[Finding]:
    """Find weights that nothing quantized, and those that are carried along."""
    if case.observers:
        return  # which not_converted says
    found = case.weights
    if found.floats and not found.codes and not case.seen.roundings:
        differs = case.sqnr is not None and case.sqnr < UNCHANGED
        but = " Yet the outputs differ, so something else is rounded." if differs else ""
        yield Finding(
            symptoms.NOTHING,
            f"No weight is stored as codes. In float: {_largest(found.floats)}.{but}",
            is_note=differs,
        )
    elif found.floats and (share := _bytes_left(found, case.float_weights)) > FEW:
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


def other_statistics(case: Case) -> Iterator[Finding]:
    """Find batch norms whose running statistics are not those of the float model."""
    if case.model is None or case.is_right or case.observers:
        return
    theirs = dict(case.model.named_buffers())
    found = [
        name
        for name, ours in case.quantized.named_buffers()
        if name.endswith(("running_mean", "running_var"))
        and name in theirs
        and ours.shape == theirs[name].shape
        and not torch.equal(ours.float(), theirs[name].float())
    ]
    if found:
        yield Finding(
            symptoms.WORSE,
            f"The statistics of batch norms are not those of the float model: {listed(found)}. Was "
            "it calibrated in training mode, or trained since?",
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


def untied(case: Case) -> Iterator[Finding]:
    """Find weights that two layers of the float model share, and those of this one do not."""
    ours = dict(case.quantized.named_parameters(remove_duplicate=False))
    theirs: dict[int, list[str]] = {}
    for name, weight in case.model.named_parameters(remove_duplicate=False) if case.model else ():
        theirs.setdefault(id(weight), []).append(name)
    for names in theirs.values():
        if len({id(ours[name]) for name in names if name in ours}) > 1:
            text = f"One tensor of the float model is stored more than once here: {listed(names)}."
            yield Finding(symptoms.SIZE, text)


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


def _bytes_left(found: Weights, in_float: dict[str, Tensor]) -> float:
    """Return the share of the bytes that the weights had in the type of those still in float.

    How many numbers a word holds is not known, so without a float model these are left out.
    """
    each = max(x.element_size() for x in found.floats.values())
    tensors = [*found.floats.values(), *found.codes.values()]
    if not in_float:
        tensors = [x for x in tensors if x.dtype not in WORDS]
    return size(tensors) / sum(each * x.numel() for x in in_float.values() or tensors)


def _largest(floats: dict[str, Tensor]) -> str:
    """Return the names of weights, the largest first."""
    return listed(sorted(floats, key=lambda name: -floats[name].numel()))


def _is_random(node: fx.Node) -> bool:
    """Say whether a node draws random numbers; dropout's third argument switches it on."""
    if "dropout" in str(node.target):
        return node.args[2:3] == (True,) and bool(node.args[1])
    return bool(RANDOM.search(str(node.target)))


def _is_training_norm(node: fx.Node) -> bool:
    """Say whether a node is a batch norm whose sixth argument, training, is True."""
    trains = node.args[5] if len(node.args) > 5 else False
    return "batch_norm" in str(node.target) and trains is True
