"""Kernels on codes against simulation, and each wrong line against what it should do."""

import pytest
import torch
from torch import nn

from qlearn import quantize, saturating_matmul, simulate
from qlearn.course.broken import kernels
from qlearn.course.broken.kernels import IntegerLayer, by_kernel, with_kernel

LAYERS = {
    "linear": (nn.Linear(18, 5), (7, 18)),
    "conv": (nn.Conv2d(2, 6, 3, padding=1), (3, 2, 5, 4)),
    "strided": (nn.Conv2d(2, 6, (3, 1), stride=2, padding=(1, 0)), (3, 2, 5, 4)),
    "depthwise": (nn.Conv2d(4, 4, 3, padding=1, groups=4), (2, 4, 5, 5)),
}


def simulated(name, low=-1.0):
    layer, shape = LAYERS[name]
    x = low + (2 - low) * torch.rand(shape)
    return simulate(layer.eval(), x), x


@pytest.mark.parametrize("low", [-1.0, 0.0])
@pytest.mark.parametrize("name", LAYERS)
def test_the_right_kernel_is_the_simulation(name, low):
    layer, x = simulated(name, low)
    with torch.no_grad():
        assert torch.allclose(by_kernel(layer, IntegerLayer)(x), layer(x), atol=1e-5)


@pytest.mark.parametrize("name", LAYERS)
def test_small_codes_do_not_saturate_and_large_ones_do(name):
    layer, x = simulated(name, 0.0)
    with torch.no_grad():
        for p in layer.layer.parameters():
            p.copy_(p.abs())  # all products positive
        layer = simulate(layer.layer, x)
        exact, saturated = (
            by_kernel(layer, kind)(x) for kind in (IntegerLayer, kernels.SaturatingLayer)
        )
        assert (saturated < exact - 1e-4).any()
        small = simulate(layer.layer, x, activation_bits=7)
        exact, saturated = (
            by_kernel(small, kind)(x) for kind in (IntegerLayer, kernels.SaturatingLayer)
        )
        assert torch.equal(exact, saturated)


@pytest.mark.parametrize(("groups", "k"), [(1, 8), (3, 9), (2, 1)])
def test_the_saturating_sums_are_saturating_matmuls(groups, k):
    layer, _ = simulated("linear")
    q = torch.randint(0, 256, (groups, 7, k), dtype=torch.uint8)
    w = torch.randint(-128, 128, (groups, 5, k)).to(torch.int8)
    ours = by_kernel(layer, kernels.SaturatingLayer).sums(q, w)
    for group in range(groups):
        assert torch.equal(ours[group], saturating_matmul(q[group], w[group].mT.contiguous()))
    assert k == 1 or not torch.equal(ours, by_kernel(layer, IntegerLayer).sums(q, w))


def test_the_wrong_lines_are_wrong_by_what_they_forget():
    layer, x = simulated("linear")
    scale, zero = layer.input_qparams.scale, layer.input_qparams.zero_point
    codes = quantize(layer.layer.weight.detach(), layer.weight_qparams).int()
    steps = scale * layer.weight_qparams.scale
    with torch.no_grad():
        right = by_kernel(layer, IntegerLayer)(x)
        bias = by_kernel(layer, kernels.BiasInWeightSteps)(x)
        assert torch.allclose(right - bias, layer.layer.bias * (1 - scale), atol=1e-5)
        dropped = by_kernel(layer, kernels.ZeroPointDropped)(x)
        assert torch.allclose(dropped - right, zero * codes.sum(1) * steps, atol=1e-4)
        signed = by_kernel(layer, kernels.SignedCodes)(x)
        above = (quantize(x, layer.input_qparams) > 127).int()
        assert torch.allclose(right - signed, 256 * (above @ codes.T) * steps, atol=1e-3)


def test_a_kernel_may_be_put_into_some_layers_only():
    model = simulate(nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 3)).eval(), torch.rand(4, 3))
    changed = with_kernel(model, IntegerLayer, ["1"])
    assert [type(layer).__name__ for layer in changed] == ["SimulatedLayer", "IntegerLayer"]
    assert type(model[1]).__name__ == "SimulatedLayer"
