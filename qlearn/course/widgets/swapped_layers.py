"""A model of the reader's own, and what dynamic quantization changes about each layer."""

from __future__ import annotations

from typing import Any

import anywidget
import traitlets

from qlearn.checks import check_choice
from qlearn.course.layer_costs import KINDS, Call, Kind, LayerCost, layer_cost
from qlearn.course.widgets.bundle import bundle, styles

CALLS = {call.value.arguments: call for call in Call}
MAX_LAYERS = 6
MAX_SIZE = 65536
MAX_CALL = 256  # of batch and steps; so all counts fit a JavaScript number


class SwappedLayers(anywidget.AnyWidget):
    """Show what a call of ``quantize_dynamic`` swaps, the bytes saved, and the work on each byte.

    The reader may change the call, each layer's kind and sizes, the batch and the steps. What
    one layer puts out need not be what the next one takes.

    Args:
        *layers: kind, inputs and outputs of each, as
            :func:`qlearn.course.layer_costs.layer_cost` has them; one to six.
        spec: the arguments of the call after the model.
        batch: how many sequences a call of the model gets, 1 to 256.
        steps: how long they are, 1 to 256.

    Attributes:
        layers: a list of dictionaries with the keys kind, inputs and outputs.
        spec, batch, steps: as above.

    Raises:
        ValueError: no layer or too many; a kind or spec that is unknown; a number out of range.
            Assignments raise likewise.

    >>> SwappedLayers(("linear", 64, 10), ("conv1d", 8, 16))
    SwappedLayers(quantize_dynamic(model)): layer 1 swapped; 4,200 to 2,292 bytes
    """

    _esm = bundle("swapped_layers.js")
    _css = styles("swapped_layers.css")

    layers: traitlets.List = traitlets.List().tag(sync=True)
    spec = traitlets.Enum(tuple(CALLS), "").tag(sync=True)
    batch = traitlets.Int(1).tag(sync=True)
    steps = traitlets.Int(1).tag(sync=True)

    def __init__(
        self, *layers: tuple[Kind, int, int], spec: str = "", batch: int = 1, steps: int = 1
    ) -> None:
        """Store the model and the call."""
        check_choice(spec, "spec", tuple(CALLS))
        names = ("kind", "inputs", "outputs")
        super().__init__(
            layers=[dict(zip(names, layer, strict=True)) for layer in layers],
            spec=spec,
            batch=batch,
            steps=steps,
        )

    @property
    def costs(self) -> list[LayerCost]:
        """What :func:`qlearn.course.layer_costs.layer_cost` says of each layer."""
        return [
            layer_cost(**layer, call=CALLS[self.spec], batch=self.batch, steps=self.steps)
            for layer in self.layers
        ]

    @traitlets.validate("layers")
    def _check_layers(self, proposal: dict[str, Any]) -> list[dict[str, Any]]:
        """Refuse layers that cannot be shown."""
        layers: list[dict[str, Any]] = proposal["value"]
        if not 1 <= len(layers) <= MAX_LAYERS:
            raise ValueError(f"there are {len(layers)} layers: pass 1 to {MAX_LAYERS}")
        for layer in layers:
            check_choice(layer["kind"], "kind", KINDS)
            for name in ("inputs", "outputs"):
                _check_number(name, layer[name], MAX_SIZE)
        return layers

    @traitlets.validate("batch", "steps")
    def _check_call(self, proposal: dict[str, Any]) -> int:
        """Refuse numbers out of range."""
        value: int = proposal["value"]
        _check_number(proposal["trait"].name, value, MAX_CALL)
        return value

    def __repr__(self) -> str:
        """Say in one line what is swapped and saved; a notebook's re-run compares it."""
        costs = self.costs
        places = [str(place) for place, cost in enumerate(costs, start=1) if cost.swapped]
        which = f"layer {', '.join(places)}" if places else "nothing"
        before, after = (sum(sizes) for sizes in zip(*(c[1:3] for c in costs), strict=True))
        call = CALLS[self.spec].source
        return f"SwappedLayers({call}): {which} swapped; {before:,} to {after:,} bytes"


def _check_number(name: str, value: Any, largest: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= largest:
        raise ValueError(f"{name} is {value!r}: pass a whole number from 1 to {largest}")
