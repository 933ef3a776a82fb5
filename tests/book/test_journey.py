"""What the chapter on one image's journey says beside its outputs, computed in plain torch."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import conv2d, linear, max_pool2d

from qlearn.course import float_outputs, folded_layers, split_digits, trained_digits_net

LAYERS = folded_layers(trained_digits_net())
IMAGES = split_digits().test_images
ENDS = {"conv1": (0.0, 3.7), "conv2": (0.0, 6.85), "fc": (-14.53, 11.94)}


def network(image: Tensor) -> dict[str, tuple[Tensor, Tensor]]:
    """Return of each layer the sums and the codes, both in float64, which holds them exactly."""
    codes, scale, found = torch.round(image.double() * 255 - 1e-6), 1 / 255, {}
    for name, (low, high) in ENDS.items():
        weight, bias = LAYERS[name]
        shape = (-1, *[1] * (weight.ndim - 1))
        w_scale = weight.flatten(1).abs().amax(1) / 127.5
        w = torch.round(weight * (1 / w_scale).reshape(shape)).clamp(-128, 127).double()
        sums = linear(codes.flatten(1), w) if name == "fc" else conv2d(codes, w, padding=1)
        step = (w_scale.double() * scale).reshape(shape[:-1])
        scale = (high - low) / 255
        zero_point = round(-low / scale)
        steps = (sums * step + bias.double().reshape(shape[:-1])) / scale
        codes = (torch.round(steps) + zero_point).clamp(0, 255)
        found[name] = sums, codes
        if name == "conv2":
            codes = max_pool2d(codes, 2)
            found["pool"] = sums, codes
    return found


def test_the_numbers_of_the_trail() -> None:
    found = network(IMAGES[2:3])
    assert found["conv1"][0][0, 7, 2, 3] == 51_259 and found["conv1"][1][0, 7, 2, 3] == 160
    assert found["conv2"][0][0, 15, 2, 2] == 101_391 and found["conv2"][1][0, 15, 2, 2] == 242
    assert found["fc"][0][0, 4] == 135_656
    scores = found["fc"][1][0].int().tolist()
    assert scores == [85, 110, 63, 30, 247, 96, 118, 126, 93, 90]


def test_what_the_erased_pixel_changes() -> None:
    erased = IMAGES[2:3].clone()
    erased[0, 0, 3, 2] = 0
    before, after = network(IMAGES[2:3]), network(erased)
    changed = {name: int((before[name][0] != after[name][0]).sum()) for name in ("conv1", "conv2")}
    assert changed == {"conv1": 9 * 16, "conv2": 25 * 16}
    assert (before["pool"][1] != after["pool"][1]).sum() == 103
    assert after["fc"][1][0, [4, 7]].tolist() == [247 - 23, 126 + 18]


def test_how_many_products_there_are() -> None:
    places = {"conv1": 64, "conv2": 64, "fc": 1}
    assert sum(LAYERS[name].weight.numel() * n for name, n in places.items()) == 159_232


def test_one_black_pixel_closes_the_loop_of_the_5() -> None:
    closed = IMAGES[3:4].clone()
    closed[0, 0, 2, 5] = 1
    read = [network(image)["fc"][1].argmax().item() for image in (IMAGES[3:4], closed)]
    real = [float_outputs(LAYERS, image)["fc"].argmax().item() for image in (IMAGES[3:4], closed)]
    assert read == real == [5, 9]


def test_the_worst_case_would_reach_the_next_digit() -> None:
    scores = float_outputs(LAYERS, IMAGES[2:3])["fc"][0].sort(descending=True).values
    assert scores[0] - scores[1] < 17


def test_an_empty_image_is_the_closest_call() -> None:
    empty = torch.zeros(1, 1, 8, 8)
    codes = network(empty)["fc"][1][0]
    assert float_outputs(LAYERS, empty)["fc"].argmax() == 2 and codes[1] == codes[2] == codes.max()


def test_a_number_of_conv1_lies_beyond_its_ruler() -> None:
    assert round(float_outputs(LAYERS, IMAGES)["conv1"].max().item(), 2) == 4.28
