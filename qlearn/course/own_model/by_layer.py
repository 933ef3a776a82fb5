"""Which layer adds the error: one layer quantized at a time, and all but one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from qlearn.course.own_model.method import WHOLE, Method, fitting, quantized
from qlearn.course.own_model.own import OwnModel
from qlearn.course.own_model.trials import Trials, kilo
from qlearn.course.plain_table import as_html, as_text

HEADS = ("layer", "kB in float", "alone, dB", "all but it, dB", "share of the error")


class LayerError(NamedTuple):
    """What a layer adds to the error of the outputs.

    Attributes:
        name: the layer's.
        size: the bytes of its parameters in float32.
        alone: SQNR in dB with this layer quantized and no other.
        without: SQNR in dB with all others quantized and this one in float.
        share: of the sum of the errors that the layers make alone, as powers.
    """

    name: str
    size: int
    alone: float
    without: float
    share: float

    def cells(self) -> tuple[str, ...]:
        """Return what is printed of it."""
        both = (f"{d:.0f}".replace("-", "−").replace("inf", "∞") for d in self[2:4])
        return self.name, kilo(self.size), *both, f"{self.share:.0%}"


class LayerErrors(tuple[LayerError, ...]):
    """The layers that a method took, the one with the largest share first."""

    def __repr__(self) -> str:
        """Return the table as text."""
        return as_text(HEADS, [each.cells() for each in self], range(1, len(HEADS)))

    def _repr_html_(self) -> str:
        """Return the table as HTML."""
        return as_html(HEADS, [each.cells() for each in self], range(1, len(HEADS)))


def by_layer(own: OwnModel, method: Method, layers: Sequence[str] | None = None) -> LayerErrors:
    """Return what each layer adds to the error; two runs of all batches for each of them.

    Args:
        own: the model and its batches.
        method: how it is quantized.
        layers: names to look at; None for all that the method takes.

    Raises:
        ValueError: a name is none of a layer that the method takes.

    >>> import torch
    >>> from torch import nn
    >>> from torchao.quantization import Int8WeightOnlyConfig
    >>> own = OwnModel(nn.Sequential(nn.Linear(4, 2)).eval(), [torch.ones(3, 4)], lambda _: 1.0)
    >>> [(each.name, each.without) for each in by_layer(own, Method("", Int8WeightOnlyConfig()))]
    [('0', inf)]
    """
    taken = fitting(own.model, method)
    names = taken if layers is None else list(layers)
    for name in names:
        if name not in taken:
            raise ValueError(
                f"{method.name} takes no layer {name!r}: it takes {', '.join(taken) or 'none'}"
            )
    alone = [own.error_of(quantized(own.model, method, [name])) for name in names]
    noises = [10 ** (-decibels / 10) for decibels in alone]
    found = [
        LayerError(
            name or WHOLE,
            sum(4 * p.numel() for p in own.model.get_submodule(name).parameters(recurse=False)),
            decibels,
            _without(own, method, name, taken),
            noise / sum(noises) if any(noises) else 0.0,
        )
        for name, decibels, noise in zip(names, alone, noises, strict=True)
    ]
    return LayerErrors(sorted(found, key=lambda each: -each.share))


def coarsest(found: Trials, methods: Sequence[Method]) -> Method:
    """Return the method with the largest error of those that ran; the first one if none did.

    >>> from qlearn.course.own_model.trials import Trial
    >>> found = Trials([Trial("float32", 0, 9, 9, 0, 1), Trial("four bits", 1, 5, 5, 20, 1)])
    >>> coarsest(found, [Method("four bits", None)]).name
    'four bits'
    """
    ran = {trial.name: trial.sqnr for trial in found if not trial.error}
    return min(methods, key=lambda method: ran.get(method.name, math.inf))


def without_worst(method: Method, errors: LayerErrors, count: int = 1) -> Method:
    """Return the method with the layers that add most of the error left in float.

    >>> worst = LayerErrors([LayerError("head", 40, 20.0, 30.0, 0.8)])
    >>> without_worst(Method("four bits", None), worst).name
    'four bits, head in float'
    """
    names = [each.name for each in errors[:count]]
    return method.without(*names) if names else method


def _without(own: OwnModel, method: Method, name: str, taken: Sequence[str]) -> float:
    """Return the SQNR with all layers quantized but one."""
    others = [other for other in taken if other != name]
    return own.error_of(quantized(own.model, method, others)) if others else math.inf
