"""The textbook rule: its numbers, its fault, its limits."""

import math

import pytest
import torch

from qlearn import choose_qparams, dequantize, quantize, textbook_qparams


def test_symmetric_divides_by_127():
    qparams = textbook_qparams(torch.tensor([-2.54, 1.0]))
    assert qparams.scale.item() == torch.tensor(2.54).div(127).item()
    assert (qparams.quant_min, qparams.quant_max) == (-128, 127)


def test_without_0_in_the_range_it_clips_what_torch_keeps():
    x = torch.linspace(10, 11, 50)
    ours = textbook_qparams(x, symmetric=False)
    assert ours.zero_point.item() == -128
    restored = dequantize(quantize(x, ours), ours)
    assert restored.max().item() == pytest.approx(1.0)  # every value of 10 to 11 became 1
    torchs = choose_qparams(x.min(), x.max())
    assert (dequantize(quantize(x, torchs), torchs) - x).abs().max() <= torchs.scale / 2 * 1.0001


def test_a_range_far_below_0_is_clamped_at_the_other_end():
    assert textbook_qparams(torch.linspace(-11, -10, 5), symmetric=False).zero_point.item() == 127


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("axis", [0, 1, 2, -1])
def test_per_channel_is_the_rule_on_each_slice(axis, symmetric):
    x = torch.randn(3, 4, 5, generator=torch.Generator().manual_seed(0))
    together = textbook_qparams(x, axis=axis, symmetric=symmetric)
    for channel, part in enumerate(x.unbind(axis)):
        alone = textbook_qparams(part, symmetric=symmetric)
        assert together.scale[channel] == alone.scale
        assert together.zero_point[channel] == alone.zero_point


def test_one_dimension_has_one_element_a_channel():
    assert textbook_qparams(torch.tensor([1.27, -2.54]), axis=0).scale.tolist() == pytest.approx(
        [0.01, 0.02]
    )


def test_a_constant_tensor_does_not_divide_by_0():
    zeros = textbook_qparams(torch.zeros(3), symmetric=False)
    assert zeros.scale.item() == torch.tensor(1e-8).item() and zeros.zero_point.item() == -128


def test_a_0d_and_a_strided_tensor():
    assert textbook_qparams(torch.tensor(1.27)).scale.item() == pytest.approx(0.01)
    x = torch.arange(12.0).reshape(3, 4)
    assert textbook_qparams(x.t(), axis=0) == textbook_qparams(x.t().contiguous(), axis=0)


def test_symmetric_uint8_holds_what_is_not_negative():
    qparams = textbook_qparams(torch.tensor([0.0, 2.55]), dtype=torch.uint8)
    assert qparams.scale.item() == pytest.approx(0.01) and qparams.quant_max == 255


@pytest.mark.parametrize(
    ("x", "options", "error", "message"),
    [
        (torch.zeros(0), {}, ValueError, "no values"),
        (torch.zeros(2, 0), {"axis": 0}, ValueError, "no values"),
        (torch.tensor([math.nan, 1.0]), {}, ValueError, "1 values that are infinite or NaN"),
        (torch.tensor([math.inf]), {}, ValueError, "infinite or NaN"),
        (torch.tensor([-3e38, 3e38]), {"symmetric": False}, ValueError, "wider than float32"),
        (torch.zeros(2), {"axis": 1}, ValueError, "axis 1 does not exist"),
        (torch.tensor(1.0), {"axis": 0}, ValueError, "axis 0 does not exist"),
        (torch.zeros(2), {"axis": 0.0}, TypeError, "axis must be an integer, not 0.0"),
        (torch.zeros(2), {"dtype": torch.float16}, ValueError, "float16"),
        (torch.tensor([-1.0]), {"dtype": torch.uint8}, ValueError, "reaches down to -1.0"),
        (torch.zeros(2, dtype=torch.float64), {}, TypeError, "float64"),
        ([1.0], {}, TypeError, "x is a list"),
    ],
)
def test_bad_input_is_named(x, options, error, message):
    with pytest.raises(error, match=message):
        textbook_qparams(x, **options)
