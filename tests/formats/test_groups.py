"""Codes in groups, against torchao, and at the edges of its dtypes."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from proofs.torchao_groups import torchaos_groups
from qlearn import GroupedTensor, quantize_cache, quantize_groups
from qlearn.language import awq_scales, by_activation, gptq, scaled_groups
from tests.bits import same_bits

HARD = [0.0, -0.0, 1.0, -1.0, 7.5, -7.5, 0.5, 1e-45, -1e-39, 2.0**-126, 1e30, -3e37]


def assert_like_torchaos(ours: GroupedTensor, theirs) -> None:
    assert torch.equal(ours.codes, theirs.qdata)
    assert torch.equal(ours.scales, theirs.scale)
    assert torch.equal(ours.zero_points, theirs.zero_point)
    assert torch.equal(ours.dequantize(), theirs.dequantize())


@pytest.mark.parametrize("symmetric", [True, False], ids=["symmetric", "asymmetric"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
@pytest.mark.parametrize("bits", [1, 2, 3, 4, 8])
def test_equals_torchao_in_each_dtype(bits, dtype, symmetric):
    x = torch.randn(4, 64).to(dtype) + torch.arange(-2, 2)[:, None]
    ours = quantize_groups(x, bits=bits, group_size=16, symmetric=symmetric)
    assert_like_torchaos(ours, torchaos_groups(x, bits, 16, symmetric))


@given(st.lists(st.sampled_from(HARD), min_size=16, max_size=16), st.booleans())
def test_equals_torchao_on_hard_numbers(numbers, symmetric):
    x = torch.tensor(numbers).reshape(2, 8)
    ours = quantize_groups(x, group_size=4, symmetric=symmetric)
    assert_like_torchaos(ours, torchaos_groups(x, 4, 4, symmetric))
    assert ours.dequantize().isfinite().all()


@pytest.mark.parametrize("symmetric", [True, False], ids=["symmetric", "asymmetric"])
def test_groups_along_another_axis(symmetric):
    x = torch.randn(2, 6, 5)
    ours = quantize_groups(x, group_size=3, symmetric=symmetric, axis=1)
    assert ours.scales.shape == (2, 2, 5)
    moved = quantize_groups(x.transpose(1, 2), group_size=3, symmetric=symmetric)
    assert torch.equal(ours.codes.transpose(1, 2), moved.codes)
    assert same_bits(ours.dequantize(), moved.dequantize().transpose(1, 2))
    same = quantize_groups(x, group_size=3, symmetric=symmetric, axis=-2)
    assert torch.equal(ours.codes, same.codes) and same.axis == -2


@pytest.mark.parametrize("symmetric", [True, False], ids=["symmetric", "asymmetric"])
def test_no_number_is_off_by_more_than_half_a_step(symmetric):
    x = torch.randn(50, 32)
    grouped = quantize_groups(x, symmetric=symmetric)
    steps = (grouped.dequantize() - x).abs() / grouped.scales
    assert 0.4 < steps.amax().item() <= 0.5 + 1e-5  # the division by the scale is rounded


def test_zeros_come_back_as_zeros_and_denormals_finite():
    for symmetric in (True, False):
        zeros = quantize_groups(torch.tensor([[0.0, -0.0]]), group_size=2, symmetric=symmetric)
        assert same_bits(zeros.dequantize(), torch.zeros(1, 2))
        tiny = quantize_groups(torch.tensor([[1e-45, -1e-40]]), group_size=2, symmetric=symmetric)
        assert same_bits(tiny.dequantize(), torch.zeros(1, 2))


def test_torchao_makes_infinities_where_qlearn_refuses():
    x = torch.arange(8.0) * -4.8e37
    with pytest.raises(ValueError, match="a group is too wide for"):
        quantize_groups(x, group_size=4)
    assert torchaos_groups(x, 4, 4, symmetric=True).dequantize().isinf().any()


def test_torchao_has_no_groups_of_one_number():
    x = torch.tensor([[3.0, -5.0]])
    assert quantize_groups(x, group_size=1).scales.shape == (1, 2)
    with pytest.raises(RuntimeError, match="invalid for input of size 1"):
        torchaos_groups(x, 4, 1, symmetric=True)


def test_empty_and_strided_tensors():
    for shape in [(0,), (2, 0), (0, 32)]:
        grouped = quantize_groups(torch.empty(shape))
        assert grouped.dequantize().shape == shape
        assert grouped.scales.shape == (*shape[:-1], shape[-1] // 32)
    x = torch.randn(64, 6)
    assert same_bits(
        quantize_groups(x.T).dequantize(), quantize_groups(x.T.contiguous()).dequantize()
    )
    every_second = quantize_groups(x[::2].T, group_size=8).codes
    assert torch.equal(every_second, quantize_groups(x[::2].T.contiguous(), group_size=8).codes)
    assert every_second.is_contiguous()


def test_a_gradient_ends_at_the_codes():
    x = torch.randn(1, 32, requires_grad=True)
    assert not quantize_groups(x).dequantize().requires_grad


@pytest.mark.parametrize(
    ("bits", "group_size", "symmetric", "expected"),
    [(4, 32, True, 4.5), (4, 128, True, 4.125), (4, 32, False, 5.0), (2, 64, False, 2.5)],
)
def test_bits_per_weight(bits, group_size, symmetric, expected):
    x = torch.randn(1, 128)
    grouped = quantize_groups(x, bits=bits, group_size=group_size, symmetric=symmetric)
    assert grouped.bits_per_weight == expected


ROW = torch.arange(8.0)


@pytest.mark.parametrize(
    ("arguments", "error", "sentence"),
    [
        ({"x": ROW.double()}, TypeError, "x has dtype torch.float64.*pass x.float"),
        ({"x": [1.0]}, TypeError, "x is a list: pass a float32, bfloat16 or float16"),
        ({"x": torch.tensor(1.0)}, ValueError, "axis -1 does not exist"),
        ({"x": ROW, "bits": 9}, ValueError, "bits must be an integer from 1 to 8, not 9"),
        ({"x": ROW, "bits": 0}, ValueError, "bits must be an integer from 1 to 8, not 0"),
        ({"x": ROW, "group_size": 3}, ValueError, "group_size is 3 and does not divide 8"),
        ({"x": ROW, "group_size": 0}, ValueError, "group_size must be an integer of at least 1"),
        ({"x": ROW, "symmetric": 1}, TypeError, "symmetric must be True or False"),
        ({"x": ROW, "axis": 1}, ValueError, "axis 1 does not exist"),
        ({"x": ROW * math.inf}, ValueError, r"infinities or NaN, as at index \(0,\).*no code"),
        ({"x": ROW.index_fill(0, torch.tensor(5), -math.inf)}, ValueError, r"at index \(5,\)"),
        ({"x": ROW * 4.8e37}, ValueError, r"lies beyond, as at index \(1,\) of the"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_bad_input_is_refused_with_a_sentence(arguments, error, sentence):
    with pytest.raises(error, match=sentence):
        quantize_groups(**{"group_size": 4, **arguments})


CODES = torch.zeros(2, 8, dtype=torch.int8)
SCALES = torch.ones(2, 2)
ZEROS = torch.zeros(2, 2, dtype=torch.int8)


@pytest.mark.parametrize(
    ("parts", "error", "sentence"),
    [
        ({"codes": CODES.int()}, TypeError, "codes have dtype torch.int32"),
        ({"codes": None}, TypeError, "codes is a NoneType"),
        ({"scales": SCALES.double()}, TypeError, "scales has dtype torch.float64"),
        ({"scales": SCALES[0]}, ValueError, r"scales have shape \(2,\), but there are \(2, 2\)"),
        ({"scales": SCALES / 0}, ValueError, "scales holds infinities or NaN"),
        ({"zero_points": ZEROS[:1]}, ValueError, r"zero_points have shape \(1, 2\)"),
        ({"zero_points": ZEROS.int()}, TypeError, "zero_points have dtype torch.int32"),
        ({"codes": CODES + 8}, ValueError, r"codes reach from 8 to 8.*in -8\.\.7"),
        ({"zero_points": ZEROS + 1}, ValueError, r"zero_points reach from 1 to 1.*in 0\.\.0"),
        ({"bits": None}, TypeError, "bits must be an integer from 1 to 8, not None"),
        ({"group_size": 3}, ValueError, "group_size is 3 and does not divide 8"),
        ({"axis": 2}, ValueError, "axis 2 does not exist"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_parts_that_do_not_fit_are_refused(parts, error, sentence):
    whole = {"codes": CODES, "scales": SCALES, "zero_points": ZEROS, "bits": 4, "group_size": 4}
    GroupedTensor(**whole)
    with pytest.raises(error, match=sentence):
        GroupedTensor(**{**whole, **parts})


@pytest.mark.parametrize(
    "function",
    [
        lambda x: quantize_groups(x, bits=None, group_size=2),
        lambda x: quantize_cache(x, bits=None, axis="token"),
        lambda x: gptq(x, x, bits=None),
        lambda x: by_activation(x, x, bits=None),
        lambda x: awq_scales(x, x, bits=None, group_size=2),
        lambda x: scaled_groups(x, torch.ones(2), bits=None, group_size=2),
    ],
    ids=["groups", "cache", "gptq", "by activation", "awq", "scaled"],
)
def test_no_bits_are_not_eight_of_them(function):
    with pytest.raises(TypeError, match="bits must be an integer from 1 to 8, not None"):
        function(torch.tensor([[1.0, 2.0], [0.5, -1.0]]))
