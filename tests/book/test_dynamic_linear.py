"""What the chapter on the dynamic linear layer says in words, and prints nowhere."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn.functional import linear

from proofs.torchao_quietly import torchao
from qlearn import QTensor, choose_qparams, dynamic_qparams, linear_dynamic, quantize, sqnr
from qlearn.course import normal, split_digits, trained_digits_net
from qlearn.course.broken.nets import fold_batch_norms
from tests.book.test_snippets import snippets

W = torch.tensor([[0.5, -1.0, 0.25, 2.0], [1.5, 0.75, -0.5, -1.25], [-0.3, 0.9, 0.6, -0.1]])
BIAS = torch.tensor([0.1, -0.2, 0.3])
X = torch.tensor([[1.0, -0.5, 2.0, 0.25], [0.5, 3.0, -1.0, 0.0]])


def quantized(weight: Tensor) -> QTensor:
    """Return a weight's codes with one symmetric ruler, as the chapter makes them."""
    qparams = choose_qparams(weight.min(), weight.max(), symmetric=True)
    return QTensor(quantize(weight, qparams), qparams)


def test_int16_has_room_for_two_products_and_int32_for_65793() -> None:
    assert 2 * (127 * 128) <= torch.iinfo(torch.int16).max < 3 * (127 * 128)
    product = 255 * 128
    assert torch.iinfo(torch.int32).max // product == 65_793


def test_the_steps_of_the_small_layer() -> None:
    unit = float(dynamic_qparams(X).scale * quantized(W).qparams.scale)
    assert unit == pytest.approx(4 / 127 * 2 / 127.5)
    assert (f"{unit:.6f}", f"{4088 * unit:.2f}") == ("0.000494", "2.02")
    error = (linear_dynamic(X, quantized(W), BIAS) - linear(X, W, BIAS)).abs().max()
    assert f"{error:.2f}" == "0.03"


def test_an_outlier_of_30_makes_the_steps_almost_eight_times_as_wide() -> None:
    outlier = X.clone()
    outlier[1, 1] = 30.0
    ratio = float(dynamic_qparams(outlier).scale / dynamic_qparams(X).scale)
    assert ratio == pytest.approx(7.75)
    codes = quantize(outlier, dynamic_qparams(outlier))[0]
    assert (int(codes.min()), int(codes.max())) == (2, 12)


class OneRuler(torch.nn.Module):
    """The older layer, with one ruler for all rows."""

    def forward(self, x: Tensor) -> Tensor:
        return linear_dynamic(x, quantized(W), BIAS)


def test_the_lines_of_the_page_find_a_ruler_for_the_whole_batch(
    capsys: pytest.CaptureFixture[str],
) -> None:
    (block,) = snippets("integers/dynamic_linear")
    by_rows = torch.nn.Sequential(torch.nn.Linear(4, 3).requires_grad_(False))
    torchao.quantize_(by_rows, torchao.Int8DynamicActivationInt8WeightConfig())
    found = []
    for model in (torch.nn.Linear(4, 3).requires_grad_(False), by_rows, OneRuler()):
        exec(block, {"torch": torch, "model": model, "batch": X})
        (number,) = re.findall(r"tensor\((.*)\)", capsys.readouterr().out)
        found.append(float(number))
    in_float, with_rows, with_one = found
    assert in_float < 1e-5 and with_rows < 1e-5
    assert with_one > 0.005


def test_one_bad_image_makes_the_layer_read_a_1_nearly_everywhere() -> None:
    *front, last = fold_batch_norms(trained_digits_net())
    images = split_digits().test_images.clone()
    images[0] *= 255
    with torch.no_grad():
        features = torch.nn.Sequential(*front)(images)
        weight = quantized(last.weight)
    scale = float(dynamic_qparams(features).scale)
    rest = features[1:]
    assert (f"{scale:.1f}", f"{rest.max():.1f}", float(rest.min())) == ("15.7", "8.2", 0.0)
    # Far enough from half a step that another order of adding changes no code
    assert int((rest > scale / 2 + 0.05).sum()) == int((rest > scale / 2 - 0.05).sum()) == 2
    answers = linear_dynamic(features, weight, last.bias.detach())[1:].argmax(1)
    assert int((answers == 1).sum()) == 357


def test_ranges_below_0_008_stop_the_steps_from_shrinking() -> None:
    assert math.isclose(127 * 6.1e-5, 0.008, rel_tol=0.05)
    assert 500 < 6.1e-5 / 2**-23 < 515
    scales = [float(dynamic_qparams(torch.tensor([0.0, end])).scale) for end in (0.007, 0.009)]
    assert scales[0] == pytest.approx(6.1e-5) and scales[1] == pytest.approx(0.009 / 127)


def test_torchao_s_layer_loses_little_on_tiny_inputs() -> None:
    layer = torch.nn.Linear(64, 10, bias=False).requires_grad_(False)
    layer.weight.copy_(normal(10, 64, generator=torch.Generator().manual_seed(0)))
    model = torch.nn.Sequential(torch.nn.Linear(64, 10, bias=False).requires_grad_(False))
    model.load_state_dict({"0.weight": layer.weight})
    torchao.quantize_(model, torchao.Int8DynamicActivationInt8WeightConfig())
    x = normal(20, 64, generator=torch.Generator().manual_seed(1)) * 1e-5
    assert sqnr(layer(x), model(x)) > 35
    assert sqnr(layer(x), linear_dynamic(x, quantized(layer.weight))) < 1


def test_the_exercise_s_factors_lie_between_2_to_11_and_2_to_17() -> None:
    tiny = X * 1e-6

    def decibels(power: int) -> Any:
        weight = quantized(W / 2.0**power)
        return sqnr(linear(tiny, W), linear_dynamic(tiny * 2.0**power, weight))

    good = {power: decibels(power) for power in (10, 11, 14, 17, 18, 21)}
    assert good[10] < 40 and good[11] == good[14] == good[17] and good[14] > 42
    assert good[18] < good[17]
    assert round(10 ** ((good[14] - good[21]) / 20)) == 11
