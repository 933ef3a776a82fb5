"""fake_quantize by hand, and where torch's kernel overflows.

That it equals torch's kernels is proven in proofs/fake_quantize.py.
"""

import math
import platform

import pytest
import torch

from qlearn import QParams, dequantize, fake_quantize, quantize
from tests.bits import same_bits

INT4 = QParams(0.5, 3, -8, 7, torch.int8)


def test_it_is_dequantize_of_quantize():
    x = torch.tensor([0.25, 0.75, -0.75, 9.0, -9.0, math.inf, math.nan, 1e-45])
    assert same_bits(fake_quantize(x, INT4), dequantize(quantize(x, INT4), INT4))


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


@pytest.mark.parametrize("x", [2.0**31, 2.0**31 - 128, -(2.0**31), 2.0**24 + 2])
@pytest.mark.parametrize("ends", [(-(2**31), 2**31 - 1), (-(2**31) + 1, 2**24 + 1)], ids=str)
@pytest.mark.parametrize("axis", [None, 0])
def test_the_gradient_at_the_ends_of_int32_is_torchs(x, ends, axis):
    scale, zero_point = torch.tensor([1.0]), torch.tensor([0], dtype=torch.int32)
    ours, theirs = (torch.tensor([x], requires_grad=True) for _ in range(2))
    if axis is None:
        qparams = QParams(1.0, 0, *ends, torch.int32)
        y = torch.fake_quantize_per_tensor_affine(theirs, 1.0, 0, *ends)
    else:
        qparams = QParams(scale, zero_point, *ends, torch.int32, axis=axis)
        y = torch.fake_quantize_per_channel_affine(theirs, scale, zero_point, axis, *ends)
    fake_quantize(ours, qparams).sum().backward()
    y.sum().backward()
    assert torch.equal(ours.grad, theirs.grad)


def test_clipped_values_and_nan_get_no_gradient():
    qparams = QParams(1.0, 0, -8, 7, torch.int8)
    x = torch.tensor([-9.0, -8.4, 7.4, 7.6, math.inf, math.nan], requires_grad=True)
    fake_quantize(x, qparams).sum().backward()
    assert x.grad.tolist() == [0.0, 1.0, 1.0, 0.0, 0.0, 0.0]


def test_other_dtypes_are_refused():
    with pytest.raises(TypeError, match="float64"):
        fake_quantize(torch.zeros(2, dtype=torch.float64), QParams(1.0, 0, -8, 7, torch.int8))


def test_shape_0d_empty_and_strided_inputs():
    qparams = QParams(0.5, 0, -8, 7, torch.int8)
    assert fake_quantize(torch.tensor(0.6), qparams).item() == 0.5
    assert fake_quantize(torch.zeros(0, 2), qparams).shape == (0, 2)
    x = torch.randn(5, 3, generator=torch.Generator().manual_seed(0))
    assert same_bits(fake_quantize(x.t(), qparams), fake_quantize(x.t().contiguous(), qparams))


@pytest.mark.parametrize(
    ("dtype", "codes"), [(torch.int32, [1, 3, 3, 1]), (torch.float32, [2, 2, 4, 0])]
)
def test_torch_adds_a_float_zero_point_before_it_rounds(
    dtype: torch.dtype, codes: list[int]
) -> None:
    """As the page on rounding to the bit says: its kernel for integers adds it afterwards."""
    ties = torch.tensor([[0.25, 0.75, 1.25, -0.25]])
    scale, zero_point = torch.tensor([0.5]), torch.tensor([1], dtype=dtype)
    back = torch.fake_quantize_per_channel_affine(ties, scale, zero_point, 0, -128, 127)
    assert (back / scale + 1).tolist() == [codes]
