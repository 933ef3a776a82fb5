"""The way back from a digit to a pixel: each stop against the numbers that it was found among."""

from __future__ import annotations

import pytest
import torch

from qlearn.course.digits.journey import STEPS, journey
from qlearn.course.digits.layers import folded_layers, weight_codes
from qlearn.course.digits.net import split_digits, trained_digits_net
from qlearn.course.digits.trail import made_of, trail

LAYERS = folded_layers(trained_digits_net())
IMAGES = split_digits().test_images
# The zero point of conv1 is 25 here: a code is not what it adds to a sum.
RANGES = {"input": (0.0, 1.0), "conv1": (-0.4, 3.7), "conv2": (0.0, 6.85), "fc": (-14.5, 12.0)}
NAMES = list(STEPS)


@pytest.mark.parametrize("number", [2, 58])
def test_no_product_adds_more_to_the_sum(number: int) -> None:
    image = IMAGES[number : number + 1]
    steps = journey(LAYERS, image, RANGES)
    way = {stop.step: stop for stop in trail(LAYERS, image, RANGES)}
    assert list(way) == NAMES[::-1]
    assert way["fc: codes"].place == steps["fc: codes"].integers.int().argmax()
    for stop in way.values():
        assert stop.integer == steps[stop.step].integers[stop.place]
    # fc: 256 products, one row of the weights for each digit
    codes = steps["pool: codes"].integers.int()
    products = codes * weight_codes(LAYERS["fc"].weight).values[way["fc: sums"].place]
    chosen = way["pool: codes"]
    assert chosen.weight and chosen.integer * chosen.weight == products.max()
    assert (products.max() < products.abs().max()) == (number == 58)  # where one counts against it
    assert products.sum() == way["fc: sums"].integer
    # conv2: the windows of all sixteen channels, whose border is the zero point
    channel, row, column = unraveled(way["conv2: sums"].place)
    codes = steps["conv1: codes"].integers.reshape(16, 8, 8).int() - 25
    window = torch.nn.functional.pad(codes, (1, 1, 1, 1))[:, row : row + 3, column : column + 3]
    products = window * weight_codes(LAYERS["conv2"].weight).values[channel]
    chosen = way["conv1: codes"]
    assert chosen.weight
    assert (chosen.integer - 25) * chosen.weight == products.max()
    assert products.sum() == way["conv2: sums"].integer > 0


def unraveled(place: int) -> tuple[int, int, int]:
    return place // 64, place // 8 % 8, place % 8


def test_a_code_comes_from_its_sum_and_the_largest_of_four() -> None:
    image = IMAGES[2:3]
    codes = journey(LAYERS, image, RANGES)["conv2: codes"].integers
    way = {stop.step: stop for stop in trail(LAYERS, image, RANGES)}
    four = made_of("pool: codes", way["pool: codes"].place)
    assert way["conv2: codes"].place == max(four, key=lambda place: codes[place])
    for layer in ("conv1", "conv2", "fc"):
        assert way[f"{layer}: sums"].place == way[f"{layer}: codes"].place


def test_an_image_without_ink_leads_to_a_pixel_inside_it() -> None:
    last = trail(LAYERS, torch.zeros(1, 1, 8, 8), RANGES)[-1]
    assert last.step == "pixels" and 0 <= last.place < 64 and last.integer == 0


def test_what_a_number_is_made_of() -> None:
    assert made_of("pixels", 5) == []
    assert made_of("conv1: codes", 77) == [77] and made_of("fc: codes", 3) == [3]
    # the last place of a channel: six of nine are beyond the edge, or in the corner
    assert made_of("conv1: sums", 63) == [54, 55, -1, 62, 63, -1, -1, -1, -1]
    assert made_of("conv2: sums", 9 * 64 + 9)[9:18] == [64 + k for k in made_of("conv1: sums", 9)]
    assert made_of("pool: codes", 3 * 16 + 6) == [3 * 64 + k for k in (20, 21, 28, 29)]
    assert made_of("fc: sums", 8) == list(range(256))
