"""What the pages on float8 and microscaling say in words or tables, and compute nowhere."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ml_dtypes
import nbformat
import numpy as np
import onnxruntime
import pytest
import torch
from onnx import TensorProto, helper
from torch import nn
from torchao.prototype.mx_formats import (
    MXDynamicActivationMXWeightConfig,
    NVFP4DynamicActivationNVFP4WeightConfig,
    NVFP4WeightOnlyConfig,
)
from torchao.prototype.mx_formats.mx_tensor import MXTensor
from torchao.quantization import Float8DynamicActivationFloat8WeightConfig, quantize_
from torchao.quantization.quantize_.common import KernelPreference

from qlearn import choose_qparams, fake_quantize, sqnr
from qlearn.course import normal
from qlearn.formats import (
    E2M1FN,
    E2M3FN,
    E4M3FN,
    E4M3FNUZ,
    E5M2,
    E5M2FNUZ,
    decode_float,
    encode_float,
    mx_quantize,
    round_to_float,
)

PAGES = Path(__file__).parents[2] / "book" / "formats"
CORE, BIT = (
    "\n\n".join(
        cell.source
        for cell in nbformat.read(PAGES / f"{name}.ipynb", as_version=4).cells
        if cell.cell_type == "markdown"
    )
    for name in ("float8_and_microscaling", "float8_and_microscaling_to_the_bit")
)
THEIRS = {E4M3FN: ml_dtypes.float8_e4m3fn, E5M2: ml_dtypes.float8_e5m2}
ONNX = {E4M3FN: TensorProto.FLOAT8E4M3FN, E5M2: TensorProto.FLOAT8E5M2}


def in_print(number: float) -> str:
    """Return a number as the pages' tables have it."""
    return {math.inf: "∞"}.get(number, "NaN" if math.isnan(number) else f"{number:.0f}")


def table(page: str, head: str) -> list[list[str]]:
    """Return the cells below the head of the table that begins so, without marks of emphasis."""
    (found,) = re.findall(rf"^\| {re.escape(head)} \|.*\n\|[-|]+\n((?:\|.*\n?)+)", page, re.M)
    return [
        [cell.strip().strip("*`") for cell in line.strip("|").split("|")]
        for line in found.strip().split("\n")
    ]


def by_ml_dtypes(x: list[float], kind: Any) -> list[float]:
    with np.errstate(all="ignore"):
        return np.array(x, np.float32).astype(kind).astype(np.float32).tolist()


def by_onnxruntime(x: list[float], kind: int, **saturate: int) -> list[float]:
    """Cast by ONNX's operator, there and back; without ``saturate`` as it does by default."""
    steps = [
        helper.make_node("Cast", ["x"], ["y"], to=kind, **saturate),
        helper.make_node("Cast", ["y"], ["z"], to=TensorProto.FLOAT),
    ]
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n"]) for name in "xz"]
    model = helper.make_model(
        helper.make_graph(steps, "cast", ends[:1], ends[1:]),
        opset_imports=[helper.make_opsetid("", 19)],
        ir_version=9,
    )
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    return session.run(None, {"x": np.array(x, np.float32)})[0].tolist()


# ------------------------------------------------------------------ where formats end


@pytest.mark.parametrize("format", [E4M3FN, E5M2, E4M3FNUZ, E5M2FNUZ])
def test_the_table_of_ends_is_that_of_the_formats(format: Any) -> None:
    rows = {row[0]: row[1:] for row in table(CORE, "format")}
    end, least, beyond = rows[repr(format)]
    assert end == f"{format.max:,.0f}"
    numbers = decode_float(torch.arange(256, dtype=torch.uint8), format)
    power = str(int(math.log2(numbers[numbers > 0].min())))
    assert least == "2" + power.translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    assert ("infinity" in beyond) is bool(numbers.isinf().any())
    assert "NaN" in beyond and numbers.isnan().any()


