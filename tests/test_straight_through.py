"""fake_quantize against torch's fake-quantize kernels, forward and backward."""

import math
import platform

import pytest
import torch

from qlearn import QParams, fake_quantize, quant_range
from tests.hard_values import hard_values, random_code, random_scale, same_bits

RANGES = {
    "int8": (torch.int8, *quant_range(torch.int8)),
    "uint8": (torch.uint8, *quant_range(torch.uint8)),
    "uint8-reduced": (torch.uint8, 0, 127),
    "int4": (torch.int8, -8, 7),
    "int32": (torch.int32, *quant_range(torch.int32)),
}


def forward_and_gradient(function, x):
    """Return function(x) and the gradient of a weighted sum of it."""
    leaf = x.clone().requires_grad_()
    y = function(leaf)
    weights = torch.linspace(-2, 2, y.numel()).reshape(y.shape)
    (y * weights).nan_to_num().sum().backward()
    return y.detach(), leaf.grad


@pytest.mark.parametrize("name", RANGES)
def test_per_tensor_equals_torch_forward_and_backward(name):
    dtype, low, high = RANGES[name]
    generator = torch.Generator().manual_seed(3)
    for _ in range(100):
        scale = random_scale(generator)
        zero_point = random_code(max(low, -(2**20)), min(high, 2**20), generator)
        x = torch.cat([hard_values(scale, generator), torch.tensor([math.nan])])
        qparams = QParams(scale, zero_point, low, high, dtype)
        ours = forward_and_gradient(lambda t, p=qparams: fake_quantize(t, p), x)
        torchs = forward_and_gradient(
            lambda t, s=scale, z=zero_point: torch.fake_quantize_per_tensor_affine(
                t, s, z, low, high
            ),
            x,
        )
        assert same_bits(ours[0], torchs[0]), qparams
        assert same_bits(ours[1], torchs[1]), qparams


@pytest.mark.parametrize("name", ["int8", "uint8", "int4"])
def test_per_channel_equals_torch_forward_and_backward(name):
    dtype, low, high = RANGES[name]
    generator = torch.Generator().manual_seed(4)
    for case in range(60):
        channels, axis = 1 + case % 4, case % 2
        scales = [random_scale(generator) for _ in range(channels)]
        zero_points = [random_code(low, high, generator) for _ in range(channels)]
        x = torch.stack([hard_values(scale, generator, n=30) for scale in scales])
        # Beyond 2^63 steps torch's per-channel kernel overflows; the next test shows it.
        x = x.clamp(-1e4, 1e4).movedim(0, axis)
        qparams = QParams(scales, zero_points, low, high, dtype, axis)
        ours = forward_and_gradient(lambda t, p=qparams: fake_quantize(t, p), x)
        torchs = forward_and_gradient(
            lambda t, p=qparams: torch.fake_quantize_per_channel_affine(
                t, p.scale, p.zero_point, p.axis, low, high
            ),
            x,
        )
        assert same_bits(ours[0], torchs[0]), qparams
        assert same_bits(ours[1], torchs[1]), qparams


def test_huge_values_saturate_where_torchs_per_channel_kernel_overflows():
    qparams = QParams([0.5], [3], -128, 127, torch.int8, axis=0)
    x = torch.tensor([[1e30, math.inf]])
    assert fake_quantize(x, qparams).tolist() == [[62.0, 62.0]]
    per_tensor = torch.fake_quantize_per_tensor_affine(x, 0.5, 3, -128, 127)
    assert per_tensor.tolist() == [[62.0, 62.0]]
    if platform.machine() in ("x86_64", "AMD64"):  # what the cast gives is the processor's choice
        per_channel = torch.fake_quantize_per_channel_affine(
            x, qparams.scale, qparams.zero_point, 0, -128, 127
        )
        assert per_channel.tolist() == [[-65.5, -65.5]]


def test_clipped_values_get_no_gradient():
    qparams = QParams(1.0, 0, -8, 7, torch.int8)
    x = torch.tensor([-9.0, -8.4, 7.4, 7.6], requires_grad=True)
    fake_quantize(x, qparams).sum().backward()
    assert x.grad.tolist() == [0.0, 1.0, 1.0, 0.0]


def test_other_dtypes_are_refused():
    with pytest.raises(TypeError, match="float64"):
        fake_quantize(torch.zeros(2, dtype=torch.float64), QParams(1.0, 0, -8, 7, torch.int8))


def test_shape_0d_empty_and_strided_inputs():
    qparams = QParams(0.5, 0, -8, 7, torch.int8)
    assert fake_quantize(torch.tensor(0.6), qparams).item() == 0.5
    assert fake_quantize(torch.zeros(0, 2), qparams).shape == (0, 2)
    x = torch.randn(5, 3, generator=torch.Generator().manual_seed(0))
    assert same_bits(fake_quantize(x.t(), qparams), fake_quantize(x.t().contiguous(), qparams))
