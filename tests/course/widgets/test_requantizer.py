"""The requantizer widget: its Python side, and its JavaScript against qlearn on vectors."""

import json
import math

import pytest
import torch

from proofs.draw import Draw
from qlearn import QParams
from qlearn.course.widgets import Requantizer
from qlearn.course.widgets.bundle import STATIC
from qlearn.course.widgets.requantizer import RULES
from qlearn.integers import onednn
from qlearn.integers.fixed_point import fixed_point_multiplier, fixed_point_product
from qlearn.integers.requantization import requantize
from tests.course.widgets.javascript import broken, compare, wrong

LAYER = {"x_scale": 0.02, "weight_scale": 0.01, "output_scale": 0.25}


@pytest.fixture(scope="module", autouse=True)
def newer_processor():
    """The page has one order of scales for onednn, that of processors with AVX-512 or AVX-VNNI."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(onednn, "joins_scales", lambda: False)
        yield


def drawn_settings(i: int, draw: Draw) -> dict:
    """Return scales, bias and bits; every third multiplier is a power of two, full of ties."""
    scales = [2.0**-7, 2.0 ** -draw.integer(5, 9), 2.0 ** -draw.integer(0, 6)]
    if i % 3:
        x_scale, weight_scale, output_scale = draw.normal(3).abs().mul(0.3).clamp(max=1).tolist()
        scales = [0.001 + 0.099 * x_scale, 0.001 + 0.049 * weight_scale, 0.01 + output_scale * 0.99]
    return {
        "xScale": scales[0],
        "weightScale": scales[1],
        "outputScale": scales[2],
        "zeroPoint": draw.integer(0, 255),
        "bias": draw.normal(1).item() if i % 2 else 0.0,
        "relu": i % 5 == 0,
        "bits": (31, draw.integer(4, 31))[i % 2],
    }


def all_codes(sums: torch.Tensor, s: dict) -> tuple[dict, dict]:
    """Return the multiplier in its parts, and the codes of the sums by each rule."""
    x_scale, weight_scale = torch.tensor(s["xScale"]), torch.tensor(s["weightScale"])
    output = QParams(s["outputScale"], s["zeroPoint"], 0, 255, torch.uint8)
    bias = torch.tensor([s["bias"]])
    codes = {
        engine: requantize(
            sums[:, None], x_scale, weight_scale, bias, output, relu=s["relu"], engine=engine
        )
        .flatten()
        .long()
        for engine in ("fbgemm", "qnnpack", "onednn")
    }
    multiplier = (x_scale * weight_scale / output.scale).item()
    whole, shift = fixed_point_multiplier(multiplier, s["bits"])
    steps = torch.round(bias * (1 / (x_scale * weight_scale))).int()
    fixed = fixed_point_product(sums + steps, whole, shift) + s["zeroPoint"]
    codes["fixed"] = fixed.clamp(s["zeroPoint"] if s["relu"] else 0, 255)
    return {"multiplier": multiplier, "whole": whole, "shift": shift}, codes


def drawn_case(i: int, draw: Draw) -> dict:
    """Return settings, and codes of sums all over the range, most of them close to a tie."""
    s = drawn_settings(i, draw)
    step = s["xScale"] * s["weightScale"]
    codes = torch.randint(-6, 262, (60,), generator=torch.Generator().manual_seed(i)) + 0.5
    near = (codes.double() - s["zeroPoint"]) / (step / s["outputScale"]) - s["bias"] / step
    sums = torch.cat([near.floor(), near.floor() + 1]).int()
    parts, results = all_codes(sums, s)
    results = {rule: list(map(int, values)) for rule, values in results.items()}
    return {"settings": s, **parts, "sums": sums.tolist(), "codes": results}


def drawn_window(i: int, draw: Draw) -> dict:
    """Return how many of all sums get another code by a rule than by fbgemm."""
    s = drawn_settings(i, draw) | {"bias": 0.0 if i % 2 else 0.013}
    scales = {"xScale": 0.02, "weightScale": 0.01, "outputScale": 0.05 + 0.02 * (i % 7)}
    s |= {**scales, "bits": 4 + i % 28}
    limit = math.ceil(600 * s["outputScale"] / (s["xScale"] * s["weightScale"]))
    _, codes = all_codes(torch.arange(-limit, limit, dtype=torch.int32), s)
    rule = RULES[i % 3]
    count = int((codes[rule] != codes["fbgemm"]).sum())
    return {"settings": s, "rule": rule, "count": count}


@pytest.fixture(scope="module")
def vectors(newer_processor, tmp_path_factory):
    draw = Draw(0)
    found = {
        "cases": [drawn_case(i, draw) for i in range(150)],
        "windows": [drawn_window(i, draw) for i in range(30)],
    }
    path = tmp_path_factory.mktemp("requantizer") / "vectors.json"
    path.write_text(json.dumps(found))
    return path


def test_every_code_equals_qlearns(node, vectors):
    report = compare(node, "compare_requantized.mjs", STATIC / "requantizer_math.js", vectors)
    assert report["compared"] > 70_000
    assert wrong(report) == {}


@pytest.mark.parametrize(
    ("right", "replacement", "seen_in"),
    [
        ("fma(p.bias, float(1 / p.step), float(sum))", "(p.bias / p.step + sum)", "fbgemm"),
        ("float(sum + p.wholeBias) *", "float(sum + p.bias / p.step) *", "qnnpack"),
        ("rint(float(steps + p.zeroPoint))", "rint(steps) + p.zeroPoint", "onednn"),
        ("+ (1n <<", "+ 0n * (1n <<", "fixed"),
        ("fixed: fixedPoint(multiplier, bits)", "fixed: fixedPoint(multiplier, 5)", "multiplier"),
        ("least: relu ? zeroPoint : 0", "least: 0", "fbgemm"),
        ("whole - 1n) / whole", "whole) / whole", "firsts"),
        ("code <= TOP_CODE; code++) {\n    const", "code < 100; code++) {\n    const", "stretches"),
    ],
)
def test_broken_arithmetic_is_seen(node, tmp_path, vectors, right, replacement, seen_in):
    module = broken(tmp_path, "requantizer_math.js", right, replacement)
    assert seen_in in wrong(compare(node, "compare_requantized.mjs", module, vectors))


# ------------------------------------------------------------------------------ in Python


def test_a_tie_that_only_float32_sees():
    # 101875 · 0.0008 is 81.5, but the float32 nearest to 0.0008 is smaller
    widget = Requantizer(101_875, **LAYER)
    assert repr(widget) == "Requantizer(sum 101875, multiplier 0.0008): fbgemm 82, fixed 81"
    assert [widget.code(rule) for rule in RULES] == [82, 82, 81]


def test_each_change_moves_the_code():
    widget = Requantizer(-10_000, zero_point=100, **LAYER)
    assert widget.code("fbgemm") == 92
    widget.relu = True
    assert [widget.code(rule) for rule in ("fbgemm", *RULES)] == [100] * 4
    widget.set_state({"total": 0, "bias": 1, "bits": 4, "rule": "qnnpack"})
    assert repr(widget) == "Requantizer(sum 0, multiplier 0.0008): fbgemm 104, qnnpack 104"


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("total", 2**30, "total is 1073741824: pass a number from"),
        ("x_scale", 0.0, "x_scale is 0.0: pass a number from 0.001 to 0.1"),
        ("weight_scale", 0.2, "weight_scale is 0.2"),
        ("output_scale", math.inf, "output_scale is inf"),
        ("zero_point", 256, "zero_point is 256: pass a number from 0 to 255"),
        ("bias", math.nan, "bias is nan"),
        ("bits", 3, "bits is 3: pass a number from 4 to 31"),
        ("rule", "fbgemm", "rule is 'fbgemm'.*'fixed'"),
    ],
)
def test_what_the_page_has_no_room_for_is_refused(name, value, message):
    widget = Requantizer(1000, **LAYER)
    before = repr(widget)
    with pytest.raises(ValueError, match=message):
        setattr(widget, name, value)
    assert repr(widget) == before
    with pytest.raises(ValueError, match=message):
        Requantizer(**({"total": 1000, **LAYER} | {name: value}))


def test_an_unknown_rule_has_no_code():
    with pytest.raises(ValueError, match="rule is 'x86'"):
        Requantizer(1000, **LAYER).code("x86")
