"""What dynamic quantization changes about a layer: its bytes, and the work on each of them.

A layer here is one of four kinds, on a batch of sequences: ``linear`` maps each step,
``lstm`` is one layer in one direction, ``conv1d`` slides three steps wide with padding, and
``embedding`` looks a row up for each step, its inputs being the rows of its table.
"""

from __future__ import annotations

from enum import Enum
from typing import Any, Literal, NamedTuple

from torch import nn

from qlearn.checks import check_choice

Kind = Literal["linear", "lstm", "conv1d", "embedding"]
KINDS = ("linear", "lstm", "conv1d", "embedding")
CONV_WIDTH = 3


class Spec(NamedTuple):
    """What a call of ``quantize_dynamic`` swaps, and the bytes of a weight afterwards."""

    arguments: str  # after the model, as in quantize_dynamic(model, {nn.Linear})
    swaps: tuple[Kind, ...]
    in_file: int
    in_memory: int


class Call(Enum):
    """A call of ``quantize_dynamic``, named by what its arguments ask for.

    >>> Call.FLOAT16.source
    'quantize_dynamic(model, dtype=torch.float16)'
    """

    DEFAULT = Spec("", ("linear", "lstm"), 1, 1)
    LINEAR = Spec("{nn.Linear}", ("linear",), 1, 1)
    LSTM = Spec("{nn.LSTM}", ("lstm",), 1, 1)
    WITH_CONV1D = Spec("{nn.Linear, nn.LSTM, nn.Conv1d}", ("linear", "lstm"), 1, 1)
    FLOAT16 = Spec("dtype=torch.float16", ("linear", "lstm"), 4, 2)
    QUINT8 = Spec("dtype=torch.quint8", ("embedding",), 1, 1)

    @property
    def source(self) -> str:
        """The call as one writes it."""
        return f"quantize_dynamic({', '.join(filter(None, ['model', self.value.arguments]))})"


class LayerCost(NamedTuple):
    """Before and after a call; the work is per call of the layer."""

    swapped: bool
    file_before: int
    file_after: int
    products: int
    fetched_before: int
    fetched_after: int


def layer_cost(
    kind: Kind,
    inputs: int,
    outputs: int,
    call: Call = Call.DEFAULT,
    *,
    batch: int = 1,
    steps: int = 1,
) -> LayerCost:
    """Return a layer's bytes in a file, its products, and the bytes of weights that it fetches.

    A swapped linear layer's file has 12 bytes more, for a scale and a zero point that mean
    nothing, and an embedding's 8 for each row. Fetched is counted as if nothing stayed in the
    cache: a layer's weights once a call, the LSTM's weights for the hidden state at each step,
    and of an embedding the rows that are looked up.

    Raises:
        TypeError: ``call`` is not a :class:`Call`.
        ValueError: an unknown kind; a size below 1.

    >>> cost = layer_cost("linear", 64, 10)
    >>> cost.file_before, cost.file_after
    (2600, 692)
    """
    check_choice(kind, "kind", KINDS)
    if not isinstance(call, Call):
        names = ", ".join(f"Call.{member.name}" for member in Call)
        raise TypeError(f"call is {call!r}: pass one of {names}")
    sizes = {"inputs": inputs, "outputs": outputs, "batch": batch, "steps": steps}
    for name, size in sizes.items():
        if size < 1:
            raise ValueError(f"{name} is {size}: pass at least 1")
    weights, biases, products, fetched = _counts(kind, inputs, outputs, batch, steps)
    spec = call.value
    swapped = kind in spec.swaps
    extra = {"linear": 12, "embedding": 8 * inputs}.get(kind, 0) if swapped else 0
    row = 8 * batch * steps if kind == "embedding" and swapped else 0
    return LayerCost(
        swapped,
        4 * (weights + biases),
        (spec.in_file if swapped else 4) * weights + 4 * biases + extra,
        products,
        4 * fetched,
        (spec.in_memory if swapped else 4) * fetched + row,
    )


def _counts(
    kind: Kind, inputs: int, outputs: int, batch: int, steps: int
) -> tuple[int, int, int, int]:
    """Return weights, biases, products and fetched weights."""
    rows = batch * steps
    if kind == "embedding":
        return inputs * outputs, 0, 0, rows * outputs
    if kind == "lstm":
        once, each_step = 4 * outputs * inputs, 4 * outputs * outputs
        weights = once + each_step
        return weights, 8 * outputs, rows * weights, once + steps * each_step
    weights = inputs * outputs * (CONV_WIDTH if kind == "conv1d" else 1)
    return weights, outputs, rows * weights, weights


def make_layer(kind: Kind, inputs: int, outputs: int) -> nn.Module:
    """Return torch's module for a layer of this kind.

    >>> make_layer("linear", 4, 3)
    Linear(in_features=4, out_features=3, bias=True)
    """
    makers: dict[str, Any] = {
        "linear": nn.Linear,
        "lstm": nn.LSTM,
        "conv1d": lambda i, o: nn.Conv1d(i, o, CONV_WIDTH, padding=1),
        "embedding": nn.Embedding,
    }
    check_choice(kind, "kind", KINDS)
    module: nn.Module = makers[kind](inputs, outputs)
    return module
