"""The repairs, each by what defines it."""

import numpy as np
import torch
from torch import nn

from qlearn import simulate
from qlearn.course import normal
from qlearn.course.broken import patients
from qlearn.course.broken.menu import equalized_net, menu, worst_layer
from qlearn.course.broken.nets import separable_net
from qlearn.course.broken.repairs import PercentileObserver, bias_corrected, trained
from qlearn.course.broken.rulers import PAIRS
from qlearn.models.calls import layer_calls


def test_the_percentile_drops_as_many_values_at_each_end():
    x = normal(1000, generator=torch.Generator().manual_seed(0))
    observer = PercentileObserver(share=0.02)
    assert observer(x) is x
    ordered = np.sort(x.numpy())
    assert (observer.min_val.item(), observer.max_val.item()) == (ordered[10], ordered[-11])


def test_after_bias_correction_no_channel_is_wrong_on_average():
    p = patients()["G"]
    corrected = bias_corrected(p.net, p.quantized, p.calibration)
    for name in ("conv1", "pw2", "fc"):
        [exact] = layer_calls(p.net, p.calibration, [name])[name]
        [seen] = layer_calls(corrected, p.calibration, [name])[name]
        assert (seen.y - exact.y).movedim(1, 0).flatten(1).mean(1).abs().max() < 1e-4
    assert p.right() == p.right(p.quantized)  # the patient stays as it is


def test_a_layer_without_a_bias_is_given_one():
    net = nn.Sequential(nn.Linear(4, 2, bias=False)).eval()
    x = normal(64, 4, generator=torch.Generator().manual_seed(1))
    corrected = bias_corrected(net, simulate(net, x, weight_bits=3), x)
    assert (corrected(x) - net(x)).mean(0).abs().max() < 1e-6


def test_equalized_channels_are_as_large_before_as_behind():
    p = patients()["C"]
    net = equalized_net(p)
    assert torch.allclose(net(p.images), p.net(p.images), atol=1e-3)
    for first, second in PAIRS:
        before, after = net.get_submodule(first).weight, net.get_submodule(second).weight
        behind = after if len(after) == len(before) and after.shape[1] == 1 else after.movedim(1, 0)
        ratio = before.abs().flatten(1).amax(1) / behind.abs().flatten(1).amax(1)
        assert (ratio.log2().abs() < 0.1).all()


def test_training_teaches_the_codes_and_leaves_the_patient():
    p = patients()["G"]
    before = p.quantized.conv1.layer.weight.clone()
    assert p.right(trained(p.quantized, p.trained_on, epochs=1)) >= p.right() + 18
    assert torch.equal(p.quantized.conv1.layer.weight, before)


def test_the_menu_is_in_the_order_of_cost_and_makes_nothing_before_it_is_asked():
    p = patients()["J"]
    names = list(menu(p))
    assert (names[0], names[-1]) == ("right data", "training")
    assert worst_layer(p) == "dw1"


def test_a_healthy_network_is_not_repaired_by_a_repair():
    net = separable_net()
    p = patients()["E"]
    well = simulate(net, p.calibration)
    assert abs(p.right(bias_corrected(net, well, p.calibration)) - p.right(well)) <= 3
