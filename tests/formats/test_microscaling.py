"""Blocks that share a power of two: torchao's bits, the rules by hand, and where they differ."""

import math

import pytest
import torch

from proofs.draw import Draw
from proofs.float_formats import marks_and_ties
from proofs.microscaling import above_a_power, compared, draw_blocks
from proofs.proof import compare
from proofs.torchao_blocks import ELEMENTS, torchaos_mx, torchaos_mx_numbers
from qlearn import (
    E2M1FN,
    E2M3FN,
    E4M3FN,
    E4M3FNUZ,
    E5M2,
    E8M0FNU,
    FloatFormat,
    MXTensor,
    decode_float,
    mx_quantize,
)
from tests.bits import same_bits

RULES = ["floor", "even", "ceil", "rceil"]
inf, nan = math.inf, math.nan


def scales_of(amax: torch.Tensor, format: FloatFormat, rule: str) -> torch.Tensor:
    """Return the scales of blocks whose largest numbers are these."""
    x = torch.stack([torch.zeros_like(amax), -amax], 1)
    blocks = mx_quantize(x, format, block_size=2, scale_rule=rule)
    return decode_float(blocks.scales[:, 0], E8M0FNU)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("format", ELEMENTS, ids=repr)
def test_blocks_are_torchaos(format, rule):
    for number in range(8):
        x = draw_blocks(Draw(number), format)
        x = x[~above_a_power(x, format)] if rule == "rceil" else x
        assert compare(*compared(x, format, rule))[1] == 0, number


@pytest.mark.parametrize("rule", RULES)
def test_bfloat16_blocks_are_torchaos(rule):
    x = Draw(3).normal(20, 64).to(torch.bfloat16)
    assert compare(*compared(x, E4M3FN, rule))[1] == 0


# By hand: amax, and the scales of floor, even, ceil and rceil. In E2M1FN, which ends at
# 6 = 1.5·2^2, "even" goes up from 1.75·2^k on: half a unit of a mantissa of one bit below 2^(k+1).
BY_HAND = [
    (4.0, 1, 1, 1, 1),
    (4.5, 1, 1, 2, 1),
    (6.0, 1, 1, 2, 1),
    (6.000001, 1, 1, 2, 2),
    (6.9999995, 1, 1, 2, 2),
    (7.0, 1, 2, 2, 2),
    (7.9999995, 1, 2, 2, 2),
    (8.0, 2, 2, 2, 2),
    (0.75, 0.125, 0.125, 0.25, 0.125),
]


def test_scales_by_hand():
    amax, *expected = torch.tensor(BY_HAND).T
    for rule, scales in zip(RULES, expected, strict=True):
        assert torch.equal(scales_of(amax, E2M1FN, rule), scales), rule


@pytest.mark.parametrize("format", ELEMENTS, ids=repr)
def test_the_rules_at_each_power_of_two_and_beside_it(format):
    powers = torch.tensor([2.0**k for k in range(-100, 111)])
    beside = torch.nextafter(powers, torch.tensor(inf))
    unit = 2.0**-format.max_exponent
    for rule in ("floor", "even", "ceil"):
        assert torch.equal(scales_of(powers, format, rule), powers * unit)
        factor = 2 if rule == "ceil" else 1
        assert torch.equal(scales_of(beside, format, rule), factor * powers * unit)
    assert torch.equal(scales_of(powers * format.max, format, "rceil"), powers)


def test_floor_clips_what_rceil_keeps():
    x = torch.tensor([500.0, 1.0])
    floor = mx_quantize(x, E4M3FN, block_size=2).dequantize()
    rceil = mx_quantize(x, E4M3FN, block_size=2, scale_rule="rceil").dequantize()
    assert floor.tolist() == [448, 1]
    assert rceil.tolist() == [512, 1]


# Where this rule and torchao's differ


def test_torchaos_rceil_loses_a_trace_above_a_power():
    """Its float32 logarithm of 2^20·(1 + 2^-23) is 20: the scale is half of what would not clip."""
    x = torch.zeros(1, 32)
    x[0, 0] = 6 * 2.0**20 * (1 + 2.0**-22)
    scales, _, numbers = torchaos_mx(x, E2M1FN, 32, "rceil")
    ours = mx_quantize(x, E2M1FN, scale_rule="rceil")
    assert (scales.item(), ours.scales.item()) == (127 + 20, 127 + 21)
    assert above_a_power(x, E2M1FN).all()
    assert x[0, 0] > 6 * 2.0**20  # so that 2^20 clips it, if only by a trace
    assert same_bits(numbers[0, :1], torch.tensor([6 * 2.0**20]))


