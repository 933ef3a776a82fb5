"""Which layers a model has, what they weigh, and which of them each method takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from html import escape
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from qlearn.course.own_model.method import WHOLE, Method, why_not
from qlearn.course.own_model.own import OwnModel
from qlearn.course.own_model.trials import kilo
from qlearn.course.plain_table import as_html, as_text

VECTORS = "norms, single vectors"
LONGEST, ON_PAGE = 44, 30  # letters of a name: in a drawing, and in a table beside many columns


class Layer(NamedTuple):
    """A module with parameters of its own.

    Attributes:
        name: in the model.
        kind: the name of its class.
        size: the bytes of its parameters in float32, each counted once in the model.
        rows: how many rows of the first batch it multiplies or looks up; 0 if it is not called.
        reasons: why each method leaves it in float, "" where the method takes it.
    """

    name: str
    kind: str
    size: int
    rows: int
    reasons: Mapping[str, str]


class Layers(tuple[Layer, ...]):
    """The layers of a model; a table in a notebook, with the reasons below it."""

    @property
    def size(self) -> int:
        """The bytes of all of them."""
        return sum(layer.size for layer in self)

    def reached(self, method: str) -> float:
        """Return the share of the bytes that a method takes."""
        return sum(layer.size for layer in self if not layer.reasons[method]) / self.size

    def reasons(self) -> list[str]:
        """Return each reason once, in the order of the layers."""
        found = (reason for layer in self for reason in layer.reasons.values() if reason)
        return list(dict.fromkeys(found))

    def __repr__(self) -> str:
        """Return the table as text, with the reasons."""
        heads, lines = self._cells()
        table = as_text(heads, lines, range(1, len(heads) - 1))
        return "\n".join([table, *map("({0[0]}) {0[1]}".format, enumerate(self.reasons(), 1))])

    def _repr_html_(self) -> str:
        """Return the table as HTML, with the reasons."""
        heads, whole = self._cells()
        lines = [(shortened(name, ON_PAGE), *cells) for name, *cells in whole]
        notes = "".join(f"<li>{escape(reason)}</li>" for reason in self.reasons())
        return f"{as_html(heads, lines, range(1, len(heads) - 1))}\n<ol>{notes}</ol>"

    def _cells(self) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """Return headings and lines; a number in a cell is that of a reason."""
        methods = list(self[0].reasons)
        numbers = {reason: f"no ({i})" for i, reason in enumerate(self.reasons(), 1)}
        lines = [
            (
                layer.name,
                kilo(layer.size),
                str(layer.rows or ""),
                *(numbers.get(layer.reasons[method], "yes") for method in methods),
                layer.kind,
            )
            for layer in self
        ]
        shares = (f"{self.reached(method):.0%}" for method in methods)
        lines.append(("all", kilo(self.size), "", *shares, ""))
        return ("layer", "kB", "rows", *methods, "kind"), lines


def shortened(name: str, longest: int = LONGEST) -> str:
    """Return the end of a name that is too long, which tells layers apart better.

    >>> shortened("model.encoder.layers.11.attention.self.query.linear")
    '…coder.layers.11.attention.self.query.linear'
    """
    return name if len(name) <= longest else f"…{name[1 - longest :]}"


def look_at(own: OwnModel, methods: Sequence[Method]) -> Layers:
    """Return the layers of a model; what has vectors only, such as norms, is one line.

    >>> own = OwnModel(nn.Linear(4, 2).eval(), [torch.ones(3, 4)], lambda model: 1.0)
    >>> look_at(own, [Method("int8 weights", None)])
    layer       kB  rows  int8 weights  kind
    the model  0.0     3           yes  Linear
    all        0.0                100%
    """
    called = rows_of(own)
    layers, vectors, seen = [], 0, set[int]()
    for name, module in own.model.named_modules():
        own_ones = [p for p in module.parameters(recurse=False) if id(p) not in seen]
        seen.update(map(id, own_ones))
        size = sum(p.numel() * p.element_size() for p in own_ones)
        if all(p.dim() < 2 for p in module.parameters(recurse=False)):
            vectors += size
            continue
        reasons = {m.name: why_not(own.model, name, m) for m in methods}
        kind = type(module).__name__.replace("NonDynamicallyQuantizable", "")
        layers.append(Layer(_said(name, module), kind, size, called.get(name, 0), reasons))
    if vectors:
        reasons = {m.name: "a single row of numbers, too few to matter" for m in methods}
        layers.append(Layer(VECTORS, "", vectors, 0, reasons))
    return Layers(layers)


def _said(name: str, module: nn.Module) -> str:
    """Return the name of a layer of torch's, or of the parameters that another module has."""
    if type(module).__module__.startswith("torch."):
        return name or WHOLE
    places = [f"{name}.{own}".lstrip(".") for own, _ in module.named_parameters(recurse=False)]
    return places[0] if len(places) == 1 else f"{places[0]} and {len(places) - 1} more"


def rows_of(own: OwnModel) -> dict[str, int]:
    """Return how many rows of the first batch each linear layer or table gets.

    >>> own = OwnModel(nn.Linear(4, 2).eval(), [torch.ones(3, 5, 4)], lambda model: 1.0)
    >>> rows_of(own)
    {'': 15}
    """
    rows: dict[str, int] = {}

    def note(name: str, wide: bool, module: nn.Module, inputs: tuple[Any, ...]) -> None:
        if inputs and isinstance(inputs[0], Tensor):
            shape = inputs[0].shape
            rows[name] = rows.get(name, 0) + (shape[:-1] if wide else shape).numel()

    hooks = [
        module.register_forward_pre_hook(partial(note, name, isinstance(module, nn.Linear)))
        for name, module in own.model.named_modules()
        if isinstance(module, nn.Linear | nn.Embedding)
    ]
    try:
        with torch.no_grad():
            own.call(own.model, own.batches[0])
    finally:
        for hook in hooks:
            hook.remove()
    return rows
