"""Rulers of integers, floats and NF4 in JavaScript and in Python, against who else knows them."""

from __future__ import annotations

from decimal import ROUND_FLOOR, ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
import torch
from torch import Tensor

from proofs.draw import Draw
from qlearn import QParams, nf4_levels, nf4_quantize
from qlearn.course.widgets.shared import rulers
from qlearn.course.widgets.shared.figure import SHARED
from tests.course.widgets.figures import call, with_other

RULERS = SHARED / "rulers.js"
MARKS = SHARED / "marks.js"
# What rounds to a float with no line of ours
FLOATS: dict[str, Any] = {
    "E4M3FN": ml_dtypes.float8_e4m3fn,
    "E5M2": ml_dtypes.float8_e5m2,
    "E2M1FN": ml_dtypes.float4_e2m1fn,
}
ENDS = {"E4M3FN": 448.0, "E5M2": 57344.0, "E2M1FN": 6.0}
DECIMAL = {"away": ROUND_HALF_UP, "down": ROUND_FLOOR}
KINDS = {
    "float8": {"format": "E4M3FN", "bits": 8, "signed": True, "symmetric": True},
    "other float8": {"format": "E5M2", "bits": 8, "signed": True, "symmetric": True},
    "float4": {"format": "E2M1FN", "bits": 4, "signed": True, "symmetric": True},
    "nf4": {"format": "NF4", "bits": 4, "signed": True, "symmetric": True},
    "half to even": {"format": "integer", "bits": 4, "signed": True, "symmetric": False},
    "away": {"format": "integer", "bits": 3, "signed": False, "symmetric": False},
    "down": {"format": "integer", "bits": 5, "signed": True, "symmetric": True},
}
ROUNDING = {"away": "away", "down": "down"}  # all others to the nearest
# Functions of lists, because JSON has no Float32Array; a ruler with its scale moved.
INTERFACE = {
    "back": """(x, ends, kind, scale) => {
      const ruler = { ...right.fittedRuler(ends, kind), scale };
      return [...right.measured(Float32Array.from(x), ruler).restored];
    }""",
    "clipped": """(x, kind) => {
      const ruler = { ...right.fittedRuler([-1, 1], kind), scale: 1 };
      return right.measured(Float32Array.from(x), ruler).share;
    }""",
    "fitting": "(ends, kind) => right.fittedRuler(ends, kind)",
    "levels": "(name) => [...right.FORMATS[name].levels]",
    "of": "(rows, state) => right.rulersOf(rows.map((row) => Float32Array.from(row)), state)",
}


def module(folder: Path, base: Path = RULERS) -> Path:
    """Return the module with functions that take lists."""
    for name, expression in INTERFACE.items():
        (folder / name).mkdir(parents=True)
        base = with_other(folder / name, base, name, expression)
    return base


def kind_of(name: str) -> dict[str, Any]:
    return KINDS[name] | {"rounding": ROUNDING.get(name, "nearest")}


# ------------------------------------------------------------------ levels and rounding


def restored_elsewhere(x: Tensor, name: str, scale: float, ruler: QParams) -> list[float]:
    """Return what the numbers come back as by ml_dtypes, by NF4's own rule, or by decimals."""
    format = KINDS[name]["format"]
    step = torch.tensor(scale)
    if format in FLOATS:
        scaled = (x / step).clamp(-ENDS[format], ENDS[format]).numpy().astype(FLOATS[format])
        back = torch.from_numpy(scaled.astype(np.float32)) * step
    elif format == "NF4":
        block = torch.cat([x.clamp(-scale, scale), torch.tensor([scale])])
        back = nf4_quantize(block, block_size=len(block)).dequantize()[:-1]
    else:
        zero = int(ruler.zero_point)
        steps = [Decimal((value * (1 / step)).item()) for value in x]
        whole = [int(each.quantize(Decimal(1), DECIMAL.get(name))) + zero for each in steps]
        codes = torch.tensor(whole).clamp(ruler.quant_min, ruler.quant_max)
        back = (codes - zero).float() * step
    return back.tolist()


