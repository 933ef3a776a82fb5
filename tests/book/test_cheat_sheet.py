"""The cheat sheet: its formulas and defaults are those of torch and torchao, and it is one page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import torch
import torch.ao.quantization as old
from torch import nn
from torch.ao.quantization.observer import MinMaxObserver
from torchao.quantization import (
    Int8DynamicActivationInt8WeightConfig,
    Int8WeightOnlyConfig,
    quantize_,
)

from qlearn.course import normal

SHEET = Path(__file__).parents[2] / "book" / "reference" / "cheat_sheet.md"
TEXT = SHEET.read_text(encoding="utf-8")
LOW, HIGH = -1.5, 2.0


def observed(**kind: object) -> tuple[float, int]:
    """Return what torch's observer chooses for the range."""
    observer = MinMaxObserver(**kind)
    observer(torch.tensor([LOW, HIGH]))
    scale, zero_point = observer.calculate_qparams()
    return scale.item(), int(zero_point)


def row(start: str) -> list[str]:
    """Return the cells of the table's line that begins so."""
    (line,) = [line for line in TEXT.splitlines() if line.startswith(f"| {start}")]
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_the_affine_line_is_the_observers() -> None:
    scale = (HIGH - LOW) / 255
    assert observed(dtype=torch.qint8, qscheme=torch.per_tensor_affine) == (
        pytest.approx(scale),
        -128 - round(LOW / scale),
    )
    assert row("affine")[1:3] == [
        r"$(\max - \min) / (q_{\max} - q_{\min})$",
        r"$q_{\min} - \operatorname{round}(\min / s)$",
    ]


def test_the_symmetric_line_is_the_observers() -> None:
    scale = pytest.approx(max(-LOW, HIGH) / (255 / 2))
    assert observed(dtype=torch.qint8, qscheme=torch.per_tensor_symmetric) == (scale, 0)
    assert observed(dtype=torch.quint8, qscheme=torch.per_tensor_symmetric) == (scale, 128)
    assert "((q_{\\max} - q_{\\min}) / 2)" in row("symmetric")[1]


@pytest.mark.parametrize(
    ("config", "kind"),
    [
        (Int8WeightOnlyConfig(), "Int8WeightOnlyConfig"),
        (Int8DynamicActivationInt8WeightConfig(), "Int8DynamicActivationInt8WeightConfig"),
    ],
    ids=["weights only", "dynamic"],
)
def test_the_configs_take_the_ranges_of_the_sheet(config: object, kind: str) -> None:
    model = nn.Sequential(nn.Linear(64, 8))
    quantize_(model, config)
    weight = model[0].weight
    assert weight.scale.shape == (8, 1)
    assert not weight.zero_point.any()
    activations = "float" if "WeightOnly" in kind else "symmetric, each row"
    assert row(f"`{kind}`")[1:] == [activations, "symmetric, each row"]
    assert ("WeightOnly" in kind) is (weight.act_quant_kwargs is None)


def test_four_bits_pack_two_codes_into_a_byte() -> None:
    from torchao.prototype.quantization.int4 import PrototypeInt4WeightOnlyConfig

    model = nn.Sequential(nn.Linear(64, 16, bias=False)).bfloat16()
    quantize_(model, PrototypeInt4WeightOnlyConfig(group_size=32))
    scales_and_zero_points = 2 * 16 * (64 // 32)
    weight = model[0].weight
    assert weight.qdata.numel() * weight.qdata.element_size() == 64 * 16 / 2
    assert weight.scale_and_zero.numel() == scales_and_zero_points
    assert row("4 bits")[1:3] == ["−8 … 7", "0.5"]


@pytest.mark.parametrize("engine", ["x86", "fbgemm", "qnnpack"])
@pytest.mark.filterwarnings("ignore:Please use quant_min:UserWarning")
def test_the_old_engines_take_the_recipes_of_the_sheet(engine: str) -> None:
    qconfig = old.get_default_qconfig(engine)
    activation, weight = qconfig.activation(), qconfig.weight()
    assert isinstance(activation, old.HistogramObserver)
    most = 127 if activation.reduce_range else 255
    whole = weight.qscheme == torch.per_tensor_symmetric
    found = [f"affine, histogram, 0 … {most}"]
    found += ["symmetric, whole tensor" if whole else "symmetric, each output channel"]
    line = row("old engine `qnnpack`" if engine == "qnnpack" else "old engines `x86`, `fbgemm`")
    assert line[1:] == found


@pytest.mark.filterwarnings("ignore:.*:DeprecationWarning")  # on import, of torch's own
def test_pt2e_takes_the_recipe_of_the_sheet() -> None:
    import torchao.quantization.pt2e.quantizer.x86_inductor_quantizer as x86

    config = x86.get_default_x86_inductor_quantization_config()
    inputs, weights = config.input_activation, config.weight
    assert (inputs.quant_min, inputs.quant_max, inputs.qscheme) == (0, 255, torch.per_tensor_affine)
    assert type(inputs.observer_or_fake_quant_ctr()).__name__ == "HistogramObserver"
    assert weights.qscheme == torch.per_channel_symmetric
    assert row("PT2E")[1:] == ["affine, histogram, 0 … 255", "symmetric, each output channel"]


def network() -> nn.Sequential:
    return nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(144, 8))


@pytest.mark.filterwarnings("ignore:.*:DeprecationWarning")
def test_the_lines_of_the_sheet_run_with_batches_of_any_size() -> None:
    (lines,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    images = normal(7, 3, 8, 8, generator=torch.Generator().manual_seed(0))
    names = {"inputs": (images[:4],), "calibration": [images[:4], images[4:]]}
    names["model"] = network()
    exec(lines, names)  # as they are pasted, one way behind the other
    assert type(names["model"][3].weight).__name__ == "Int8Tensor"
    assert names["converted"](images).shape == (7, 8)


def test_the_floor_of_a_scale_is_the_one_on_the_sheet() -> None:
    from torchao.quantization.pt2e.quantizer import x86_inductor_quantizer as x86

    config = x86.get_default_x86_inductor_quantization_config()
    for spec in (config.input_activation, config.weight):
        assert spec.observer_or_fake_quant_ctr().eps.item() == 2**-12
    assert MinMaxObserver().eps.item() == pytest.approx(1.2e-7, rel=0.01)


def test_float8_ends_and_errs_as_the_sheet_says() -> None:
    kinds = (torch.float8_e4m3fn, torch.float8_e5m2)
    cells = row("float8 E4M3FN; E5M2")
    assert cells[1] == "; ".join(f"±{torch.finfo(kind).max:,.0f}" for kind in kinds)
    x = torch.arange(1.0, 2.0, 1e-4)
    errors = [((x.to(kind).float() - x) / x).abs().max().item() for kind in kinds]
    assert [f"{error:.0%}".replace("%", " %") for error in errors] == ["6 %", "11 %"]
    assert cells[3].startswith("error up to 6 % of a normal number; 11 %")


def test_a_sum_of_so_many_products_fits_32_bits() -> None:
    assert 65_793 == (2**31 - 1) // (255 * 128)
