"""The network that the later chapters quantize, and the script that trains it."""

import torch

from data_makers.train_digits_net import train
from qlearn import load_digits
from qlearn.course.digits.net import digits_right, split_digits, trained_digits_net


def test_the_two_parts_are_all_the_digits_in_their_order():
    images, labels = load_digits()
    data = split_digits()
    assert torch.equal(torch.cat([data.train_images, data.test_images]).squeeze(1), images)
    assert torch.equal(torch.cat([data.train_labels, data.test_labels]), labels)


def test_the_shipped_network_knows_348_of_the_360_test_images():
    net = trained_digits_net()
    assert not net.training
    assert digits_right(net) == 348
    assert sum(p.numel() for p in net.parameters()) == 5082


def test_training_anew_gives_a_network_about_as_good_and_leaves_the_random_state_alone():
    state = torch.random.get_rng_state()
    assert abs(digits_right(train(seed=1)) - 348) <= 6
    assert torch.equal(torch.random.get_rng_state(), state)


def test_a_network_without_training_guesses():
    assert digits_right(train(seed=0, epochs=0)) < 120  # so that the tests above can fail
