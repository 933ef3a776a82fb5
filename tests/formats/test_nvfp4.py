"""NVFP4: torchao's bits, scales by hand, and tensors too small for torchao."""

import math

import pytest
import torch

from proofs.draw import Draw
from proofs.proof import compare
from proofs.torchao_blocks import torchaos_nvfp4, torchaos_nvfp4_numbers
from qlearn import E4M3FN, NVFP4Tensor, decode_float, nvfp4_quantize
from tests.bits import same_bits


def parts(blocks: NVFP4Tensor):
    return blocks.tensor_scale, blocks.scales, blocks.codes, blocks.dequantize()


@pytest.mark.parametrize("size", [1.0, 1e-30, 1e-20, 1e20, 1e35])
def test_all_parts_are_torchaos(size):
    for number in range(5):
        draw = Draw(number)
        x = draw.normal(20, 80) * draw.normal(20, 1).exp() ** 3
        x = x / x.abs().max() * size
        x[3] = 0.0
        assert compare(parts(nvfp4_quantize(x)), torchaos_nvfp4(x))[1] == 0, number


def test_bfloat16_is_torchaos():
    x = Draw(0).normal(8, 64).to(torch.bfloat16)
    ours, theirs = parts(nvfp4_quantize(x)), torchaos_nvfp4(x)
    assert compare(ours, theirs)[1] == 0


def test_scales_by_hand():
    """The tensor's scale is 1: its largest number is 448 · 6."""
    x = torch.zeros(4, 16)
    x[0, 0], x[1, 0], x[2, 0] = 2688.0, -6.0, 6 * 2.0**-9
    x[1, 1:4] = torch.tensor([0.25, 0.75, 5.0])  # three ties, which go to the even code
    blocks = nvfp4_quantize(x)
    assert blocks.tensor_scale.item() == 1
    scales = decode_float(blocks.scales, E4M3FN).flatten().tolist()
    assert scales == [448, 1, 2.0**-6, 2.0**-6]  # never E4M3's subnormals, never 0
    assert blocks.dequantize()[1, :5].tolist() == [-6, 0, 1, 4, 0]
    assert blocks.dequantize()[2, 0].item() == 2.0**-6  # 0.75 of the scale, a tie: 1
    assert blocks.bits_per_weight == 4.5


def test_a_tensor_of_zeros_stays_one():
    blocks = nvfp4_quantize(torch.tensor([0.0, -0.0] * 8))
    assert same_bits(blocks.dequantize(), torch.tensor([0.0, -0.0] * 8))
    assert torchaos_nvfp4(torch.zeros(1, 16))[3].isnan().all()  # a named difference


@pytest.mark.parametrize("exponent", [-149, -130, -122, -112, -110, -109])
def test_tensors_of_tiny_numbers_stay_finite_and_near(exponent):
    x = torch.linspace(-1, 1, 32).reshape(2, 16) * 2.0**exponent
    x[0, 0] = 0.0
    blocks = nvfp4_quantize(x)
    assert blocks.tensor_scale >= 2.0**-121
    error = (blocks.dequantize() - x).abs().max()
    assert error <= x.abs().max() / 6 + 2.0**-129  # half of the widest step, or of the least one


def test_where_torchaos_reciprocal_is_infinite():
    """A named difference: below 2^-121 it may be so over 2^-6, and 0 · inf is NaN."""
    x = torch.full((2, 16), 2.0**-110)
    x[1] = 0.0
    assert torchaos_nvfp4(x * 2.0**-4)[2][1].tolist() != [0] * 16
    assert nvfp4_quantize(x * 2.0**-4).codes[1].tolist() == [0] * 16


def test_the_largest_float32_stays_finite():
    most = torch.finfo(torch.float32).max
    blocks = nvfp4_quantize(torch.full((16,), -most))
    assert blocks.dequantize().isfinite().all()


@pytest.mark.parametrize("shape", [(0,), (0, 16), (3, 0), (16,), (2, 2, 32)], ids=str)
def test_shapes(shape):
    blocks = nvfp4_quantize(torch.ones(shape))
    assert blocks.codes.shape == shape
    assert blocks.scales.shape == (*shape[:-1], shape[-1] // 16)
    assert torch.allclose(blocks.dequantize(), torch.ones(shape))


def test_any_stride_and_a_gradient():
    x = Draw(1).normal(64, 4).requires_grad_()
    blocks = nvfp4_quantize(x.T)
    assert torch.equal(blocks.codes, nvfp4_quantize(x.detach().T.contiguous()).codes)
    assert not blocks.dequantize().requires_grad


def test_torchao_reads_our_codes():
    blocks = nvfp4_quantize(Draw(2).normal(4, 64))
    theirs = torchaos_nvfp4_numbers(blocks.codes, blocks.scales, blocks.tensor_scale)
    assert same_bits(blocks.dequantize(), theirs)


CODES, SCALES = torch.ones(2, 16).byte(), torch.ones(2, 1).byte()
NAN = torch.tensor(math.nan)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: nvfp4_quantize([1.0]), TypeError, "x is a list"),
        (lambda: nvfp4_quantize(torch.ones(16).long()), TypeError, "x has dtype torch.int64"),
        (lambda: nvfp4_quantize(torch.tensor(1.0)), ValueError, "axis -1 does not exist"),
        (lambda: nvfp4_quantize(torch.ones(2, 40)), ValueError, "16 and does not divide 40"),
        (
            lambda: nvfp4_quantize(torch.full((2, 16), math.inf)),
            ValueError,
            r"x holds infinities or NaN, as at index \(0, 0\)",
        ),
        (lambda: nvfp4_quantize(torch.full((16,), math.nan)), ValueError, r"NaN, as at index \(0,"),
        (
            lambda: NVFP4Tensor(CODES, SCALES[:1], torch.tensor(1.0)),
            ValueError,
            r"scales have shape \(1, 1\), but the blocks \(2, 1\)",
        ),
        (
            lambda: NVFP4Tensor(CODES, SCALES, torch.ones(2)),
            ValueError,
            r"tensor_scale has shape \(2,\), but there is one.*pass a single number",
        ),
        (lambda: NVFP4Tensor(CODES, SCALES, 1.0), TypeError, "tensor_scale is a float"),
        (
            lambda: NVFP4Tensor(CODES, SCALES, NAN),
            ValueError,
            "tensor_scale holds .*: pass a",
        ),
        (lambda: NVFP4Tensor(16 * CODES, SCALES, torch.tensor(1.0)), ValueError, "reach to 16"),
    ],
)
def test_mistakes_are_named(call, error, message):
    with pytest.raises(error, match=message):
        call()
