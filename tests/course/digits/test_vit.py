"""The vision transformer that reads digits, and the script that trains it."""

import torch
from torch import nn
from torch.nn.functional import multi_head_attention_forward

from data_makers.train_digits_vit import shifted, train
from qlearn.course.digits.net import digits_right
from qlearn.course.digits.vit import Attention, trained_digits_vit


def test_the_shipped_network_knows_most_of_the_test_images():
    net = trained_digits_vit()
    assert not net.training
    assert digits_right(net) == 346
    assert sum(p.numel() for p in net.parameters()) == 152202


def test_nearly_all_of_it_is_in_linear_layers():
    layers = [m for m in trained_digits_vit().modules() if isinstance(m, nn.Linear)]
    assert sum(layer.weight.numel() for layer in layers) == 148096


def test_attention_is_torchs():
    torch.manual_seed(0)
    attention, x = Attention(16, 4), torch.rand(3, 5, 16)
    theirs, _ = multi_head_attention_forward(
        *[x.transpose(0, 1)] * 3, 16, 4, attention.qkv.weight, attention.qkv.bias, None, None,
        False, 0.0, attention.out.weight, attention.out.bias,
    )  # fmt: skip
    # Both add in float32, in another order.
    assert torch.allclose(attention(x), theirs.transpose(0, 1), atol=1e-6)


def test_images_are_shifted_by_at_most_a_pixel():
    images = torch.zeros(50, 1, 8, 8)
    images[:, :, 3, 3] = 1
    moved = shifted(images, torch.Generator().manual_seed(0))
    places = moved.flatten(1).argmax(1)
    assert {(p // 8 - 3, p % 8 - 3) for p in places.tolist()} == {
        (down, right) for down in (-1, 0, 1) for right in (-1, 0, 1)
    }
    assert moved.sum() == 50


def test_training_learns_and_leaves_the_random_state_alone():
    state = torch.random.get_rng_state()
    assert digits_right(train(seed=0, epochs=0)) < 120
    assert digits_right(train(seed=0, epochs=12)) > 150
    assert torch.equal(torch.random.get_rng_state(), state)
