"""The network that reads rows, and the script that trains it."""

import torch

from data_makers.train_digits_lstm import train
from qlearn.course.digits.lstm import trained_digits_lstm
from qlearn.course.digits.net import digits_right, split_digits

ROWS = split_digits().test_images.squeeze(1)


def test_the_shipped_network_knows_most_of_the_test_images():
    net = trained_digits_lstm()
    assert not net.training
    assert digits_right(net, ROWS) == 325
    assert sum(p.numel() for p in net.parameters()) == 22042


def test_training_learns_and_leaves_the_random_state_alone():
    state = torch.random.get_rng_state()
    assert digits_right(train(seed=0, epochs=0), ROWS) < 120
    assert digits_right(train(seed=0, epochs=3), ROWS) > 150
    assert torch.equal(torch.random.get_rng_state(), state)
