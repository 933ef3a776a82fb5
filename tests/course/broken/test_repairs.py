"""The repairs, each by what defines it."""

import torch

from qlearn import bias_corrected, simulate
from qlearn.course.broken import patients
from qlearn.course.broken.menu import equalized_net, menu, worst_layer
from qlearn.course.broken.nets import separable_net
from qlearn.course.broken.repairs import trained
from qlearn.course.broken.rulers import PAIRS


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
