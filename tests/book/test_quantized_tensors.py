"""What the chapter on quantized tensors says in words, and prints nowhere."""

from __future__ import annotations

import copy
import math
import warnings

import pytest
import torch
from torch import nn

from proofs.torchao_quietly import torchao
from qlearn import QParams, clipped_share, quantize, sqnr
from qlearn.course import normal
from qlearn.course.digits.vit import trained_digits_vit
from qlearn.course.quantizable import quantizable

X = torch.tensor([-3.14, 0.0, 8.0, 20.0])
INT8_WEIGHTS = torchao.Int8WeightOnlyConfig


def test_the_decibels_that_are_computed_by_hand() -> None:
    assert round(73.86 / 0.0016, -3) == 46_000
    assert f"{10 * math.log10(73.86 / 0.0016):.1f}" == "46.6"
    assert f"{473.86 / (0.0016 + 68.89):.1f}" == "6.9"
    assert f"{10 * math.log10(473.86 / (0.0016 + 68.89)):.1f}" == "8.4"
    assert sum(round(value**2, 2) for value in X.tolist()) == pytest.approx(473.86)


def test_wrong_answers_are_what_their_slips_give() -> None:
    assert round((127 - 0) * 0.1, 1) == 12.7
    wrapped = torch.tensor([210]).to(torch.uint8).view(torch.int8).item()
    assert (wrapped, round((wrapped - 10) * 0.1, 1)) == (-46, -5.6)


def test_the_widget_s_task_is_solved_at_20_divided_by_117() -> None:
    values = torch.cat(
        [2 * normal(999, generator=torch.Generator().manual_seed(0)), torch.tensor([20.0])]
    )
    shares = {
        scale: clipped_share(values, QParams(scale, 10, -128, 127, torch.int8))
        for scale in (0.1, 0.165, 0.172)
    }
    assert shares == {0.1: 0.001, 0.165: 0.001, 0.172: 0}
    assert (values.abs() < 6).float().mean() > 0.99


def test_half_the_error_is_6_decibels_more() -> None:
    error = torch.tensor([0.1, -0.3, 0.2, 0.4])
    gain = sqnr(X, X + error / 2) - sqnr(X, X + error)
    assert gain == pytest.approx(6.02, abs=0.005)


def test_the_weights_of_all_layers_have_40_decibels_or_more() -> None:
    vit = trained_digits_vit()
    int8 = copy.deepcopy(vit)
    torchao.quantize_(int8, INT8_WEIGHTS())
    for layer in quantizable(vit).layers:
        before = vit.get_submodule(layer).weight.detach()
        assert sqnr(before, int8.get_submodule(layer).weight.dequantize()) > 40


def weight(*rows: list[float], whole: bool) -> torch.Tensor:
    """Return rows as a weight that torchao has quantized, with one scale or one for each row."""
    layer = nn.Linear(3, len(rows), bias=False)
    layer.weight.data = torch.tensor(rows)
    finer = torchao.PerTensor() if whole else torchao.PerRow()
    torchao.quantize_(layer, INT8_WEIGHTS(granularity=finer))
    return layer.weight.detach()


@pytest.mark.parametrize("whole", [True, False], ids=["one scale", "a scale for each row"])
def test_torchao_copies_the_scale_with_the_codes(whole: bool) -> None:
    small = weight([-1.6, 4.0, 7.0], [3.3, 6.6, 8.6], whole=whole)
    large = weight([20.0, 50.0, 100.0], [1.0, 2.0, 3.0], whole=whole)
    before = small.dequantize()
    small[0] = large[0]
    after = small.dequantize()
    assert torch.equal(after[0], large.dequantize()[0])
    factor = (after[1] / before[1]).mean().item()
    assert factor == pytest.approx(100 / 8.6 if whole else 1, rel=1e-5)


def test_torch_s_own_class_leaves_the_scale_behind() -> None:
    with warnings.catch_warnings(action="ignore"):  # of its removal
        fine = torch.quantize_per_tensor(torch.tensor([[-1.6, 4.0, 7.0]]), 0.1, 0, torch.qint8)
        whole = torch.quantize_per_tensor(torch.zeros(2, 3), 1.0, -1, torch.qint8)
    whole[0] = fine[0]
    assert whole[0].dequantize().tolist() == [-15.0, 41.0, 71.0]


def test_a_list_of_rows_cuts_codes_and_scales() -> None:
    three = weight([-1.6, 4.0, 7.0], [3.3, 6.6, 8.6], [1.0, 20.0, 50.0], whole=False)
    turned = three[torch.arange(2, -1, -1)]
    assert torch.equal(turned.dequantize(), three.dequantize().flip(0))


def test_11_65_is_where_code_127_begins() -> None:
    ruler = QParams(0.1, 10, -128, 127, torch.int8)
    assert quantize(torch.tensor([11.649, 11.651]), ruler).tolist() == [126, 127]


def test_squeeze_counts_the_axis_and_in_place_it_does_not() -> None:
    ones, zeros = torch.ones(1, 2, 2), torch.zeros(2, dtype=torch.int64)
    with warnings.catch_warnings(action="ignore"):  # of its removal
        q = torch.quantize_per_channel(ones, torch.tensor([0.1, 1.0]), zeros, 1, torch.qint8)
    assert (q.squeeze(0).dequantize() == 1).all() and (q.unsqueeze(0).dequantize() == 1).all()
    longer = q.clone().unsqueeze_(0)
    with pytest.raises(RuntimeError, match="length of scales must equal to channel"):
        longer.dequantize()
    q.squeeze_(0)
    expected = torch.tensor([[1.0, 10.0], [0.1, 1.0]])
    assert torch.allclose(q.dequantize(), expected)
