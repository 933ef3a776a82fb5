"""The formulas against modules of torch: what is swapped, and how large the file gets."""

import warnings

import pytest
import torch
from torch import nn
from torch.ao.quantization import quantize_dynamic

from qlearn.course.layer_costs import KINDS, Call, layer_cost, make_layer
from qlearn.course.stored_bytes import number_bytes
from qlearn.machine import working_engines

SIZES = [(1, 1), (5, 3), (64, 10), (33, 40)]


def swapped(model, call):
    """Run the source of the call."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        names = {"quantize_dynamic": quantize_dynamic, "nn": nn, "torch": torch, "model": model}
        return eval(call.source, names)


def copies(kind, outputs, swapped):
    """Return the bytes of the biases that qnnpack's LSTM stores a second time."""
    engine = torch.backends.quantized.engine
    return 4 * 8 * outputs if kind == "lstm" and swapped and engine == "qnnpack" else 0


@pytest.mark.parametrize("call", Call)
@pytest.mark.parametrize("kind", KINDS)
def test_bytes_and_swaps_are_torchs(kind, call):
    if call is Call.FLOAT16 and "fbgemm" not in working_engines():
        pytest.skip("FBGEMM alone packs float16 weights, and does not run on this machine")
    for inputs, outputs in SIZES:
        module = nn.Sequential(make_layer(kind, inputs, outputs))
        after = swapped(module, call)
        cost = layer_cost(kind, inputs, outputs, call)
        assert cost.swapped == (type(after[0]) is not type(module[0]))
        assert cost.file_before == number_bytes(module)
        assert cost.file_after == number_bytes(after) - copies(kind, outputs, cost.swapped)


def test_products_are_counted_by_torchs_flop_counter():
    from torch.utils.flop_counter import FlopCounterMode

    batch, steps, inputs, outputs = 3, 5, 7, 4
    cases = {
        "linear": torch.zeros(batch, steps, inputs),
        "conv1d": torch.zeros(batch, inputs, steps),
    }
    for kind, x in cases.items():
        module = make_layer(kind, inputs, outputs)
        with FlopCounterMode(display=False) as counter:
            module(x)
        cost = layer_cost(kind, inputs, outputs, batch=batch, steps=steps)
        assert counter.get_total_flops() == 2 * cost.products
        assert cost.fetched_before == 4 * module.weight.numel()


def test_an_lstm_fetches_its_hidden_weights_at_each_step():
    one, many = (layer_cost("lstm", 7, 4, batch=3, steps=steps) for steps in (1, 5))
    module = make_layer("lstm", 7, 4)
    weights, hidden = module.weight_ih_l0.numel(), module.weight_hh_l0.numel()
    assert one.products == 3 * (weights + hidden)
    assert many.products == 5 * one.products
    assert many.fetched_before == 4 * (weights + 5 * hidden)
    assert many.fetched_after == weights + 5 * hidden


def test_an_embedding_fetches_the_rows_that_are_looked_up():
    cost = layer_cost("embedding", 1000, 16, Call.QUINT8, batch=2, steps=3)
    assert cost.products == 0
    assert (cost.fetched_before, cost.fetched_after) == (6 * 64, 6 * (16 + 8))


def test_half_precision_halves_what_is_fetched_but_not_the_file():
    cost = layer_cost("linear", 8, 8, Call.FLOAT16)
    assert (cost.fetched_before, cost.fetched_after) == (256, 128)
    assert cost.file_after == cost.file_before + 12


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        (("gru", 4, 4), {}, ValueError, "kind"),
        (("linear", 4, 4, "{nn.GRU}"), {}, TypeError, "call is '{nn.GRU}': pass one of Call.DEF"),
        (("linear", 0, 4), {}, ValueError, "inputs is 0: pass at least 1"),
        (("linear", 4, 4), {"steps": 0}, ValueError, "steps is 0"),
    ],
)
def test_what_means_nothing_is_refused(arguments, options, error, message):
    with pytest.raises(error, match=message):
        layer_cost(*arguments, **options)
    with pytest.raises(ValueError, match="kind.*'gru'"):
        make_layer("gru", 1, 1)