def test_e5m2_reaches_128_times_as_far() -> None:
    assert E5M2.max / E4M3FN.max == 128 and E4M3FN.max / E4M3FNUZ.max < 2
    assert ml_dtypes.finfo(ml_dtypes.float8_e4m3).max == 240


# ------------------------------------------------------------------ beyond the end


def test_a_billion_becomes_what_the_table_says() -> None:
    words = {"infinity": math.inf, "NaN": math.nan, "448": 448.0, "57,344": 57344.0}
    rows = {row[0]: [words[cell] for cell in row[1:]] for row in table(CORE, "1e9 becomes")}
    x = [1e9]
    torchs = [torch.tensor(x).to(kind).item() for kind in (torch.float8_e4m3fn, torch.float8_e5m2)]
    found = {
        ".to()` of torch 2.13": torchs,
        "astype` of ml_dtypes, the types of JAX": [
            by_ml_dtypes(x, kind)[0] for kind in THEIRS.values()
        ],
        "Cast` of ONNX": [by_onnxruntime(x, kind)[0] for kind in ONNX.values()],
    }
    for name, values in found.items():
        assert list(map(in_print, values)) == list(map(in_print, rows[name])), name


@pytest.mark.parametrize("format", [E4M3FN, E5M2], ids=repr)
def test_the_tables_of_other_libraries_are_measured(format: Any) -> None:
    rows = table(BIT, repr(format))
    x = [math.inf if row[0] == "∞" else float(row[0]) for row in rows]
    columns = [
        by_ml_dtypes(x, THEIRS[format]),
        *(by_onnxruntime(x, ONNX[format], saturate=saturate) for saturate in (1, 0)),
    ]
    found = zip(*(map(in_print, column) for column in columns), strict=True)
    assert [tuple(row[1:]) for row in rows] == list(found)


def test_nan_of_e5m2_has_two_codes() -> None:
    assert encode_float(torch.tensor([math.nan]), E5M2).item() == 0x7F
    nan = torch.tensor([math.nan]).to(torch.float8_e5m2)
    assert nan.view(torch.uint8).item() == 0x7F
    theirs = np.array([np.nan], np.float32).astype(ml_dtypes.float8_e5m2)
    assert theirs.view(np.uint8)[0] == 0x7E


def test_a_float64_goes_through_float32() -> None:
    x = 1.0625 + 2.0**-30
    assert torch.tensor([x], dtype=torch.float64).to(torch.float8_e4m3fn).item() == 1
    assert x > (1 + 1.125) / 2  # so the nearest is 1.125


def test_ml_dtypes_has_no_power_of_two_for_0_and_negative_numbers() -> None:
    with np.errstate(all="ignore"):
        x = np.array([3.0, 0.0, -2.0], np.float32).astype(ml_dtypes.float8_e8m0fnu)
    assert x.view(np.uint8).tolist() == [129, 255, 255]


# ------------------------------------------------------------------ rulers and errors


def test_between_minus_2_and_2_an_integer_ruler_has_three_marks_and_the_float_seven() -> None:
    drawn = normal(4, 500, generator=torch.Generator().manual_seed(0))
    end = (drawn[0] * drawn[1] + drawn[2] * drawn[3]).abs().max()
    sizes = decode_float(torch.arange(8, dtype=torch.uint8), E2M1FN) * end / 6
    assert (torch.arange(-7, 8) * end / 7).abs().lt(2).sum() == 3
    assert 2 * sizes.lt(2).sum() - 1 == 7


def test_an_error_is_at_most_a_sixteenth_and_2_65_percent_on_average() -> None:
    x = normal(100_000, generator=torch.Generator().manual_seed(1)).abs().clamp(0.1, 400)
    errors = decode_float(encode_float(x, E4M3FN), E4M3FN) - x
    assert 0.055 < (errors / x).abs().max() <= 1 / 16
    assert errors.square().sum().sqrt() / x.square().sum().sqrt() == pytest.approx(0.0265, abs=4e-4)
    assert 20 * math.log10(1 / 0.0265) == pytest.approx(31.5, abs=0.05)


