"""What the chapter on scale and zero point says in words, and prints nowhere."""

from __future__ import annotations

import warnings
from typing import Any

import pytest
import torch
from torch import Tensor

from proofs.torchao_quietly import torchao
from qlearn import QParams, choose_qparams, clipped_share, fake_quantize, max_error
from qlearn.course import trained_digits_net

X = torch.tensor([[1.541, -0.293, -2.179], [0.568, -1.085, -1.399], [0.403, 0.838, -0.719]])
FOUR_BITS: dict[str, Any] = {"quant_min": -8, "quant_max": 7}


def found(scale: float | Tensor, zero_point: int | Tensor) -> tuple[float, float]:
    """Return what the widget says of a ruler of four bits: the largest error, the clipped share."""
    qparams = QParams(scale, zero_point, -8, 7, torch.int8)
    return max_error(X, fake_quantize(X, qparams)), clipped_share(X, qparams)


def test_the_widget_s_task_is_solved_by_the_affine_rule_and_not_at_the_start() -> None:
    affine = choose_qparams(X.min(), X.max(), **FOUR_BITS)
    assert int(affine.zero_point) == 1 and float(affine.scale) == pytest.approx(0.248)
    error, clipped = found(affine.scale, affine.zero_point)
    assert error < 0.11 and clipped == 0
    assert found(X.abs().max() / 7, 0)[0] > 0.11


def test_the_widget_s_task_needs_its_middle_and_its_ends() -> None:
    scales = [number / 1000 for number in range(200, 400)]
    solved = [
        (scale, zero_point)
        for scale in scales
        for zero_point in range(-4, 5)
        if found(scale, zero_point)[0] < 0.11 and found(scale, zero_point)[1] == 0
    ]
    assert {zero_point for _, zero_point in solved} == {1}
    assert max(scale for scale, _ in solved) < float(X.abs().max()) / 7


def test_without_rounding_the_zero_point_0_comes_back_0_37_steps_off() -> None:
    scale = (X.max() - X.min()) / 255
    zero_point = -128 - X.min() / scale
    back = scale * (zero_point.round() - zero_point)
    assert (f"{zero_point:.2f}", f"{back:.3f}") == ("21.37", "-0.005")


def test_pt2e_s_quantizer_for_x86_takes_the_first_two_lines_of_the_table() -> None:
    with warnings.catch_warnings(action="ignore"):  # of what the import itself imports
        from torchao.quantization.pt2e.quantizer import x86_inductor_quantizer
    config = x86_inductor_quantizer.get_default_x86_inductor_quantization_config()
    assert config.input_activation.qscheme == torch.per_tensor_affine
    assert (config.weight.qscheme, config.weight.ch_axis) == (torch.per_channel_symmetric, 0)


def test_torchao_s_dynamic_activations_are_symmetric_with_a_scale_for_each_row() -> None:
    net = trained_digits_net()
    torchao.quantize_(net, torchao.Int8DynamicActivationInt8WeightConfig())
    weight: Any = net.fc.weight
    kind = weight.act_quant_kwargs
    assert kind.mapping_type == torchao.MappingType.SYMMETRIC
    assert kind.granularity == torchao.PerRow()
