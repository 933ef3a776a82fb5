"""The digits' network under fake quantization: what is prepared, shipped and recorded."""

import copy
from typing import get_args

import pytest
import torch
from torch.ao.quantization import FakeQuantize
from torch.nn.functional import cross_entropy

from data_makers.train_digits_qat import train
from qlearn import folded_weight
from qlearn.course.digits.net import digits_right, split_digits
from qlearn.course.digits.qat import (
    Kind,
    calibrate,
    freeze,
    low_bit_qconfig,
    prepare_digits_net,
    recorded_training,
    trained_digits_qat,
)

pytestmark = pytest.mark.filterwarnings("ignore:torch.ao.quantization is deprecated")
RIGHT = {"plain": 344, "fused": 335, "learned": 343}


@pytest.mark.parametrize("kind", get_args(Kind))
def test_the_shipped_networks_stay_as_they_are_and_know_their_digits(kind):
    net = trained_digits_qat(kind)
    assert not net.training
    before = copy.deepcopy(net.state_dict())
    assert digits_right(net) == RIGHT[kind]
    net.train()
    digits_right(net)
    after = net.state_dict()
    # The learned zero point is set to 0 in each pass, from what the optimizer left of it.
    assert all(torch.allclose(before[name], after[name], atol=1e-6) for name in before)
    codes = folded_weight(net.module.conv2) / net.module.conv2.weight_fake_quant.scale
    assert set(codes.round().clamp(-2, 1).unique().tolist()) >= {-1, 0, 1}


def test_without_training_two_bits_break_the_network():
    assert digits_right(freeze(calibrate(prepare_digits_net(low_bit_qconfig(2))))) == 150
    assert digits_right(freeze(calibrate(prepare_digits_net(low_bit_qconfig(8))))) == 348


def test_the_record_belongs_to_the_shipped_network():
    record = recorded_training()
    frames = len(record.steps)
    assert (frames, record.right[0].item(), record.right[-1].item()) == (47, 150, 344)
    assert record.positions.shape == (frames, 144) and record.losses.shape == (frames,)
    layer = trained_digits_qat().module.conv1
    last = (folded_weight(layer) / layer.weight_fake_quant.scale).flatten()
    assert torch.allclose(record.positions[-1], last, rtol=1e-6)
    assert record.steps[record.frozen] == 210  # the first after nine epochs of 23 batches


def test_the_record_begins_with_the_calibrated_network():
    data = split_digits()
    net = freeze(calibrate(prepare_digits_net(low_bit_qconfig(2))))
    with torch.no_grad():
        loss = cross_entropy(net(data.train_images), data.train_labels)
    assert recorded_training().losses[0].item() == pytest.approx(loss.item(), rel=1e-4)


def test_training_anew_saves_the_network_and_leaves_the_random_state_alone():
    state = torch.random.get_rng_state()
    net, record = train("plain", seed=1, epochs=4)
    assert record["right"][0] == 150 and digits_right(net) >= 300
    assert torch.equal(torch.random.get_rng_state(), state)


@pytest.mark.parametrize("kind", get_args(Kind))
def test_a_qconfig_says_what_it_is_asked_for(kind):
    qconfig = low_bit_qconfig(3, kind)
    weight, activation = qconfig.weight(), qconfig.activation()
    assert (weight.quant_min, weight.quant_max, weight.dtype) == (-4, 3, torch.qint8)
    assert (activation.quant_min, activation.quant_max) == (0, 255)
    assert isinstance(activation, FakeQuantize)
    assert weight.activation_post_process.averaging_constant == 1.0


def test_a_bad_qconfig_is_named():
    with pytest.raises(ValueError, match="kind must be .*, not 'lsq'"):
        low_bit_qconfig(2, "lsq")
    with pytest.raises(ValueError, match="bits must be .*, not 9"):
        low_bit_qconfig(9)
    with pytest.raises(ValueError, match="kind must be .*, not 'lsq'"):
        trained_digits_qat("lsq")
