"""What became of a model by each method: bytes, the error of the outputs, the reader's number."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from qlearn.course.own_model.method import Method, fitting, quantized
from qlearn.course.own_model.own import OwnModel
from qlearn.course.plain_table import as_html, as_text
from qlearn.course.stored_bytes import number_bytes

HEADS = ("method", "layers", "kB", "kB packed", "dB", "metric")
STOPS = (AssertionError, ImportError, NotImplementedError, RuntimeError, ValueError)


class Trial(NamedTuple):
    """What became of the model by a method.

    Attributes:
        name: the method's.
        layers: how many it took.
        size: the bytes of the numbers in the file; torchao gives each code a byte.
        packed: the bytes, if codes of fewer than eight bits were packed.
        sqnr: of the outputs, in dB; infinite where nothing changed.
        value: what the reader's metric says.
        error: the message of a model that stopped.
    """

    name: str
    layers: int
    size: int
    packed: int
    sqnr: float
    value: float
    error: str = ""

    def cells(self) -> tuple[str, ...]:
        """Return what is printed of it."""
        if self.error:
            return (self.name, str(self.layers), "", "", "", "stops")
        packed = kilo(self.packed) if self.packed != self.size else ""
        number = short(self.value)
        return self.name, str(self.layers or ""), kilo(self.size), packed, decibels(self), number


class Trials(tuple[Trial, ...]):
    """The float model's row, and one for each method; a table in a notebook and in print."""

    def stopped(self) -> list[str]:
        """Return a sentence for each method that did not run."""
        return [f"{trial.name} stops: {trial.error}." for trial in self if trial.error]

    def __repr__(self) -> str:
        """Return the table as text, with what stopped below it."""
        table = as_text(HEADS, [trial.cells() for trial in self], range(1, len(HEADS)))
        return "\n".join([table, *self.stopped()])

    def _repr_html_(self) -> str:
        """Return the table as HTML, with what stopped below it."""
        table = as_html(HEADS, [trial.cells() for trial in self], range(1, len(HEADS)))
        return "\n".join([table, *(f"<p>{escape(line)}</p>" for line in self.stopped())])


def trials(own: OwnModel, methods: Sequence[Method]) -> Trials:
    """Return what became of the model in float and by each method, in this order.

    >>> import torch
    >>> from torch import nn
    >>> own = OwnModel(nn.Linear(4, 2).eval(), [torch.ones(3, 4)], lambda model: 1.0)
    >>> trials(own, [])[0].value
    1.0
    """
    return Trials([float_trial(own), *(tried(own, method) for method in methods)])


def float_trial(own: OwnModel) -> Trial:
    """Return the row of the model as it is."""
    size = number_bytes(own.model)
    return Trial("float32", 0, size, size, math.inf, own.value)


def tried(own: OwnModel, method: Method) -> Trial:
    """Return what becomes of the model by one method; where it stops, with the reason.

    >>> import torch
    >>> from torch import nn
    >>> own = OwnModel(nn.Linear(4, 2).eval(), [torch.ones(3, 4)], lambda model: 1.0)
    >>> tried(own, Method("tables", None, kinds=(nn.Embedding,))).error
    'it takes no layer of this model'
    """
    names = fitting(own.model, method)
    if not names:
        return _stopped(method, 0, "it takes no layer of this model")
    try:
        changed = quantized(own.model, method, names)
        error, value = own.error_of(changed), own.measured(changed)
    except STOPS as stop:
        lines = str(stop).splitlines() or [""]
        return _stopped(method, len(names), f"{type(stop).__name__}, {lines[0]:.80}")
    size = number_bytes(changed)
    weights = [own.model.get_submodule(name).get_parameter("weight").numel() for name in names]
    packed = size - sum(weights) * (8 - method.bits) // 8
    return Trial(method.name, len(names), size, packed, error, value)


def _stopped(method: Method, layers: int, error: str) -> Trial:
    return Trial(method.name, layers, 0, 0, -math.inf, math.nan, error)


def kilo(size: float) -> str:
    """Return bytes in kB, whole from 10 kB on.

    >>> kilo(72_345), kilo(640)
    ('72', '0.6')
    """
    return f"{size / 1000:,.0f}" if size >= 9950 else f"{size / 1000:.1f}"


def decibels(trial: Trial) -> str:
    """Return an SQNR in whole decibels, or nothing where there is no error."""
    return "" if math.isinf(trial.sqnr) else f"{trial.sqnr:.0f}".replace("-", "−")


def short(value: float) -> str:
    """Return a metric: a whole number as it is, another one with four digits.

    >>> short(348), short(0.96667)
    ('348', '0.9667')
    """
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:.4g}"