def test_the_formula_crosses_31_5_db_at_a_crest_factor_of_11_8() -> None:
    assert 20 * math.log10(127.5 * math.sqrt(12)) == pytest.approx(52.9, abs=0.05)
    crossing = 10 ** ((52.9 - 31.5) / 20)
    assert crossing == pytest.approx(11.8, abs=0.1)
    guess = 4.4 * 2 ** ((40.0 - 31.6) / 6)
    assert guess == pytest.approx(11.7, abs=0.2)


def test_behind_a_softmax_int8_can_be_better_at_a_crest_factor_of_30() -> None:
    x = (6 * normal(512, 512, generator=torch.Generator().manual_seed(0))).softmax(-1)
    crest = (x.max() / x.square().mean().sqrt()).item()
    scale = x.max() / E4M3FN.max
    by_int8 = sqnr(x, fake_quantize(x, choose_qparams(x.min(), x.max(), symmetric=True)))
    by_float8 = sqnr(x, round_to_float(x / scale, E4M3FN) * scale)
    assert crest > 30 and by_int8 > by_float8 + 5


def test_torchao_never_takes_a_subnormal_scale() -> None:
    assert E4M3FN.max / E4M3FN.smallest_normal == 28_672


def test_a_nan_among_four_bits_is_1_5_in_torchao() -> None:
    x = torch.ones(1, 32)
    x[0, 3] = math.nan
    blocks = MXTensor.to_mx(x, torch.float4_e2m1fn_x2, 32)
    assert (blocks.qdata[0, 1].item() >> 4) & 7 == encode_float(torch.tensor([1.5]), E2M1FN).item()
    assert blocks.scale.view(torch.uint8).item() == 255


def test_e2m3_in_a_block_is_as_exact_as_e4m3() -> None:
    x = normal(64, 512, generator=torch.Generator().manual_seed(2))
    errors = [
        (mx_quantize(x, format, scale_rule="rceil").dequantize() - x).square().sum()
        for format in (E2M3FN, E4M3FN)
    ]
    assert errors[0] / errors[1] == pytest.approx(1, abs=0.15)


# ------------------------------------------------------------------ today's calls


def layer(*sides: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(*sides, bias=False))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: quantize_(layer(64, 32), Float8DynamicActivationFloat8WeightConfig()),
            "requires CUDA compute capability ≥8.9 or MI300",
        ),
        (
            lambda: quantize_(layer(64, 32), NVFP4DynamicActivationNVFP4WeightConfig()),
            "only supported on sm100",
        ),
        (
            lambda: quantize_(layer(64, 10), NVFP4WeightOnlyConfig()),
            "divisible by 16",
        ),
    ],
    ids=["float8", "NVFP4", "ten rows"],
)
def test_what_a_processor_refuses(call: Callable[[], None], message: str) -> None:
    with pytest.raises((AssertionError, RuntimeError), match=message):
        call()


def test_mx_quantizes_and_fails_in_the_first_product_unless_it_emulates() -> None:
    model, x = layer(64, 32).bfloat16(), torch.ones(2, 64, dtype=torch.bfloat16)
    quantize_(model, MXDynamicActivationMXWeightConfig())
    with pytest.raises(ValueError, match="Invalid scaling configuration"):
        model(x)
    other = layer(64, 32).bfloat16()
    config = MXDynamicActivationMXWeightConfig(kernel_preference=KernelPreference.EMULATED)
    quantize_(other, config)
    assert other(x).shape == (2, 32)


def test_with_a_single_scale_of_four_bits_99_percent_of_the_activations_are_0() -> None:
    x = normal(512, 512, generator=torch.Generator().manual_seed(0))
    x[:, ::100] *= 20
    codes = encode_float(x / (x.abs().max() / E2M1FN.max), E2M1FN)
    assert f"{((codes & 7) == 0).double().mean():.0%}" == "99%"
