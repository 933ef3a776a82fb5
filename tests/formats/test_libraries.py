"""Small integers beside libraries that an emulated machine does without: onnx, gguf, ggml."""

import gguf
import numpy as np
import pytest
import torch
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.capi._pybind_state import quantize_matmul_bnb4

from proofs.ggml import ggml_dequantize, ggml_quantize
from qlearn import gguf_dequantize, gguf_quantize, nf4_levels, nf4_quantize, pack, unpack
from tests.bits import same_bits

WRITTEN = ["Q4_0", "Q8_0"]
KINDS = [*WRITTEN, "Q4_K", "Q6_K"]
SIZES = {"Q4_0": 18, "Q8_0": 34, "Q4_K": 144, "Q6_K": 210}


def hard_rows() -> torch.Tensor:
    """Return rows of 256: of many sizes, of zeros, of equal numbers, of ties."""
    x = torch.randn(24, 256) * torch.logspace(-8, 4, 24)[:, None]
    x[0] = 0
    x[1] = x[1].sign() * 8
    x[2] = (torch.randint(-16, 17, (256,)) / 2).clamp(-8, 7)  # ties of Q4_0, where −8 is first
    x[2, ::32] = -8
    x[3] = torch.randint(-254, 255, (256,)) / 2  # and of Q8_0
    x[3, ::32] = 127
    return x


@pytest.mark.parametrize(
    ("bits", "dtype"), [(4, TensorProto.UINT4), (2, TensorProto.UINT2)], ids=["uint4", "uint2"]
)
def test_onnx_reads_what_is_packed(bits, dtype):
    codes = torch.randint(0, 2**bits, (64,), dtype=torch.uint8)
    stored = helper.make_tensor(
        "x", dtype, [64], pack(codes, bits, order="onnx").numpy().tobytes(), raw=True
    )
    assert numpy_helper.to_array(stored).astype(np.uint8).tolist() == codes.tolist()


def test_twos_complement_is_onnx_s_signed_int4():
    codes = torch.randint(-8, 8, (64,), dtype=torch.int8)
    raw = pack(codes & 15, 4, order="onnx").numpy().tobytes()
    stored = helper.make_tensor("x", TensorProto.INT4, [64], raw, raw=True)
    assert numpy_helper.to_array(stored).astype(np.int8).tolist() == codes.tolist()


# By how many float32 numbers onnxruntime's thresholds, its own constants, lie above the midpoints.
THRESHOLDS_OFF = [-1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, -1, 0, -1]


def test_onnxruntime_s_thresholds_are_the_midpoints_but_for_four():
    levels = nf4_levels()
    upwards = (levels[:-1] + levels[1:]).sign().int()
    for step in range(-3, 4):  # from each midpoint
        bits = ((levels[:-1] + levels[1:]) / 2).view(torch.int32) + step * upwards
        block = torch.cat([bits.view(torch.float32), torch.ones(1)])
        packed, scales = np.zeros(8, np.uint8), np.zeros(1, np.float32)
        quantize_matmul_bnb4(packed, block[None].numpy(), scales, 16, 1, 1, 16)
        theirs = unpack(torch.from_numpy(packed), 4, order="bitsandbytes")
        assert theirs.tolist() == [i + (step > off) for i, off in enumerate(THRESHOLDS_OFF)] + [15]
        ours = nf4_quantize(block, block_size=16).codes
        assert ours.tolist() == [i + (step > 0) for i in range(15)] + [15]


@pytest.mark.parametrize("kind", WRITTEN)
def test_bytes_are_ggml_s_and_the_package_s(kind):
    x = hard_rows()
    data = gguf_quantize(x, kind)
    assert data == ggml_quantize(x, kind)
    assert data == gguf.quants.quantize(x.numpy(), gguf.GGMLQuantizationType[kind]).tobytes()


@pytest.mark.parametrize("kind", KINDS)
def test_numbers_are_ggml_s_and_the_package_s(kind):
    x = hard_rows()
    data = ggml_quantize(x, kind)
    numbers = gguf_dequantize(data, kind, x.shape)
    assert same_bits(numbers.flatten(), ggml_dequantize(data, kind, x.numel()))
    blocks = np.frombuffer(data, np.uint8)
    theirs = gguf.quants.dequantize(blocks, gguf.GGMLQuantizationType[kind])
    assert same_bits(numbers.flatten(), torch.from_numpy(theirs))
    assert (numbers - x).norm() / x.norm() < 0.1


@pytest.mark.parametrize("kind", KINDS)
def test_any_bytes_mean_what_ggml_says(kind):
    data = torch.randint(0, 256, (50, SIZES[kind]), dtype=torch.uint8)
    n = 50 * (32 if kind in WRITTEN else 256)
    ours = gguf_dequantize(data, kind, (n,))
    theirs = ggml_dequantize(data.numpy().tobytes(), kind, n)
    assert torch.equal(ours.isnan(), theirs.isnan())
    assert same_bits(ours.nan_to_num(), theirs.nan_to_num())


def test_minus_zero_counts_as_zero_as_in_c_and_not_as_in_the_package():
    x = torch.full((1, 32), -0.0)
    data = gguf_quantize(x, "Q4_0")
    assert data == ggml_quantize(x, "Q4_0") == gguf_quantize(x.abs(), "Q4_0")
    package = gguf.quants.quantize(x.numpy(), gguf.GGMLQuantizationType.Q4_0).tobytes()
    assert (data[:2].hex(), package[:2].hex()) == ("0080", "0000") and data[2:] == package[2:]


@pytest.mark.parametrize("kind", WRITTEN)
def test_a_file_comes_back_through_the_package(kind, tmp_path):
    x = torch.randn(4, 64)
    writer = gguf.GGUFWriter(tmp_path / "one.gguf", "none")
    blocks = np.frombuffer(gguf_quantize(x, kind), np.uint8).reshape(4, -1)
    writer.add_tensor("weight", blocks, raw_dtype=gguf.GGMLQuantizationType[kind])
    for step in ("header", "kv_data", "tensors"):
        getattr(writer, f"write_{step}_to_file")()
    writer.close()
    (tensor,) = gguf.GGUFReader(tmp_path / "one.gguf").tensors
    assert (tensor.name, tensor.tensor_type.name) == ("weight", kind)
    shape = tuple(int(length) for length in reversed(tensor.shape))
    assert shape == x.shape
    theirs = gguf.quants.dequantize(tensor.data, tensor.tensor_type)
    assert same_bits(gguf_dequantize(tensor.data, kind, shape), torch.from_numpy(theirs))
