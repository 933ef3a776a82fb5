"""Parts whose own code is the reason, and none of the parts that they call."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress

from torch import nn

from qlearn.models.diagnosis import symptoms
from qlearn.models.diagnosis.case import Case
from qlearn.models.diagnosis.finding import Finding, whole
from qlearn.models.diagnosis.names import also
from qlearn.models.diagnosis.places import WHOLE
from qlearn.models.diagnosis.roundings import RIGHT
from qlearn.models.diagnosis.runs import answers, cast_for, exchanged, least_sqnr

LEAST = 10.0  # dB: with less, a layer is reason enough
SAME = 60.0  # dB
LESS = 8.0  # dB: what four layers may lose beyond their worst one


def wrong_blocks(case: Case) -> Iterator[Finding]:
    """Find parts that put out something else than in float, though what is in them does not.

    The errors of n parts add up, to 10·log10(n) dB more than that of one.
    """
    if case.is_right or case.model is None:
        return
    unknown = _not_compared(case, case.model)
    found, every = {}, case.layers | case.blocks
    for name, error in case.blocks.items():
        inner = [each.sqnr for key, each in every.items() if _in(key, name)]
        if not inner or any(_in(key, name) for key in unknown):
            continue
        margin = max(LESS, 10 * math.log10(len(inner)) + 2)
        if error.sqnr < min(RIGHT, min(inner) - margin) and min(inner) >= LEAST:
            found[name] = error.sqnr, min(inner)
    if found and not _layers_explain(case, case.model):
        name, (own, least) = next(iter(found.items()))
        yield Finding(
            symptoms.WORSE,
            f'On the same input, "{name}" has {whole(own)} dB against the float part, and what is '
            f"in it {whole(least)} or more. Look at its own code: a cache, a mask, a type, an "
            f"order.{also(found)}",
        )


def _layers_explain(case: Case, model: nn.Module) -> bool:
    """Say whether the float model puts out the same once it has these layers."""
    parts = dict(case.quantized.named_modules())
    with suppress(Exception):  # where a layer does not fit, or cannot be copied
        mixed = exchanged(model, {name: parts[name] for name in case.layers if name != WHOLE})
        found = least_sqnr(case.outputs, answers(mixed, cast_for(mixed, case.inputs)))
        return found is not None and found > SAME
    return False


def _in(name: str, block: str) -> bool:
    """Say whether a part lies in another one."""
    return name not in (block, WHOLE) and (block == WHOLE or name.startswith(f"{block}."))


def _not_compared(case: Case, model: nn.Module) -> list[str]:
    """Return the parts that may be the reason, since no float part stands beside them."""
    theirs = dict(model.named_modules())
    known = case.layers.keys() | case.blocks.keys()
    found = [name.removesuffix(".weight") for name in case.float_weights]
    found += [
        name
        for name, part in case.quantized.named_modules()
        if type(theirs.get(name)) is not type(part)
        and not type(part).__module__.startswith("torch.ao.")
    ]
    return [name for name in found if (name or WHOLE) not in known]
