"""How far integers and real numbers are apart: measured, and never more than the bound."""

from __future__ import annotations

import pytest
import torch

from qlearn.course.digits.differences import differences
from qlearn.course.digits.journey import journey
from qlearn.course.digits.layers import LAYERS, folded_layers, weight_codes
from qlearn.course.digits.net import split_digits, trained_digits_net

FOLDED = folded_layers(trained_digits_net())
IMAGES = split_digits().test_images
RANGES = {"input": (0.0, 1.0), "conv1": (-0.4, 3.7), "conv2": (0.0, 6.85), "fc": (-14.53, 11.94)}


@pytest.mark.parametrize("number", [2, 3, 5, 8, 58])
def test_no_difference_is_larger_than_the_worst(number: int) -> None:
    far = differences(FOLDED, IMAGES[number : number + 1], RANGES)
    assert list(far) == list(LAYERS)
    assert all(0 < found <= worst for found, worst in far.values())


def test_the_worst_of_conv1_added_up_by_hand() -> None:
    image = IMAGES[2]
    kept = weight_codes(FOLDED["conv1"].weight).dequantize().double()
    lost = (kept - FOLDED["conv1"].weight.double()).abs()
    wide = torch.nn.functional.pad(image.double(), (1, 1, 1, 1))[0]
    inside = torch.nn.functional.pad(torch.ones(8, 8).double(), (1, 1, 1, 1))
    totals = []
    for channel in range(16):
        for row in range(8):
            for column in range(8):
                window = slice(row, row + 3), slice(column, column + 3)
                passed_on = (kept[channel, 0].abs() * inside[window] / 510).sum()
                totals.append(passed_on + (lost[channel, 0] * wide[window]).sum())
    worst = max(totals).item() + 4.1 / 510
    far = differences(FOLDED, IMAGES[2:3], RANGES)["conv1"]
    assert far.worst == pytest.approx(worst, rel=1e-5)


def test_pixels_can_be_chosen_so_that_the_errors_add_up() -> None:
    """Nine pixels, each nearly half a step off, to the side on which its weight is."""
    channel, (row, column) = 7, (3, 4)
    signs = weight_codes(FOLDED["conv1"].weight).values[channel, 0].sign()
    image = torch.full((1, 1, 8, 8), 40 / 255)
    around = image[0, 0, row - 1 : row + 2, column - 1 : column + 2]
    around += signs * 0.49 / 255
    there = 64 * channel + 8 * row + column
    step = journey(FOLDED, image, RANGES)["conv1: sums"]
    weight = weight_codes(FOLDED["conv1"].weight)
    meant = step.integers[there] * weight.qparams.scale[channel] / 255
    from_pixels = weight.dequantize()[channel].abs().sum() * 0.49 / 255
    assert (step.real[there] - meant).item() > 0.9 * from_pixels.item()


def test_a_clipped_number_has_no_bound() -> None:
    with pytest.raises(ValueError, match=r"numbers of conv2 reach from 0.00 to 6.51, its ruler"):
        differences(FOLDED, IMAGES[2:3], RANGES | {"conv2": (0.0, 5.0)})
