"""What the page on the old notes says of each statement."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch.ao.quantization.utils import calculate_qmin_qmax

from qlearn import (
    QParams,
    QTensor,
    choose_qparams,
    fake_quantize,
    linear_dynamic,
    quantize,
    textbook_qparams,
)
from qlearn.course import normal
from qlearn.machine import use_engine

PAGE = Path(__file__).parents[2] / "book" / "reference" / "old_notes.md"
TEXT = PAGE.read_text(encoding="utf-8")

pytestmark = pytest.mark.filterwarnings("ignore:.*:DeprecationWarning", "ignore:.*:UserWarning")


def says(words: str) -> bool:
    return words in " ".join(TEXT.split())


def test_the_clamp_moves_the_ruler_away() -> None:
    warm = torch.linspace(10, 11, 1000)
    notes = fake_quantize(warm, textbook_qparams(warm, symmetric=False))
    assert (notes - 1).abs().max() < 0.01
    assert (fake_quantize(warm, choose_qparams(10.0, 11.0)) - warm).abs().max() < 0.03
    assert says("come back as about 1")


def test_a_code_of_255_read_as_int8_is_minus_one() -> None:
    assert torch.tensor([255], dtype=torch.uint8).view(torch.int8).item() == -1
    assert says("The code 255 then reads −1")


def test_qint32_keeps_its_range() -> None:
    ends = [
        calculate_qmin_qmax(None, None, False, torch.qint32, reduce_range=reduced)
        for reduced in (False, True)
    ]
    assert ends[0] == ends[1] == (-(2**31), 2**31 - 1)


def test_the_place_of_the_zero_point_decides_a_tie() -> None:
    half, qparams = torch.tensor([0.5]), QParams(1.0, 1, -128, 127, torch.int8)
    assert quantize(half, qparams, rounding="nearest").item() == 1
    assert round(0.5 + 1) == 2
    assert says("the number 0.5 becomes 2 if the zero point is added first, and 1 if it is added")


def test_item_returns_what_is_printed() -> None:
    tensor = torch.quantize_per_tensor(torch.tensor([0.0064]), 1e-4, 2, torch.quint8)
    assert tensor[0].item() == pytest.approx(0.0064)


@pytest.mark.parametrize(
    "name", ["quantize", "form_tensor", "empty_quantized_tensor", "_per_tensor_affine_qtensor"]
)
def test_a_planned_name_does_not_exist(name: str) -> None:
    assert not hasattr(torch, name)
    assert says(f"torch.{name}`")


def test_the_scale_of_the_example_clips_its_inputs() -> None:
    inputs = torch.tensor([1.54, -0.29, -2.18, 0.57, -1.08, -1.40])
    back = torch.quantize_per_tensor(inputs, 1e-4, 2, torch.quint8).dequantize()
    ends = [-0.0002, 0.0253]
    assert back.unique().tolist() == pytest.approx(ends)
    assert says("−0.0002 … 0.0253")


def test_the_constant_has_its_k() -> None:
    generator = torch.Generator().manual_seed(0)
    q_x, q_w = (torch.randint(-9, 9, (7,), generator=generator) for _ in range(2))
    z_x, z_w, k = 3, 5, 7
    true = ((q_x - z_x) * (q_w - z_w)).sum()
    others = (q_x * q_w).sum() - z_x * q_w.sum() - z_w * q_x.sum()
    assert true - others == k * z_x * z_w


def test_a_static_layer_takes_scale_and_zero_point_from_each_input() -> None:
    use_engine()
    weight = torch.quantize_per_tensor(torch.tensor([[2.0, -1.0]]), 0.01, 0, torch.qint8)
    packed = torch.ops.quantized.linear_prepack(weight, None)
    for scale, zero_point in ((0.05, 3), (0.1, 200)):
        x = torch.quantize_per_tensor(torch.tensor([[1.0, 0.5]]), scale, zero_point, torch.quint8)
        y = torch.ops.quantized.linear(x, packed, 0.01, 0).dequantize().item()
        exact = (x.dequantize() @ weight.dequantize().T).item()
        assert abs(y - exact) < 0.01
    assert says("takes $z_x$ and $s_x$ from each input there, too")


def test_a_rebuilt_layer_with_256_codes_is_a_hundredth_off() -> None:
    generator = torch.Generator().manual_seed(1)
    x, weight = normal(20, 64, generator=generator), normal(8, 64, generator=generator)
    qparams = choose_qparams(weight.min(), weight.max(), symmetric=True)
    codes = quantize(weight, qparams)
    torchs = linear_dynamic(x, QTensor(codes, qparams), None, engine="fbgemm")
    of_all = choose_qparams(x.min(), x.max(), dtype=torch.uint8)
    rebuilt = fake_quantize(x, of_all) @ (codes * qparams.scale).T
    differ = (rebuilt - torchs).abs().max() / torchs.abs().max()
    assert 0.003 < differ < 0.03


def test_each_entry_names_a_page_that_exists() -> None:
    pages = [
        part.split(")")[0] for part in TEXT.split("Page: ")[1:] for part in [part.split("](")[1]]
    ]
    assert len(pages) == TEXT.count("\n**") == 11
    for page in pages:
        base = (PAGE.parent / page).resolve()
        assert base.with_name(base.name + ".ipynb").is_file(), page
