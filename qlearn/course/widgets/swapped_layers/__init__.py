"""A model of the reader's own, and what dynamic quantization changes about each layer."""

from __future__ import annotations

from traitlets import Enum, Int, List, Tuple

from qlearn.course.layer_costs import KINDS, Call, Kind, LayerCost, layer_cost
from qlearn.course.widgets.shared.figure import Figure

CALLS = {call.value.arguments: call for call in Call}
MAX_LAYERS = 6
MAX_SIZE = 65536
MAX_CALL = 256  # of batch and steps; so all counts fit a JavaScript number

Layer = tuple[Kind, int, int]


class SwappedLayers(Figure):
    """Show what a call of ``quantize_dynamic`` swaps, the bytes saved, and the work on each byte.

    The reader may change the call, each layer's kind and sizes, the batch and the steps. What
    one layer puts out need not be what the next one takes.

    Args:
        *layers: kind, inputs and outputs of each, as
            :func:`qlearn.course.layer_costs.layer_cost` has them; one to six.
        spec: the arguments of the call after the model.
        batch: how many sequences a call of the model gets, 1 to 256.
        steps: how long they are, 1 to 256.

    >>> SwappedLayers(("linear", 64, 10), ("conv1d", 8, 16))
    SwappedLayers(quantize_dynamic(model)): layer 1 swapped; 4,200 to 2,292 bytes
    """

    layers = List(
        Tuple(Enum(KINDS), *[Int(min=1, max=MAX_SIZE)] * 2), minlen=1, maxlen=MAX_LAYERS
    ).tag(sync=True)
    spec = Enum(tuple(CALLS), "").tag(sync=True)
    batch = Int(1, min=1, max=MAX_CALL).tag(sync=True)
    steps = Int(1, min=1, max=MAX_CALL).tag(sync=True)

    def __init__(self, *layers: Layer, spec: str = "", batch: int = 1, steps: int = 1) -> None:
        super().__init__(layers=list(layers), spec=spec, batch=batch, steps=steps)

    @property
    def costs(self) -> list[LayerCost]:
        """What :func:`qlearn.course.layer_costs.layer_cost` says of each layer."""
        call = CALLS[self.spec]
        return [
            layer_cost(kind, inputs, outputs, call, batch=self.batch, steps=self.steps)
            for kind, inputs, outputs in self.layers
        ]

    def __repr__(self) -> str:
        """Say in one line what is swapped and saved; a notebook's re-run compares it."""
        places = [str(place) for place, cost in enumerate(self.costs, start=1) if cost.swapped]
        which = f"layer {', '.join(places)}" if places else "nothing"
        before = sum(cost.file_before for cost in self.costs)
        after = sum(cost.file_after for cost in self.costs)
        call = CALLS[self.spec].source
        return f"SwappedLayers({call}): {which} swapped; {before:,} to {after:,} bytes"
