"""The dynamic LSTM: two dynamic linear layers, and gates in float32."""

from __future__ import annotations

from typing import NamedTuple

import torch
from jaxtyping import Float32
from torch import Tensor

from qlearn.checks import check_float32
from qlearn.integers.dynamic_linear import linear_dynamic
from qlearn.integers.layer_checks import Engine
from qlearn.numbers.qtensor import QTensor

State = tuple[Tensor, Tensor]


class LSTMWeights(NamedTuple):
    """One layer's weights, four blocks of rows each: input, forget, cell and output gate."""

    input: QTensor
    input_bias: Float32[Tensor, " 4*h"]
    hidden: QTensor
    hidden_bias: Float32[Tensor, " 4*h"]


def lstm_dynamic(
    x: Float32[Tensor, "steps n k"],
    weights: LSTMWeights,
    state: State | None = None,
    *,
    engine: Engine = "fbgemm",
) -> tuple[Float32[Tensor, "steps n h"], State]:
    """Return the hidden state after every step, and the last hidden and cell state.

    The input of all steps is quantized at once, by its smallest and largest number; the hidden
    state anew at each step. Both products are those of ``linear_dynamic`` with reduce_range;
    the gates, and the states between the steps, stay in float32.

    Raises:
        TypeError: x is not float32.
        ValueError: x does not have three dimensions; or what ``linear_dynamic`` refuses.

    Source: ``torch.quantized_lstm`` with ``use_dynamic``, for one layer and one direction.

    >>> from qlearn import QParams
    >>> ones = QTensor(torch.ones(4, 1, dtype=torch.int8), QParams(0.5, 0, -128, 127, torch.int8))
    >>> weights = LSTMWeights(ones, torch.zeros(4), ones, torch.zeros(4))
    >>> lstm_dynamic(torch.zeros(3, 1, 1), weights)[0].shape
    torch.Size([3, 1, 1])
    """
    check_float32(x)
    if x.ndim != 3:
        raise ValueError(
            f"x has shape {tuple(x.shape)}; a dynamic LSTM takes three dimensions, (steps, n, k): "
            "give a single sequence a batch of one by x.unsqueeze(1)"
        )
    zeros = torch.zeros(x.shape[1], weights.hidden.values.shape[1])
    hidden, cell = state or (zeros, zeros)
    from_input = linear_dynamic(x, weights.input, weights.input_bias, engine=engine)
    outputs = []
    for part in from_input:
        part = linear_dynamic(hidden, weights.hidden, weights.hidden_bias, engine=engine) + part
        hidden, cell = next_state(part, cell)
        outputs.append(hidden)
    return torch.stack(outputs), (hidden, cell)


def next_state(gates: Float32[Tensor, "n 4*h"], cell: Float32[Tensor, "n h"]) -> State:
    """Return hidden and cell state after a step, by torch's operations in torch's order.

    ``c' = σ(f)·c + σ(i)·tanh(g)`` and ``h' = σ(o)·tanh(c')``, for the blocks i, f, g, o.

    >>> next_state(torch.zeros(1, 4), torch.ones(1, 1))[1]
    tensor([[0.5000]])
    """
    i, f, g, o = gates.chunk(4, dim=1)
    cell = f.sigmoid() * cell + i.sigmoid() * g.tanh()
    return o.sigmoid() * cell.tanh(), cell