@pytest.mark.parametrize("rule", RULES)
def test_torchao_divides_by_another_scale_than_the_least_one(rule):
    """Codes of x/2^-126 stand beside the scale 2^-127, and with RCEIL those of x itself."""
    x = torch.full((1, 32), 3 * 2.0**-127)
    ours = mx_quantize(x, E5M2, scale_rule=rule)
    scales, _, numbers = torchaos_mx(x, E5M2, 32, rule)
    assert scales.item() == ours.scales.item() == 0
    assert same_bits(ours.dequantize(), x)
    assert same_bits(numbers, x / 2 if rule != "rceil" else torch.zeros_like(x))


def test_the_codes_of_a_block_with_nan_are_zeros():
    x = torch.ones(1, 64)
    x[0, 3], x[0, 5] = nan, -2.0
    for format in ELEMENTS:
        ours = mx_quantize(x, format)
        scales, codes, _ = torchaos_mx(x, format, 32, "floor")
        assert ours.scales.tolist() == scales.tolist()
        assert ours.scales[0, 0] == 255
        assert (ours.codes[0, :32] == 0).all() and (codes[0, :32] != 0).any()
        assert torch.equal(ours.codes[0, 32:], codes[0, 32:])
        restored = ours.dequantize()
        assert restored[0, :32].isnan().all() and (restored[0, 32:] == 1).all()


# Hard blocks


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("format", [*ELEMENTS, E4M3FNUZ], ids=repr)
def test_zeros_infinities_and_denormals(format, rule):
    denormal = 2.0**-149
    x = torch.tensor([[0.0, -0.0], [inf, -1.0], [-inf, 0.0], [denormal, 0.0], [1e-38, -3e-39]])
    blocks = mx_quantize(x, format, block_size=2, scale_rule=rule)
    back = blocks.dequantize()
    negative_zero = -0.0 if format != E4M3FNUZ else 0.0
    assert same_bits(back[0], torch.tensor([0.0, negative_zero]))
    assert back[1:3, 0].tolist() == [inf, -inf] and back[1:3, 1].isfinite().all()
    assert back[3:].isfinite().all()
    assert (back[4] / x[4] - 1).abs().max() <= 2.0 ** -(format.mantissa_bits + 1)


@pytest.mark.parametrize("rule", RULES)
def test_a_format_that_ends_below_1_has_its_scales_too(rule):
    small = FloatFormat("E2M1 / 2^39", 2, 1, bias=40)
    normal = FloatFormat("E2M1", 2, 1, bias=1)
    numbers = torch.tensor([[2.0**-120, 2.0**-121], [3 * 2.0**-30, 1.7 * 2.0**-31]])
    blocks = mx_quantize(numbers, small, block_size=2, scale_rule=rule)
    expected = mx_quantize(numbers, normal, block_size=2, scale_rule=rule)
    assert torch.equal(blocks.codes, expected.codes)
    assert torch.equal(blocks.scales.int(), expected.scales.int() + 39)
    tiny = torch.tensor([[2.0**-140, 2.0**-141], [0.0, 0.0]])
    blocks = mx_quantize(tiny, small, block_size=2, scale_rule=rule)
    assert torch.equal(blocks.dequantize(), tiny)
    assert blocks.scales[1] == 0


@pytest.mark.parametrize("rule", RULES)
def test_the_largest_float32_and_the_smallest_blocks_have_a_scale(rule):
    most = torch.finfo(torch.float32).max
    for format in ELEMENTS:
        blocks = mx_quantize(torch.tensor([most, 1.0]), format, block_size=2, scale_rule=rule)
        assert 0 < blocks.scales.item() < 255
        assert not blocks.dequantize().isnan().any()


