"""The dynamic LSTM: two dynamic linear layers, and gates in float32."""

from __future__ import annotations

from typing import NamedTuple

import torch
from jaxtyping import Float32
from torch import Tensor

from qlearn.checks import check_float32
from qlearn.checks.finite import check_finite, check_no_nan
from qlearn.checks.layers import Engine, check_layer
from qlearn.integers.dynamic_linear import linear_dynamic
from qlearn.numbers.qtensor import QTensor

State = tuple[Tensor, Tensor]


class LSTMWeights(NamedTuple):
    """One layer's weights, four blocks of rows each: input, forget, cell and output gate.

    At a step with the input x and the hidden state, the gates are
    ``x·inputᵀ + input_bias + state·hiddenᵀ + hidden_bias``, a row of 4·h numbers for each sequence.

    Attributes:
        input: int8 codes of shape (4·h, k), for the k numbers of an input.
        input_bias: float32 of shape (4·h,), in the unit of the gates.
        hidden: int8 codes of shape (4·h, h), for the h numbers of the hidden state.
        hidden_bias: float32 of shape (4·h,), in the unit of the gates.

    Nothing is checked here: :func:`qlearn.lstm_dynamic` refuses parts that do not fit.

    Source: ``weight_ih_l0``, ``bias_ih_l0``, ``weight_hh_l0`` and ``bias_hh_l0`` of
    ``torch.nn.LSTM``, whose order of gates this is; the weights are quantized.

    >>> from qlearn import QParams
    >>> ones = QTensor(torch.ones(4, 1, dtype=torch.int8), QParams(0.5, 0, -128, 127, torch.int8))
    >>> LSTMWeights(ones, torch.zeros(4), ones, torch.zeros(4)).hidden.values.shape
    torch.Size([4, 1])
    """

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

    The input of all steps is quantized at once, by its smallest and largest number. The hidden
    state is quantized again at each step. Both products are those of ``linear_dynamic`` with
    reduce_range; the gates, and the states between the steps, stay in float32.

    Raises:
        TypeError: x or the state is not float32; weights are no LSTMWeights.
        ValueError: x does not have three dimensions or no steps; a weight does not have four
            blocks of rows; the state does not fit; or what ``linear_dynamic`` refuses.

    Source: ``torch.quantized_lstm`` with ``use_dynamic``, for one layer and one direction.

    >>> from qlearn import QParams
    >>> ones = QTensor(torch.ones(4, 1, dtype=torch.int8), QParams(0.5, 0, -128, 127, torch.int8))
    >>> weights = LSTMWeights(ones, torch.zeros(4), ones, torch.zeros(4))
    >>> lstm_dynamic(torch.zeros(3, 1, 1), weights)[0].shape
    torch.Size([3, 1, 1])
    """
    check_float32(x)
    if x.ndim != 3 or x.shape[0] == 0:
        raise ValueError(
            f"x has shape {tuple(x.shape)}; a dynamic LSTM takes three dimensions, (steps, n, k), "
            "and one step or more: give a single sequence a batch of one by x.unsqueeze(1)"
        )
    _check_weights(weights, engine)
    zeros = x.new_zeros(x.shape[1], weights.hidden.values.shape[1])
    hidden, cell = (zeros, zeros) if state is None else _checked_state(state, zeros.shape)
    from_input = linear_dynamic(x, weights.input, weights.input_bias, engine=engine)
    outputs = []
    for part in from_input:
        check_no_nan(
            hidden,
            "the hidden state",
            "infinite gates of both signs made it: pass finite biases, and smaller weight scales",
        )
        part = linear_dynamic(hidden, weights.hidden, weights.hidden_bias, engine=engine) + part
        hidden, cell = next_state(part, cell)
        outputs.append(hidden)
    return torch.stack(outputs), (hidden, cell)


def _check_weights(weights: LSTMWeights, engine: Engine) -> None:
    if not isinstance(weights, LSTMWeights):
        raise TypeError(
            f"weights is a {type(weights).__name__}: pass an LSTMWeights, which holds two weights "
            "and two biases"
        )
    check_layer(weights.input, weights.input_bias, engine)
    check_layer(weights.hidden, weights.hidden_bias, engine)
    h = weights.hidden.values.shape[1]
    for name, weight in (("input", weights.input), ("hidden", weights.hidden)):
        if weight.values.shape[0] != 4 * h:
            raise ValueError(
                f"the {name} weight has {weight.values.shape[0]} rows, but a hidden state of {h} "
                f"numbers needs {4 * h}: pass four blocks of {h} rows each"
            )


def _checked_state(state: State, shape: torch.Size) -> State:
    if not isinstance(state, tuple | list) or len(state) != 2:
        raise TypeError(f"state is {state!r}: pass two tensors, the hidden and the cell state")
    for name, part in zip(("hidden", "cell"), state, strict=True):
        check_float32(part, f"the {name} state")
        if part.shape != shape:
            raise ValueError(
                f"the {name} state has shape {tuple(part.shape)}, but it holds a row for each "
                f"sequence: pass shape {tuple(shape)}"
            )
        check_finite(
            part,
            name=f"the {name} state",
            because="the next step would spread them: pass the state of a healthy step, or None",
        )
    return state[0].detach(), state[1].detach()


def next_state(gates: Float32[Tensor, "n 4*h"], cell: Float32[Tensor, "n h"]) -> State:
    """Return hidden and cell state after a step, by torch's operations in torch's order.

    ``c' = σ(f)·c + σ(i)·tanh(g)`` and ``h' = σ(o)·tanh(c')``, for the blocks i, f, g, o.

    >>> next_state(torch.zeros(1, 4), torch.ones(1, 1))[1]
    tensor([[0.5000]])
    """
    i, f, g, o = gates.chunk(4, dim=1)
    cell = f.sigmoid() * cell + i.sigmoid() * g.tanh()
    return o.sigmoid() * cell.tanh(), cell
