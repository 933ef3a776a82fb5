"""The table of layers, worked by hand."""

import math

import pytest
import torch
from torch import nn

from qlearn import QParams, SimulatedLayer, layer_table, simulate
from qlearn.course import normal


def one_layer(weight, bias, qparams):
    """A linear layer and its simulation, of which only the input is rounded."""
    layer = nn.Linear(len(weight[0]), len(weight))
    with torch.no_grad():
        layer.weight.copy_(torch.tensor(weight))
        layer.bias.copy_(torch.tensor(bias))
    return nn.Sequential(layer).eval(), nn.Sequential(SimulatedLayer(layer, qparams, None)).eval()


def test_a_row_by_hand():
    """Marks 0, 1, 2, 3: 0.25 becomes 0, 2.25 becomes 2, and 5 is clipped to 3."""
    model, quantized = one_layer([[2.0], [-8.0]], [1.0, 0.0], QParams(1.0, 0, 0, 3, torch.uint8))
    [row] = layer_table(model, quantized, torch.tensor([[0.25], [2.25], [5.0]]))
    assert row.name == "0"
    assert row.clipped == pytest.approx(1 / 3)
    assert row.used == 1.0  # codes 0 to 3 of 0 to 3
    assert row.weight_spread == 4.0
    assert row.input_spread == 1.0
    errors = torch.tensor([-0.25, -0.25, -2.0])
    assert torch.allclose(row.mean_error, errors.mean() * torch.tensor([2.0, -8.0]))
    power = errors.square().mean()
    assert row.mean_share == pytest.approx((errors.mean() ** 2 / power).item())
    signal = sum(y * y for x in (0.25, 2.25, 5.0) for y in (2 * x + 1, -8 * x))
    noise = sum((w * e) ** 2 for e in errors.tolist() for w in (2, 8))
    assert row.own == row.leaving == pytest.approx(10 * math.log10(signal / noise))


def test_the_spread_of_the_input_is_the_largest_channel_over_the_median_one():
    model, quantized = one_layer(
        [[1.0, 1.0, 1.0, 1.0]], [0.0], QParams(1.0, 0, 0, 255, torch.uint8)
    )
    x = torch.tensor([[1.0, -12.0, 0.0, 3.0], [2.0, 1.0, 0.0, 1.0]])
    assert (
        layer_table(model, quantized, x)[0].input_spread == 4.0
    )  # 12 over 3; a silent one counts not


def test_the_own_error_is_of_the_layer_that_makes_it():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 8), nn.Linear(8, 8)).eval()
    x = normal(64, 8, generator=torch.Generator().manual_seed(0))
    bad = simulate(model, x, weight_bits=2, activation_bits=2, layers=["2"])
    bad = simulate_others(model, x, bad)
    rows = {row.name: row for row in layer_table(model, bad, x)}
    assert list(rows) == ["0", "2", "3"]
    assert rows["0"].own > 30 and rows["2"].own < 12 and rows["3"].own > 25
    assert rows["2"].leaving < 12 and rows["3"].leaving < 12


def simulate_others(model, x, bad):
    """Put the bad layer into an eight-bit simulation."""
    good = simulate(model, x)
    good[2] = bad[2]
    return good


def test_a_float_layer_has_no_error_and_no_ruler():
    model = nn.Sequential(nn.Linear(2, 2)).eval()
    quantized = simulate(model, torch.rand(4, 2), weight_bits=None, activation_bits=None)
    [row] = layer_table(model, quantized, torch.rand(4, 2))
    assert row.own == row.leaving == math.inf
    assert row.clipped == row.used == row.mean_share == 0


def test_an_image_without_a_batch_has_its_channels_first():
    model, image = nn.Sequential(nn.Conv2d(2, 3, 1)).eval(), torch.rand(2, 5, 6)
    quantized = simulate(model, image)
    [row], [same] = (layer_table(model, quantized, x) for x in (image, image[None]))
    assert row.mean_error.shape == (3,)
    assert torch.allclose(row.mean_error, same.mean_error, atol=1e-7)
    assert row.input_spread == same.input_spread


MODEL, X = nn.Sequential(nn.Linear(3, 2)).eval(), torch.rand(4, 3)


@pytest.mark.parametrize(
    ("model", "quantized", "inputs", "error", "message"),
    [
        (None, simulate(MODEL, X), X, TypeError, "model is a NoneType"),
        (MODEL, 3, X, TypeError, "quantized is a int"),
        (MODEL, MODEL, X, ValueError, "quantized has no SimulatedLayer"),
        (nn.Linear(3, 2).eval(), simulate(MODEL, X), X, ValueError, "no SimulatedLayer under"),
        (MODEL, simulate(MODEL, X), X[:0], ValueError, "inputs is empty"),
        (MODEL, simulate(MODEL, X), X[:, :2], ValueError, "does not run on inputs"),
    ],
)
def test_what_does_not_fit_is_refused(model, quantized, inputs, error, message):
    with pytest.raises(error, match=message):
        layer_table(model, quantized, inputs)


def test_a_layer_of_a_single_vector_has_a_row():
    model, x = nn.Linear(4, 4).eval(), torch.rand(4)
    [row] = layer_table(model, simulate(model, x), x)
    assert row.own > 20 and row.mean_error.shape == (4,)


@pytest.mark.parametrize("inplace", [False, True])
def test_an_activation_in_place_changes_no_row(inplace):
    generator = torch.Generator().manual_seed(0)
    x = normal(64, 8, generator=generator)
    model = nn.Sequential(nn.Linear(8, 8), nn.ReLU(inplace), nn.Linear(8, 8)).eval()
    with torch.no_grad():
        for layer in (model[0], model[2]):
            layer.weight.copy_(normal(8, 8, generator=generator))
            layer.bias.zero_()
    row = layer_table(model, simulate(model, x, weight_bits=4), x)[0]
    assert row.own > 15 and row.mean_share < 0.05
