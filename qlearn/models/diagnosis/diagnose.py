"""All checks of a quantized model, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch
from torch import nn

from qlearn.checks.models import check_module
from qlearn.models.diagnosis import symptoms
from qlearn.models.diagnosis.answers import all_equal, lost_columns, not_finite, other_in_batch
from qlearn.models.diagnosis.blocks import wrong_blocks
from qlearn.models.diagnosis.case import Case
from qlearn.models.diagnosis.change import lost_change
from qlearn.models.diagnosis.finding import ENOUGH, Diagnosis, Finding
from qlearn.models.diagnosis.first_wrong import first_wrong
from qlearn.models.diagnosis.folded import other_eps
from qlearn.models.diagnosis.graphs import (
    changed_by_preparing,
    hidden_regions,
    in_float,
    unfolded_weights,
    unscaled_weights,
)
from qlearn.models.diagnosis.half import fallen_together, lost_in_half
from qlearn.models.diagnosis.layers import left_out_by_a_norm, poor_layers, wrong_kernels
from qlearn.models.diagnosis.made_of_weights import stale_buffers
from qlearn.models.diagnosis.names import listed
from qlearn.models.diagnosis.other_state import other_buffers, other_norms
from qlearn.models.diagnosis.other_weights import other_multiples, other_weights, rows_of_zeros
from qlearn.models.diagnosis.overwritten import overwritten
from qlearn.models.diagnosis.padding import padding_rows
from qlearn.models.diagnosis.rows import some_rows
from qlearn.models.diagnosis.rulers import misfits
from qlearn.models.diagnosis.runs import Inputs, check_inputs
from qlearn.models.diagnosis.sizes import heavier, left_in_float, untied
from qlearn.models.diagnosis.spared import worth_sparing
from qlearn.models.diagnosis.state import (
    bags_that_add,
    float_nodes,
    in_training,
    live_parts,
    norms_in_training,
    not_converted,
)
from qlearn.models.diagnosis.steps import coarse_outputs
from qlearn.models.diagnosis.weight_codes import low_rows, piled_up

Check = Callable[[Case], Iterator[Finding]]
CHECKS: tuple[Check, ...] = (
    in_training,
    norms_in_training,
    not_converted,
    changed_by_preparing,
    left_in_float,
    heavier,
    hidden_regions,
    untied,
    other_weights,
    rows_of_zeros,
    other_multiples,
    other_eps,
    piled_up,
    low_rows,
    lost_in_half,
    fallen_together,
    not_finite,
    lost_columns,
    lost_change,
    unscaled_weights,
    unfolded_weights,
    other_buffers,
    stale_buffers,
    other_norms,
    bags_that_add,
    padding_rows,
    misfits,
    wrong_kernels,
    left_out_by_a_norm,
    poor_layers,
    wrong_blocks,
    overwritten,
    other_in_batch,
    float_nodes,
    in_float,
)
# What anybody sees, and what is no reason
SEEN: tuple[Check, ...] = (all_equal, some_rows, coarse_outputs)
LAST: tuple[Check, ...] = (first_wrong, worth_sparing)  # where no check says why


def diagnose(quantized: Any, inputs: Inputs, model: nn.Module | None = None) -> Diagnosis:
    """Look for what is wrong with a quantized model, as far as a program can see it.

    A copy of the model runs a few times on the batch. One of the runs looks at the roundings and
    kernels of eager mode, FX, PT2E and ``simulate``: between which ends numbers are rounded, and
    whether kernels compute with codes as torch computes with floats. Of torchao's layers, and of
    somebody's own, their weights and outputs are compared with those of the float model. Hooks of
    the model run, too, and what they change outside of it is changed.

    Args:
        quantized: the model, on the CPU; of a compiled one, what was compiled is looked at.
        inputs: a batch as the model is used on, and not the one that calibrated it: a tensor, a
            tuple of the arguments, or a dictionary of them by name.
        model: the float model, in eval mode. Without it, checks that compare are left out.

    Returns:
        The findings, each with the title of an entry on the book's page of symptoms. A model
        without findings may still be wrong: no check knows labels, or how inputs were made.

    Raises:
        TypeError: quantized or model is no module, or the inputs are something else.
        ValueError: a model does not run on these inputs, whose own words follow, cannot be copied,
            or is on another device; the float model is in training mode; the inputs are empty.

    Source: the tests of the book's page of symptoms. With the same aim, and another reach, torch's
    ``torch.ao.quantization.fx._model_report`` looks at models that FX has prepared.

    >>> model = nn.Sequential(nn.Linear(4, 2), nn.Dropout())
    >>> print(diagnose(model, torch.ones(3, 4)))
    Looked at: 1 weight, 0 roundings, 0 kernels, 0 compared layers.
    <BLANKLINE>
    1. In training mode, or drawing random numbers: "1".
       See: The same input gets another answer each time
    <BLANKLINE>
    2. No weight is stored as codes. In float: "0.weight".
       See: quantize_ or PT2E changed nothing
    """
    is_compiled, quantized = _is_compiled(quantized), _uncompiled(quantized)
    check_module(quantized, "quantized")
    _check_device(quantized, "quantized")
    inputs = dict(inputs) if isinstance(inputs, Mapping) else inputs  # of whatever kind
    check_inputs(inputs)
    if model is not None:
        check_module(model := _uncompiled(model))
        _check_device(model, "model")
        _check_eval(model)
    with torch.random.fork_rng(devices=[]):  # dropout that is on draws numbers
        case = Case(quantized, inputs, model, is_compiled=is_compiled)
        found = _made(case, CHECKS)
        if not any(map(_is_reason, found)):
            found = _made(case, LAST) + found
        seen = _made(case, SEEN)
        found = found + seen if any(map(_is_reason, found)) else seen + found
        if _are_wrong(case, found):  # first the numbers, then the bytes
            found.sort(key=lambda each: each.symptom in symptoms.STORED)
    looked_at = {
        "weight": len(case.weights.floats) + len(case.weights.codes),
        "rounding": len(case.seen.roundings),
        "kernel": len(case.seen.kernels),
        "compared layer": len(case.layers),
    }
    return Diagnosis(found, case.sqnr, looked_at, case.left_out, case.agrees)


def _made(case: Case, checks: tuple[Check, ...]) -> list[Finding]:
    """Make the checks; those that cannot be made are noted in the case."""
    found: list[Finding] = []
    for check in checks:
        with case.noted(check.__name__):
            found += check(case)
    return found


def _are_wrong(case: Case, found: list[Finding]) -> bool:
    """Say whether the outputs are far from the float model's, or seem so without one."""
    if case.sqnr is None:
        return any(_is_reason(each) and not each.is_note for each in found)
    return case.sqnr < ENOUGH


def _is_reason(found: Finding) -> bool:
    """Say whether a finding may be why numbers are wrong; a note about weights may."""
    return found.symptom not in symptoms.STORED and (not found.is_note or found.is_hint)


def _is_compiled(model: Any) -> bool:
    """Say whether a model was compiled, by a function or in place."""
    return hasattr(model, "_orig_mod") or getattr(model, "_compiled_call_impl", None) is not None


def _uncompiled(model: Any) -> Any:
    """Return what torch.compile wrapped, and else the model."""
    return getattr(model, "_orig_mod", model)


def _check_eval(model: nn.Module) -> None:
    if live := live_parts(model):
        at = f", at {listed(live)}" if all(live) else ""
        raise ValueError(
            f"model is in training mode{at}, so its outputs are no measure: pass model.eval()"
        )


def _check_device(model: nn.Module, name: str) -> None:
    for key, tensor in [*model.named_parameters(), *model.named_buffers()]:
        if tensor.device.type != "cpu":
            raise ValueError(
                f'"{key}" of {name} is on {tensor.device}, and the kernels that are looked at run '
                f"on the CPU: pass {name}.cpu()"
            )