def hard_numbers(name: str, scale: float) -> Tensor:
    """Return numbers all over the ruler and beyond, and those between two of its marks."""
    levels = rulers.levels_of(KINDS[name]["format"]) if name in list(KINDS)[:4] else None
    marks = torch.arange(-20, 20) / 2 if levels is None else (levels[1:] + levels[:-1]) / 2
    return torch.cat([marks * scale, 1.2 * marks.abs().max() * scale * Draw(0).normal(200)])


def numbers_that_differ(node: str, folder: Path, base: Path = RULERS) -> dict[str, int]:
    """Return of each kind how many numbers come back otherwise than elsewhere."""
    calls, wanted = [], {}
    for name in KINDS:
        scale = 4.0 if name == "nf4" else 0.25  # of which NF4's own rule divides exactly, too
        x, ends = hard_numbers(name, scale), (torch.tensor(-3.0), torch.tensor(5.0))
        fit = rulers.fitted_ruler(*ends, **KINDS[name])
        wanted[name] = restored_elsewhere(x, name, scale, fit)
        calls.append(["back", x.tolist(), [-3.0, 5.0], kind_of(name), scale])
    found = call(node, module(folder, base), calls)
    return {
        name: sum(ours != theirs for ours, theirs in zip(each, wanted[name], strict=True))
        for name, each in zip(KINDS, found, strict=True)
    }


def test_numbers_come_back_as_elsewhere(node: str, tmp_path: Path) -> None:
    assert set(numbers_that_differ(node, tmp_path).values()) == {0}


def test_a_number_that_is_shifted_is_seen(node: str, tmp_path: Path) -> None:
    shifted = "(x, ruler) => right.measured(x.map((each) => each + ruler.scale / 16), ruler)"
    base = with_other(tmp_path, RULERS, "measured", shifted)
    assert min(numbers_that_differ(node, tmp_path / "more", base).values()) > 0


def test_levels_are_those_of_qlearn(node: str, tmp_path: Path) -> None:
    found = call(node, module(tmp_path), [["levels", name] for name in (*FLOATS, "NF4")])
    for name, levels in zip((*FLOATS, "NF4"), found, strict=True):
        right = rulers.levels_of(name)
        assert torch.equal(torch.tensor(levels), right)
        assert right[-1] == ENDS.get(name, 1.0) and len(right.unique()) == len(right)
    assert torch.equal(rulers.levels_of("NF4"), nf4_levels())


# ------------------------------------------------------------------ rulers that fit, and marks


def test_rulers_fit_the_same_in_python(node: str, tmp_path: Path) -> None:
    draw = Draw(1)
    pairs = [torch.cat([draw.normal(2) * draw.power_of_ten(-8, 4)]).sort()[0] for _ in range(40)]
    pairs += [torch.zeros(2), torch.tensor([1e-38, 3e-38])]
    cases = [(pair, name) for pair in pairs for name in KINDS]
    calls = [["fitting", pair.tolist(), kind_of(name)] for pair, name in cases]
    for ours, (pair, name) in zip(call(node, module(tmp_path), calls), cases, strict=True):
        right = rulers.fitted_ruler(*pair, **KINDS[name])
        assert ours["scale"] == right.scale.item()
        given = [ours[key] for key in ("zeroPoint", "quantMin", "quantMax")]
        assert given == [int(right.zero_point), right.quant_min, right.quant_max]


def test_numbers_come_to_the_mark_that_reaches_there(node: str, tmp_path: Path) -> None:
    ends, functions = [-3.0, 5.0], module(tmp_path)
    fits = call(node, functions, [["fitting", ends, kind_of(name)] for name in KINDS])
    for name, fit in zip(KINDS, fits, strict=True):
        levels = [*fit.pop("levels", {}).values()] if name == "nf4" else fit.pop("levels", None)
        given = fit | ({"levels": levels} if levels else {})
        (marks,) = call(node, MARKS, [["marksOf", given]])
        inside = [(mark["from"], mark["to"], 1e-3 * (mark["to"] - mark["from"])) for mark in marks]
        x = [each for low, high, hair in inside for each in (low + hair, high - hair)]
        (back,) = call(node, functions, [["back", x, ends, kind_of(name), fit["scale"]]])
        values = [mark["value"] for mark in marks for _ in range(2)]
        assert back == pytest.approx(values, rel=1e-6)
        assert [mark["to"] for mark in marks[:-1]] == [mark["from"] for mark in marks[1:]]