def test_a_number_of_the_format_times_its_scale_comes_back():
    for format in ELEMENTS:
        marks = marks_and_ties(format)[1:]
        marks = marks[: len(marks) // 2 - 1]
        marks = marks[torch.isin(marks, decode_all(format))]
        rows = torch.stack([marks, torch.full_like(marks, format.max)], 1) * 2.0**20
        assert torch.equal(mx_quantize(rows, format, block_size=2).dequantize(), rows)


def decode_all(format: FloatFormat) -> torch.Tensor:
    values = decode_float(torch.arange(2**format.bits).to(torch.uint8), format)
    return values[values.isfinite()]


def test_integers_are_a_format_without_exponent():
    """MXINT8 by OCP's rule: rint(x/X·64)/64 within ±127/64."""
    fixed = FloatFormat("E0M7", 0, 7, bias=0)
    x = Draw(0).normal(10, 32)
    power = torch.frexp(x.abs().amax(-1, keepdim=True)).exponent - 1
    scale = torch.ldexp(torch.ones(10, 1), power)
    expected = (torch.round(x / scale * 64) / 64).clamp(-127 / 64, 127 / 64) * scale
    assert torch.equal(mx_quantize(x, fixed).dequantize(), expected)


# Shapes


@pytest.mark.parametrize(
    ("shape", "scales"),
    [
        ((64,), (2,)),
        ((0,), (0,)),
        ((3, 0), (3, 0)),
        ((0, 32), (0, 1)),
        ((2, 3, 96), (2, 3, 3)),
    ],
    ids=str,
)
def test_shapes(shape, scales):
    blocks = mx_quantize(torch.ones(shape), E2M3FN)
    assert (blocks.codes.shape, blocks.scales.shape) == (torch.Size(shape), torch.Size(scales))
    assert torch.equal(blocks.dequantize(), torch.ones(shape))
    assert blocks.codes.is_contiguous()


def test_any_stride_and_a_gradient():
    x = Draw(1).normal(64, 4).requires_grad_()
    blocks = mx_quantize(x.T, E4M3FN)
    assert torch.equal(blocks.codes, mx_quantize(x.detach().T.contiguous(), E4M3FN).codes)
    assert not blocks.dequantize().requires_grad


def test_bits_per_weight():
    x = torch.ones(64)
    assert mx_quantize(x, E4M3FN).bits_per_weight == 8.25
    assert mx_quantize(x, E2M1FN).bits_per_weight == 4.25
    assert mx_quantize(x, E2M1FN, block_size=16).bits_per_weight == 4.5


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: mx_quantize([1.0], E4M3FN), TypeError, "x is a list"),
        (lambda: mx_quantize(torch.ones(32).double(), E4M3FN), TypeError, "x has dtype torch.fl"),
        (lambda: mx_quantize(torch.ones(32), "E4M3FN"), TypeError, "format must be a FloatFormat"),
        (
            lambda: mx_quantize(torch.ones(32), E8M0FNU),
            ValueError,
            "E8M0FNU has neither sign nor zero, so it serves as scale alone: take a format with",
        ),
        (lambda: mx_quantize(torch.tensor(1.0), E4M3FN), ValueError, "axis -1 does not exist"),
        (
            lambda: mx_quantize(torch.ones(2, 40), E4M3FN),
            ValueError,
            "block_size is 32 and does not divide 40, the length of axis -1",
        ),
        (
            lambda: mx_quantize(torch.ones(32), E4M3FN, block_size=0),
            ValueError,
            "block_size must be an integer of at least 1, not 0",
        ),
        (
            lambda: mx_quantize(torch.ones(32), E4M3FN, scale_rule="up"),
            ValueError,
            "scale_rule must be 'floor', 'even', 'ceil' or 'rceil', not 'up'",
        ),
        (
            lambda: MXTensor(torch.ones(2, 64).byte(), torch.ones(2, 1).byte(), E4M3FN),
            ValueError,
            r"scales have shape \(2, 1\), but the blocks \(2, 2\): pass one scale for each block",
        ),
        (
            lambda: MXTensor(torch.full((32,), 16).byte(), torch.ones(1).byte(), E2M1FN),
            ValueError,
            "codes reach to 16, but E2M1FN has the codes 0 to 15",
        ),
        (
            lambda: MXTensor(torch.ones(32).byte(), torch.ones(1), E2M1FN),
            TypeError,
            "scales have dtype torch.float32, but must be torch.uint8",
        ),
    ],
)
def test_mistakes_are_named(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_torchao_reads_our_codes():
    x = Draw(2).normal(4, 64)
    for format in ELEMENTS:
        ours = mx_quantize(x, format)
        theirs = torchaos_mx_numbers(ours.codes, ours.scales, format, 32)
        assert same_bits(ours.dequantize(), theirs)
