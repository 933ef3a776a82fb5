"""Where the numbers of a quantized model leave those of the float model."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import pairwise

from torch import Tensor, nn

from qlearn.models.diagnosis import symptoms
from qlearn.models.diagnosis.case import Case
from qlearn.models.diagnosis.finding import ENOUGH, Finding, whole
from qlearn.models.diagnosis.places import can_be_hooked
from qlearn.models.diagnosis.runs import Inputs, answers, comparable, numbers
from qlearn.numbers.metrics import sqnr


def first_wrong(case: Case) -> Iterator[Finding]:
    """Find the part from which on all put out something else than those of their names in float."""
    if case.model is None or case.sqnr is None or case.sqnr >= ENOUGH:
        return
    ours, theirs = (_outputs(model, case.inputs) for model in (case.quantized, case.model))
    decibels = {
        name: sqnr(theirs[name].float(), ours[name].float())
        for name in theirs
        if name in ours and comparable(theirs[name], ours[name])
    }
    fused = _fused(list(theirs), case.quantized)
    names = [name for name in decibels if name not in fused]
    right = [at for at, name in enumerate(names) if decibels[name] >= ENOUGH]
    wrong = max(right, default=-1) + 1
    if wrong < len(names):
        name, before = names[wrong], f'"{names[wrong - 1]}"' if wrong else "the input"
        yield Finding(
            symptoms.WORSE,
            f'Between {before} and "{name}" the numbers become others than in float: those of '
            f'"{name}" have {whole(decibels[name])} dB. If the model was trained since, compare it '
            "with a copy of the prepared one; if it was loaded, look at what was missing.",
        )


def _fused(names: list[str], quantized: nn.Module) -> set[str]:
    """Return the parts behind which the next one in float is gone, as a norm that was folded."""
    parts = dict(quantized.named_modules())
    behind = {name: parts.get(after) for name, after in pairwise(names)}
    return {name for name, part in behind.items() if part is None or isinstance(part, nn.Identity)}


def _outputs(model: nn.Module, inputs: Inputs) -> dict[str, Tensor]:
    """Return the outputs of the parts, in the order in which they end; of each the last call."""
    seen: dict[str, Tensor] = {}
    with ExitStack() as hooks:
        for name, part in model.named_modules():
            if name and can_be_hooked(part):
                hooks.callback(part.register_forward_hook(_keep(seen, name)).remove)
        answers(model, inputs)
    return seen


def _keep(seen: dict[str, Tensor], name: str) -> Callable[..., None]:
    def hook(_: nn.Module, args: object, result: object) -> None:
        seen.pop(name, None)
        if found := numbers(result):
            seen[name] = found[0].clone()  # which no later part writes into

    return hook
