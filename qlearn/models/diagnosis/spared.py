"""What a model gains if one of its parts stays in float."""

from __future__ import annotations

from collections.abc import Iterator

from torch import fx, nn

from qlearn.models.diagnosis import symptoms
from qlearn.models.diagnosis.case import Case
from qlearn.models.diagnosis.finding import Finding
from qlearn.models.diagnosis.runs import answers, exchanged, least_sqnr

GAIN = 4.0  # dB
MOST = 0.3  # of the weights


def worth_sparing(case: Case) -> Iterator[Finding]:
    """Find a small part of a model on which much of the error depends."""
    if case.is_right or case.sqnr is None or case.model is None or not case.exact:
        return
    weights = sum(x.numel() for x in case.model.parameters())
    gains: dict[str, tuple[float, float]] = {}
    for name in _parts(case.quantized, case.model):
        spared = case.model.get_submodule(name)
        share = sum(x.numel() for x in spared.parameters()) / max(weights, 1)
        if share >= MOST:
            continue
        mixed = exchanged(case.quantized, {name: spared})
        found = least_sqnr(case.exact, answers(mixed, case.inputs))
        if found is not None:
            gains[name] = found - case.sqnr, share
    if gains:
        name, (gain, share) = max(gains.items(), key=lambda item: item[1][0])
        if gain > GAIN:
            yield Finding(
                symptoms.WORSE,
                f'With "{name}" in float, {share:.0%} of the weights, the outputs gain {gain:.0f} '
                "dB.",
                is_note=True,
            )


def _parts(quantized: nn.Module, model: nn.Module) -> list[str]:
    """Return the parts of a model in which floats go in and out; of one with a single part, its."""
    if isinstance(quantized, fx.GraphModule):
        return []
    names = [name for name, _ in model.named_children()]
    if len(names) == 1:
        names = [f"{names[0]}.{name}" for name, _ in model.get_submodule(names[0]).named_children()]
    theirs = dict(quantized.named_modules())
    return [name for name in names if name in theirs and _takes_floats(theirs[name])]


def _takes_floats(part: nn.Module) -> bool:
    """Say whether a part is no piece of a static model, nor gone."""
    kinds = [type(each).__module__ for each in part.modules()]
    codes = any(kind.startswith("torch.ao.") for kind in kinds)
    return not codes and not isinstance(part, nn.Identity)
