"""The pages on four bits: what they say of other libraries, and the file that they write."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import Any

import gguf
import nbformat
import pytest
import torch
from torch import Tensor, nn
from torchao.quantization import Int4WeightOnlyConfig, IntxWeightOnlyConfig, PerGroup, quantize_

from proofs.ggml import ggml_dequantize, ggml_quantize
from qlearn.course import normal
from qlearn.formats import gguf_dequantize, nf4_quantize, pack, quantize_groups, unpack
from qlearn.formats.nf4 import NF4_LEVELS
from qlearn.formats.packing import ORDERS

BOOK = Path(__file__).parents[2] / "book" / "formats"
FILE_CELLS = ("ft-02", "ft-04", "ft-28", "ft-29", "ft-34", "ft-35", "ft-38", "ft-50", "ft-40")


def sources(page: str) -> dict[str, str]:
    """Return the code of a page by the ids of its cells."""
    cells = nbformat.read(BOOK / f"{page}.ipynb", as_version=4).cells
    return {cell.id: cell.source for cell in cells if cell.cell_type == "code"}


@pytest.fixture(scope="module")
def written() -> dict[str, Any]:
    """Return the names of the page to the bit, once it has written its file."""
    page, names = sources("four_bits_to_the_bit"), {}
    for cell in FILE_CELLS:
        exec(page[cell], names)
    return names


# ------------------------------------------------------------------ the GGUF file


def read_back(data: bytes, folder: Path) -> dict[str, tuple[str, tuple[int, ...], Tensor]]:
    """Return kind, shape and numbers of each tensor, by the gguf package."""
    path = folder / "page.gguf"
    path.write_bytes(data)
    found = {}
    for tensor in gguf.GGUFReader(path).tensors:
        numbers = torch.from_numpy(gguf.quants.dequantize(tensor.data, tensor.tensor_type))
        shape = tuple(int(size) for size in reversed(tensor.shape))
        found[tensor.name] = (tensor.tensor_type.name, shape, numbers)
    return found


def test_the_file_is_read_by_its_own_library(written: dict[str, Any], tmp_path: Path) -> None:
    found = read_back(written["file"], tmp_path)
    assert found.keys() == written["tensors"].keys()
    for name, (kind, shape, blocks) in written["tensors"].items():
        assert found[name][:2] == (kind, shape)
        assert torch.equal(found[name][2], gguf_dequantize(blocks, kind, shape))


def test_a_shape_in_torchs_order_is_seen(written: dict[str, Any], tmp_path: Path) -> None:
    kind, _, blocks = written["tensors"]["small.weight"]
    turned = written["gguf_file"]({"small.weight": (kind, (256, 2), blocks)})
    with pytest.raises(ValueError, match="Quantized tensor row size"):
        read_back(turned, tmp_path)


def test_its_fact_is_read(written: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "page.gguf"
    path.write_bytes(written["file"])
    field = gguf.GGUFReader(path).get_field("general.architecture")
    assert field is not None and field.contents() == "none"


# ------------------------------------------------------------------ Q4_K


def test_a_block_of_the_page_is_read_by_ggml(written: dict[str, Any]) -> None:
    x = written["plain"][3, :256]
    block = written["q4_k"](x, written["searched"])
    assert torch.equal(ggml_dequantize(block, "Q4_K", 256), gguf_dequantize(block, "Q4_K", (256,)))


def test_the_search_of_the_page_is_as_good_as_ggmls(written: dict[str, Any]) -> None:
    x = written["plain"][:8].reshape(16, 256)
    ours = b"".join(written["q4_k"](each, written["searched"]) for each in x)
    errors = [
        written["error"](x, gguf_dequantize(data, "Q4_K", x.shape))
        for data in (ours, ggml_quantize(x, "Q4_K"))
    ]
    assert errors[0] == pytest.approx(errors[1], rel=0.01)
    ends = b"".join(written["q4_k"](each) for each in x)
    assert written["error"](x, gguf_dequantize(ends, "Q4_K", x.shape)) > 1.05 * errors[1]


# ------------------------------------------------------------------ today's calls


def model(dtype: torch.dtype = torch.bfloat16) -> nn.Sequential:
    return nn.Sequential(nn.Linear(256, 64, bias=False)).to(dtype)


def test_intx_stores_a_byte_for_each_code() -> None:
    layer = model()
    quantize_(layer, IntxWeightOnlyConfig(torch.int4, PerGroup(32)))
    codes = layer[0].weight.qdata
    assert codes.numel() * codes.element_size() == 256 * 64


def test_the_prototype_costs_five_bits() -> None:
    from torchao.prototype.quantization.int4 import PrototypeInt4WeightOnlyConfig

    layer = model()
    quantize_(layer, PrototypeInt4WeightOnlyConfig(group_size=32))
    parts = (layer[0].weight.qdata, layer[0].weight.scale_and_zero)
    assert sum(8 * part.numel() * part.element_size() for part in parts) / (256 * 64) == 5


@pytest.mark.parametrize(
    ("packing", "dtype", "message"),
    [
        ("plain", torch.bfloat16, "Requires mslk >= 1.0.0"),
        ("preshuffled", torch.bfloat16, "Requires mslk >= 1.0.0"),
        ("plain_int32", torch.bfloat16, "does not support device 'cpu' yet"),
        ("tile_packed_to_4d", torch.float32, "Only bfloat16 is supported"),
        ("tile_packed_to_4d", torch.bfloat16, "CUDA|NVIDIA"),
    ],
)
def test_each_packing_asks_for_what_the_table_says(
    packing: str, dtype: torch.dtype, message: str
) -> None:
    config = Int4WeightOnlyConfig(group_size=32, int4_packing_format=packing)
    with pytest.raises((ImportError, RuntimeError, AssertionError), match=message):
        quantize_(model(dtype), config)


def test_torchaos_own_nf4_has_levels_of_four_decimals() -> None:
    from torchao.quantization.quantize_.workflows.nf4.nf4_tensor import NF4Tensor

    x = normal(64, 64, generator=torch.Generator().manual_seed(0))
    table = NF4Tensor.from_tensor(x, block_size=64, scaler_block_size=64).nf4
    levels = torch.tensor(NF4_LEVELS)
    assert torch.equal(table, (levels * 1e4).round() / 1e4)
    assert 4e-5 < (table - levels).abs().max() < 5.1e-5


# ------------------------------------------------------------------ orders of packed codes

PARTNERS = {"AVX512": 32, "AVX2": 16}  # elsewhere rows of one byte are neighbours
PROGRAM = """
import torch

