"""The dynamic LSTM against torch's operator, engine by engine."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from proofs.draw import Draw
from proofs.inputs import WEIGHT, X, sequences, weight
from proofs.proof import proof
from proofs.public import Large, public
from proofs.torch_engine import ENGINES, to_torch, torch_engine
from qlearn import LSTMWeights, QParams, QTensor, lstm_dynamic
from qlearn.checks.layers import Engine


def draw_codes(draw: Draw, rows: int, columns: int) -> QTensor:
    """Return a symmetric weight with one scale, as torch's dynamic LSTM has it."""
    scale = draw.scale(2) / 100
    codes = draw.codes((rows, columns), torch.int8, -128, 127)
    return QTensor(codes, QParams(scale, 0, -128, 127, torch.int8))


def draw_sequences(draw: Draw) -> tuple[Tensor, LSTMWeights, tuple[Tensor, Tensor] | None]:
    """Return an input, the weights of a layer, and a state or none."""
    steps, n, k, h = (draw.integer(1, top) for top in (8, 9, 40, 40))
    x = draw.normal(steps, n, k) * draw.power_of_ten(-4, 2)
    x = draw.choice([x, x, x, x.abs(), x * 0])
    weights = LSTMWeights(
        draw_codes(draw, 4 * h, k),
        draw.normal(4 * h),
        draw_codes(draw, 4 * h, h),
        draw.normal(4 * h),
    )
    state = draw.normal(n, h), draw.normal(n, h) * draw.choice([0.1, 1.0, 10.0])
    return x, weights, state if draw.chance(0.5) else None


def torchs_lstm(
    x: Tensor, weights: LSTMWeights, state: tuple[Tensor, Tensor] | None
) -> tuple[Tensor, tuple[Tensor, Tensor]]:
    """Return what ``torch.quantized_lstm`` makes of it: one layer, one direction."""
    pack = torch.ops.quantized.linear_prepack
    biases = weights.input_bias, weights.hidden_bias
    packed = [
        pack(to_torch(codes), bias)
        for codes, bias in zip((weights.input, weights.hidden), biases, strict=True)
    ]
    parameters = torch.ops.quantized.make_quantized_cell_params_dynamic(*packed, *biases, True)
    h = weights.hidden.values.shape[1]
    start = state or (torch.zeros(x.shape[1], h), torch.zeros(x.shape[1], h))
    output, hidden, cell = torch.quantized_lstm(
        x,
        [part.unsqueeze(0) for part in start],
        [parameters],
        has_biases=True,
        num_layers=1,
        dropout=0.0,
        train=False,
        bidirectional=False,
        batch_first=False,
        dtype=torch.qint8,
        use_dynamic=True,
    )
    return output, (hidden[0], cell[0])


def _prove(engine: Engine) -> None:
    @proof("lstm_dynamic", f"torch.quantized_lstm, engine {engine}")
    def on_engine(draw: Draw) -> tuple[Any, Any]:
        x, weights, state = draw_sequences(draw)
        with torch_engine(engine):
            theirs = torchs_lstm(x, weights, state)
        return lstm_dynamic(x, weights, state, engine=engine), theirs


for name in ENGINES:
    _prove(name)


_TENTHS = QParams(0.1, 0, -128, 127, torch.int8)
_INPUT = QTensor(WEIGHT.values.repeat(2, 1), _TENTHS)
_HIDDEN = QTensor(_INPUT.values[:, :1].contiguous(), _TENTHS)

public(
    "LSTMWeights",
    "models/dynamic_quantization",
    {
        "input": _INPUT,
        "input_bias": torch.ones(4),
        "hidden": _HIDDEN,
        "hidden_bias": torch.ones(4),
    },
    not_large="it only holds what lstm_dynamic takes",
    not_proven="it holds what lstm_dynamic takes, whose proofs make one in every case",
)
public(
    "lstm_dynamic",
    "models/dynamic_quantization",
    {
        "x": X.unsqueeze(0),
        "weights": LSTMWeights(_INPUT, torch.ones(4), _HIDDEN, torch.ones(4)),
        "state": (torch.zeros(2, 1), torch.ones(2, 1)),
        "engine": "fbgemm",
    },
    Large(
        "five steps",
        sequences,
        lambda x: lstm_dynamic(
            x, LSTMWeights(weight(4, 2), torch.ones(4), weight(4, 1), torch.ones(4))
        ),
        between=2,
    ),
)
