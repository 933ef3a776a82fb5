"""Where the numbers of a quantized model leave those of the float model."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor, fx, nn

from qlearn.models.diagnosis import symptoms
from qlearn.models.diagnosis.case import Case
from qlearn.models.diagnosis.finding import ENOUGH, Finding, whole
from qlearn.models.diagnosis.nodes import is_exported
from qlearn.models.diagnosis.places import can_be_hooked
from qlearn.models.diagnosis.runs import (
    Inputs,
    answers,
    arguments,
    cast_for,
    comparable,
    numbers,
)
from qlearn.models.diagnosis.weight_codes import are_rounded
from qlearn.numbers.metrics import sqnr


def first_wrong(case: Case) -> Iterator[Finding]:
    """Find the part from which on all put out something else than those of their names in float."""
    if case.model is None or case.sqnr is None or case.sqnr >= ENOUGH:
        return
    ours, theirs = _both(case, case.model)
    decibels = {
        name: sqnr(theirs[name].double(), ours[name].double())
        for name in theirs
        if name in ours and comparable(theirs[name], ours[name])
    }
    gone = {k for k, part in case.quantized.named_modules() if isinstance(part, nn.Identity)}
    fused = {name for name, after in pairwise(theirs) if after not in ours or after in gone}
    names = [name for name in decibels if name not in fused]  # as before a norm that was folded
    right = [at for at, name in enumerate(names) if decibels[name] >= ENOUGH]
    wrong = max(right, default=-1) + 1
    if wrong < len(names):
        name, before = names[wrong], f'"{names[wrong - 1]}"' if wrong else "the input"
        yield Finding(
            symptoms.WORSE,
            f'Between {before} and "{name}" the numbers become others than in float: those of '
            f'"{name}" have {whole(decibels[name])} dB. {_why(case)}',
            is_note=case.agrees,
        )


def _why(case: Case) -> str:
    """Say what to look at, by whether the weights were moved."""
    before = "If the model was trained since, compare it with a copy of the prepared one; if it"
    if are_rounded(case):
        before = (
            "Its weights are the float model's, rounded: no training has moved them. If there was "
            "one, did its optimizer hold the parameters of the prepared model? If the model"
        )
    return f"{before} was loaded, look at what was missing; else the bits may be too few."


def _both(case: Case, model: nn.Module) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """Return the outputs of the parts of both models: of two graphs of one kind their nodes."""
    graph, (args, kwargs) = case.quantized, arguments(case.inputs)
    if isinstance(graph, fx.GraphModule) and not kwargs:
        with suppress(Exception):  # where the float model cannot be traced
            given = cast_for(model, args)
            return _by_node(graph, args), _by_node(_traced(model, graph, given), given)
    return _by_part(graph, case.inputs), _by_part(model, cast_for(model, case.inputs))


def _traced(model: nn.Module, like: nn.Module, args: tuple[Any, ...]) -> fx.GraphModule:
    """Return the graph of a model as another one was made: by torch.export, or by FX."""
    if is_exported(like):
        graph = torch.export.export(model, args).module()
        assert isinstance(graph, fx.GraphModule), "an exported program is one"
        return graph
    return fx.symbolic_trace(model)


def _by_node(graph: fx.GraphModule, args: tuple[Any, ...]) -> dict[str, Tensor]:
    """Return the outputs of the nodes, those of modules by their names."""
    walk = _Kept(graph)
    with torch.no_grad():
        walk.run(*args)
    return walk.seen


class _Kept(fx.Interpreter):
    """Runs a graph, and keeps what each node puts out."""

    def __init__(self, graph: fx.GraphModule) -> None:
        super().__init__(graph)
        self.seen: dict[str, Tensor] = {}

    def run_node(self, n: fx.Node) -> Any:
        result = super().run_node(n)
        if n.op.startswith("call_") and (found := numbers(result)):
            self.seen[str(n.target) if n.op == "call_module" else n.name] = found[0].clone()
        return result


def _by_part(model: nn.Module, inputs: Inputs) -> dict[str, Tensor]:
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