codes = torch.full((64, 64), 15, dtype=torch.int32)
codes[0] = 0
for code, row in {1: 1, 2: 16, 3: 32}.items():
    codes[row] = code
first = torch.ops.aten._convert_weight_to_int4pack_for_cpu(codes, 1).flatten()[0].item()
print(torch.backends.cpu.get_cpu_capability(), {1: 1, 2: 16, 3: 32}[max(first >> 4, first & 15)])
"""


@pytest.mark.parametrize("limit", [{}, {"ATEN_CPU_CAPABILITY": "default"}], ids=["own", "oldest"])
def test_which_rows_share_a_byte_in_torchs_own_kernel(
    limit: dict[str, str], probe: Callable[..., str]
) -> None:
    capability, partner = probe(PROGRAM, **limit).split()
    assert int(partner) == PARTNERS.get(capability, 1)


def as_read(codes: Tensor, written: str, read: str) -> Tensor:
    """Return codes that were packed in one order and are read in another."""
    there = pack(codes, 4, order=read)
    return unpack(pack(codes, 4, order=written).view(there.dtype), 4, order=read)


@pytest.mark.parametrize(("written", "read"), list(permutations(ORDERS, 2)))
def test_a_wrong_order_is_off_by_as_much_as_the_page_says(written: str, read: str) -> None:
    x = normal(256, 512, generator=torch.Generator().manual_seed(0))
    groups = quantize_groups(x)
    wrong = as_read((groups.codes + 8).to(torch.uint8), written, read).to(torch.int8) - 8
    off = (replace(groups, codes=wrong).dequantize() - x).norm() / x.norm()
    if {written, read} == {"onnx", "gptq"}:  # the same bytes
        assert torch.equal(wrong, groups.codes)
    else:
        assert 1.2 < off < 1.44


# ------------------------------------------------------------------ numbers in the prose


def test_the_row_of_the_first_paragraph() -> None:
    row = normal(512, generator=torch.Generator().manual_seed(0))
    row[100] = 40
    zeros = (quantize_groups(row, group_size=512).dequantize() == 0).sum().item()
    text = (BOOK / "four_bits.ipynb").read_text(encoding="utf-8")
    assert f"{zeros} of the other 511 weights come back as 0" in text


def test_double_quantization_saves_a_third_of_a_gigabyte() -> None:
    x = normal(256, 512, generator=torch.Generator().manual_seed(0))
    bits = [nf4_quantize(x, double=double).bits_per_weight for double in (False, True)]
    assert bits == [4.5, pytest.approx(4.127, abs=5e-4)]
    assert 7e9 * (bits[0] - bits[1]) / 8 / 1e9 == pytest.approx(0.33, abs=0.005)
