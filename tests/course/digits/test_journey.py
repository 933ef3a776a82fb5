"""One image through the digits network: its codes are the layers', its sums added by hand."""

from __future__ import annotations

import torch

from qlearn.course.digits.journey import STEPS, journey
from qlearn.course.digits.layers import (
    OBSERVED,
    float_outputs,
    folded_layers,
    integer_outputs,
    weight_codes,
)
from qlearn.course.digits.net import split_digits, trained_digits_net

RANGES = {"input": (0.0, 1.0), "conv1": (-0.5, 3.7), "conv2": (0.0, 6.85), "fc": (-14.5, 12.0)}
LAYERS = folded_layers(trained_digits_net())
IMAGE = split_digits().test_images[:1]


def test_codes_and_real_numbers_are_the_layers() -> None:
    bits = dict.fromkeys(OBSERVED, 8)
    codes = integer_outputs(LAYERS, IMAGE, RANGES, activation_bits=bits)
    exact = float_outputs(LAYERS, IMAGE)
    steps = journey(LAYERS, IMAGE, RANGES)
    assert list(steps) == list(STEPS)
    for name, stage in [("pixels", "input"), ("conv2: codes", "conv2"), ("fc: codes", "fc")]:
        assert torch.equal(steps[name].integers, codes[stage].values.flatten())
        assert torch.equal(steps[name].real, exact[stage].flatten())
    assert [len(step.real) for step in steps.values()] == list(STEPS.values())


def test_a_sum_is_added_of_products_of_integers() -> None:
    steps = journey(LAYERS, IMAGE, RANGES)
    # conv2, channel 9, row 3, column 7: the window reaches beyond the right edge, where is no code
    weight = weight_codes(LAYERS["conv2"].weight).values[9]
    bits = dict.fromkeys(OBSERVED, 8)
    before = integer_outputs(LAYERS, IMAGE, RANGES, activation_bits=bits)["conv1"]
    zero_point = int(before.qparams.zero_point)
    assert zero_point != 0
    total = 0
    for channel in range(16):
        for down in range(3):
            for right in range(2):
                code = int(before.values[0, channel, 3 - 1 + down, 7 - 1 + right])
                total += (code - zero_point) * int(weight[channel, down, right])
    sums = steps["conv2: sums"].integers
    assert sums.dtype == torch.int32
    assert sums[9 * 64 + 3 * 8 + 7] == total


def test_real_sums_and_their_bias_make_the_layer() -> None:
    steps = journey(LAYERS, IMAGE, RANGES)
    for layer in ("conv1", "conv2", "fc"):
        sums = steps[f"{layer}: sums"].real
        bias = LAYERS[layer].bias.repeat_interleave(len(sums) // len(LAYERS[layer].bias))
        wanted = (sums + bias).relu() if layer != "fc" else sums + bias
        assert torch.allclose(steps[f"{layer}: codes"].real, wanted, atol=1e-4)