def test_each_row_may_have_its_own_ruler(node: str, tmp_path: Path) -> None:
    rows = torch.tensor([[1.0], [0.25], [0.0625]]) * Draw(2).normal(3, 50)
    kind = kind_of("half to even") | {"scale": None, "zero_point": None}
    states = [kind | {"channel": 1, "per_channel": each} for each in (False, True)]
    states += [states[1] | {"scale": 0.5}]
    calls = [["of", rows.tolist(), state] for state in states]
    found = call(node, module(tmp_path), calls)
    for ours, state in zip(found, states, strict=True):
        for i, measured in enumerate(ours["all"]):
            moved = state["scale"] if i == 1 or not state["per_channel"] else None
            seen = rows[i] if state["per_channel"] else rows
            fit = rulers.fitted_ruler(*seen.aminmax(), **KINDS["half to even"])
            ruler = QParams(moved or fit.scale, fit.zero_point, -8, 7, torch.int8)
            right = rulers.measured(rows[i], ruler, format="integer", rounding="nearest")
            names = {"mse": "mse", "maxError": "max_error", "sqnr": "sqnr", "bias": "mean_error"}
            for name, python in names.items():
                assert measured[name] == pytest.approx(right[python], rel=1e-6)
        assert ours["worst"]["sqnr"] == min(each["sqnr"] for each in ours["all"])
        assert ours["sqnr"] == ours["all"][1]["sqnr"]


def test_clipping_begins_where_the_marks_end(node: str, tmp_path: Path) -> None:
    functions = module(tmp_path)
    for name in list(KINDS)[:4]:
        levels = rulers.levels_of(KINDS[name]["format"]).tolist()
        given = {"scale": 1.0, "zeroPoint": 0, "levels": levels}
        (marks,) = call(node, MARKS, [["marksOf", given]])
        ends = [marks[0]["from"], marks[-1]["to"]]
        x = [end * share for end in ends for share in (0.999, 1.001)]
        (share,) = call(node, functions, [["clipped", x, kind_of(name)]])
        ruler = QParams(1.0, 0, int(levels[0]), int(levels[-1]), torch.int32)
        told = {"format": KINDS[name]["format"], "rounding": "nearest"}
        assert share == 0.5 == rulers.measured(torch.tensor(x), ruler, **told)["clipped_share"]


# ------------------------------------------------------------------ Python


def test_a_format_has_its_own_number_of_bits() -> None:
    with pytest.raises(ValueError, match="NF4 has 4 bits, but bits is 8: make them equal"):
        rulers.fitted_ruler(torch.tensor(-1.0), torch.tensor(1.0), format="NF4", bits=8)


@pytest.mark.parametrize("name", KINDS)
def test_python_measures_what_comes_back_elsewhere(name: str) -> None:
    ends, scale = (torch.tensor(-3.0), torch.tensor(5.0)), 4.0 if name == "nf4" else 0.25
    fit = rulers.fitted_ruler(*ends, **KINDS[name])
    ruler = QParams(scale, fit.zero_point, fit.quant_min, fit.quant_max, fit.dtype)
    x = hard_numbers(name, scale)
    back = torch.tensor(restored_elsewhere(x, name, scale, ruler)).double()
    rounding = ROUNDING.get(name, "nearest")
    found = rulers.measured(x, ruler, format=KINDS[name]["format"], rounding=rounding)
    assert found["max_error"] == (back - x.double()).abs().max().item()
    assert found["mean_error"] == (back - x.double()).mean().item()
    assert 0 < found["clipped_share"] < 1
