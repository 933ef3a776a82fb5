"""lstm_dynamic against the layer that torch makes of an LSTM, on every engine.

The proofs compare it with torch's operator on many more layers.
"""

import warnings

import pytest
import torch
from torch import nn
from torch.ao.quantization import quantize_dynamic

from proofs.draw import Draw
from qlearn import LSTMWeights, QParams, QTensor, lstm_dynamic
from qlearn.integers.dynamic_lstm import next_state
from qlearn.machine import working_engines
from tests.bits import same_bits

ENGINES = ["fbgemm", "x86", "onednn", "qnnpack"]


@pytest.fixture(params=ENGINES)
def engine(request, monkeypatch):
    if request.param not in working_engines():
        pytest.skip(f"no layer runs on {request.param} here")
    monkeypatch.setattr(torch.backends.quantized, "engine", request.param)
    return request.param


@pytest.fixture
def some_engine(monkeypatch):
    monkeypatch.setattr(torch.backends.quantized, "engine", working_engines()[0])


def unpacked(layer) -> LSTMWeights:
    def codes(name):
        weight = layer.get_weight()[name]
        qparams = QParams(weight.q_scale(), weight.q_zero_point(), -128, 127, torch.int8)
        return QTensor(weight.int_repr(), qparams)

    bias = layer.get_bias()
    return LSTMWeights(
        codes("weight_ih_l0"), bias["bias_ih_l0"], codes("weight_hh_l0"), bias["bias_hh_l0"]
    )


def random_case(number):
    """Return torch's layer, an input and a state, of random sizes."""
    draw = Draw(number)
    inputs, hidden, steps, batch = (draw.integer(1, top) for top in (40, 70, 12, 9))
    lstm = nn.LSTM(inputs, hidden)
    with torch.no_grad():
        for parameter in lstm.parameters():
            parameter.copy_(draw.normal(*parameter.shape) / 8)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        layer = quantize_dynamic(nn.Sequential(lstm), {nn.LSTM})[0]
    x = 3 * draw.normal(steps, batch, inputs)
    return layer, x, (draw.normal(1, batch, hidden), draw.normal(1, batch, hidden))


@pytest.mark.parametrize("given", [False, True], ids=["from zero", "from a state"])
def test_every_bit_is_torchs(engine, given):
    for number in range(5):
        layer, x, (h, c) = random_case(number)
        with torch.no_grad():
            expected, (last_h, last_c) = layer(x, (h, c) if given else None)
            found, (hidden, cell) = lstm_dynamic(
                x, unpacked(layer), (h[0], c[0]) if given else None, engine=engine
            )
        assert same_bits(found, expected)
        assert same_bits(hidden, last_h[0])
        assert same_bits(cell, last_c[0])


@pytest.mark.usefixtures("some_engine")
def test_the_input_is_quantized_for_all_steps_at_once():
    layer, x, _ = random_case(1)
    weights = unpacked(layer)
    changed = x.clone()
    changed[-1] = 100.0
    first, second = (lstm_dynamic(inputs, weights)[0][0] for inputs in (x, changed))
    assert not same_bits(first, second)


def test_the_gates_are_in_torchs_order():
    gates = torch.tensor([[1.0, 2.0, 3.0, 4.0]])
    hidden, cell = next_state(gates, torch.tensor([[0.5]]))
    i, f, g, o = gates[0]
    expected = torch.sigmoid(f) * 0.5 + torch.sigmoid(i) * torch.tanh(g)
    assert torch.allclose(cell[0, 0], expected)
    assert torch.allclose(hidden[0, 0], torch.sigmoid(o) * torch.tanh(expected))


@pytest.mark.usefixtures("some_engine")
def test_bad_input_is_named():
    weights = unpacked(random_case(0)[0])
    width = weights.input.values.shape[1]
    with pytest.raises(ValueError, match=r"x has shape \(4, \d+\).*unsqueeze"):
        lstm_dynamic(torch.zeros(4, width), weights)
    with pytest.raises(TypeError, match="float64"):
        lstm_dynamic(torch.zeros(4, 1, width).double(), weights)
    with pytest.raises(TypeError, match="weights is a tuple: pass an LSTMWeights"):
        lstm_dynamic(torch.zeros(4, 1, width), tuple(weights))
    with pytest.raises(ValueError, match=r"the input weight has \d+ rows.*four blocks"):
        lstm_dynamic(torch.zeros(4, 1, width), weights._replace(hidden=weights.input))


def with_nan_cell(hidden, cell):
    """Return a state in which one number is none."""
    cell = cell.clone()
    cell[0, 1] = torch.nan
    return hidden, cell


@pytest.mark.usefixtures("some_engine")
def test_no_gradient_goes_through_it():
    layer, x, state = random_case(2)
    parts = [part[0].clone().requires_grad_() for part in state]
    outputs, (hidden, cell) = lstm_dynamic(x.requires_grad_(), unpacked(layer), parts)
    assert not any(part.requires_grad for part in (outputs, hidden, cell))


@pytest.mark.usefixtures("some_engine")
@pytest.mark.parametrize(
    ("spoiled", "error", "message"),
    [
        (lambda hidden, _: hidden, TypeError, "pass two tensors, the hidden and the cell state"),
        (lambda *_: [torch.zeros(1, 1)] * 2, ValueError, r"hidden state has shape \(1, 1\)"),
        (with_nan_cell, ValueError, r"the cell state holds .* at index \(0, 1\), .*: pass the"),
    ],
    ids=["one tensor", "shape", "nan"],
)
def test_a_bad_state_is_named(spoiled, error, message):
    layer, x, state = random_case(2)
    with pytest.raises(error, match=message):
        lstm_dynamic(x, unpacked(layer), spoiled(*(part[0] for part in state)))


@pytest.mark.usefixtures("some_engine")
def test_a_hidden_state_that_became_nan_is_named():
    weights = unpacked(random_case(0)[0])
    beyond = torch.full_like(weights.input_bias, torch.inf)
    opposite = weights._replace(input_bias=beyond, hidden_bias=-beyond)
    x = torch.zeros(2, 1, weights.input.values.shape[1])
    with pytest.raises(ValueError, match="the hidden state holds NaN, .*: pass finite biases"):
        lstm_dynamic(x, opposite)
    open_gates = weights._replace(input_bias=beyond, hidden_bias=beyond)
    assert lstm_dynamic(x, open_gates)[0].isfinite().all()
