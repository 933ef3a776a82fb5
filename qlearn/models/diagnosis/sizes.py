"""Checks of what is stored: weights that stayed floats, and those that take too many bytes."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from qlearn.models.diagnosis import symptoms
from qlearn.models.diagnosis.case import Case
from qlearn.models.diagnosis.finding import Finding
from qlearn.models.diagnosis.names import also, listed
from qlearn.models.diagnosis.weights import ALIKE, Weights, alike, size

WORDS = (torch.int16, torch.int32)  # in which several codes may be packed
WIDE = (torch.int32, torch.int64)
MANY = 1024  # numbers
MORE = 1.05  # times the bytes
UNCHANGED = 60.0  # dB: float32 in another order leaves more than 100
FEW = 0.6  # of the bytes: eight bits leave a quarter


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


def heavier(case: Case) -> Iterator[Finding]:
    """Find codes that are longer integers than they need, and models that so outgrow float."""
    if case.model is None or case.observers:
        return
    ours, theirs = (
        {**dict(model.named_parameters()), **dict(model.named_buffers())}
        for model in (case.quantized, case.model)
    )
    now, before = size(ours.values()), size(theirs.values())
    largest = max(ours, key=lambda name: size([ours[name]]), default="")
    if wide := [name for name, x in ours.items() if _is_wide(x, now) and name not in theirs]:
        ends = " to ".join(str(int(end)) for end in ours[wide[0]].aminmax())
        yield Finding(
            symptoms.SIZE,
            f'"{wide[0]}" holds whole numbers from {ends} in {ours[wide[0]].dtype}. One byte for '
            f"each would be {1 / ours[wide[0]].element_size():.1%} of that.{also(wide)}",
        )
    elif now > MORE * before and ours[largest].dtype in WIDE:
        yield Finding(
            symptoms.SIZE,
            f"It holds {now:,} bytes, and in float {before:,}. The largest is "
            f'"{largest}", of {ours[largest].dtype}.',
        )


def _is_wide(x: Tensor, total: int) -> bool:
    """Say whether these are codes that fit into a byte, and a good part of all that is stored."""
    if x.dtype not in WIDE or x.numel() < MANY or size([x]) < total / 10:
        return False
    low, high = (int(end) for end in x.aminmax())
    return low >= -128 and high <= (255 if low >= 0 else 127)


def untied(case: Case) -> Iterator[Finding]:
    """Find weights that two layers of the float model share, and those of this one do not."""
    ours = dict(case.quantized.named_parameters(remove_duplicate=False))
    theirs: dict[int, list[str]] = {}
    for name, weight in case.model.named_parameters(remove_duplicate=False) if case.model else ():
        theirs.setdefault(id(weight), []).append(name)
    for names in theirs.values():
        names = [name for name in names if name in ours]
        if len({id(ours[name]) for name in names}) < 2:
            continue
        if any(alike(ours[names[0]], ours[name]) < ALIKE for name in names[1:]):
            yield Finding(
                symptoms.WORSE,
                f"One tensor of the float model holds different numbers here: {listed(names)}. Was "
                "each of them loaded? Or tie them before they are quantized.",
            )
        else:
            text = f"One tensor of the float model is stored more than once here: {listed(names)}."
            yield Finding(symptoms.SIZE, text)


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
