"""The arithmetic of all widgets against qlearn's, in every bit, on vectors that qlearn makes."""

from __future__ import annotations

import base64
import math
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import torch
from torch import Tensor

from proofs.draw import Draw
from qlearn import (
    QParams,
    choose_qparams,
    clipped_share,
    dequantize,
    max_error,
    mse,
    quant_range,
    quantize,
    sqnr,
)
from qlearn.course.widgets.shared.figure import SHARED
from qlearn.numbers.fma import fma
from tests.course.widgets.figures import call, with_other

QUANTMATH = SHARED / "quantmath.js"
VALUES = 40_000  # of each case
ROUNDINGS = ("nearest", "fma", "add")
SETTINGS = 12  # qparams for each rounding: 1.4 million values in all

# Numbers come and go as bytes: JSON would take longer than the arithmetic.
INTERFACE = {
    "codes": """(x, qparams, rounding) => {
      const { codes } = right.quantize(new Float32Array(x.buffer), qparams, rounding);
      const bytes = (numbers) => Buffer.from(numbers.buffer).toString("base64");
      return [bytes(codes), bytes(right.dequantize(codes, qparams))];
    }""",
    "measured": """(x, qparams) => {
      const values = new Float32Array(x.buffer);
      const { codes, clipped } = right.quantize(values, qparams);
      const errors = right.errors(values, right.dequantize(codes, qparams));
      return { ...errors, clippedShare: clipped / values.length };
    }""",
    "sums": """(triples) => {
      const numbers = new Float32Array(triples.buffer);
      const found = numbers.filter((_, i) => i % 3 === 0);
      found.forEach((a, i) => { found[i] = right.fma(a, numbers[3 * i + 1], numbers[3 * i + 2]); });
      return Buffer.from(found.buffer).toString("base64");
    }""",
}


class Case(NamedTuple):
    """A call of the module, the part of it that is tried, and what qlearn answers."""

    part: str
    call: list[Any]
    wanted: Any


def encoded(x: Tensor) -> str:
    return base64.b64encode(x.contiguous().numpy().tobytes()).decode()


def as_json(qparams: QParams) -> dict[str, float]:
    """Return per-tensor qparams under the names that the JavaScript gives them."""
    codes = {"quantMin": qparams.quant_min, "quantMax": qparams.quant_max}
    return {"scale": qparams.scale.item(), "zeroPoint": qparams.zero_point.item(), **codes}


def rounded(rounding: str, i: int, draw: Draw) -> Case:
    """Return values that are hard to round, NaN among them."""
    dtype = torch.int8 if i % 2 else torch.uint8
    low, high = quant_range(dtype, bits=8 if i % 3 else 4)
    qparams = QParams(draw.scale(), draw.integer(low, high), low, high, dtype)
    hard = draw.hard_values(qparams.scale.item(), VALUES // 6)
    x = torch.cat([hard, torch.tensor([math.nan])])
    codes = quantize(x, qparams, rounding=rounding)
    wanted = [encoded(codes.to(torch.int32)), encoded(dequantize(codes, qparams))]
    return Case(rounding, ["codes", x.numpy().tobytes(), as_json(qparams), rounding], wanted)


def measured(i: int, draw: Draw) -> Case:
    """Return finite values, some of them clipped, and their errors."""
    x = draw.normal(VALUES)
    qparams = choose_qparams(x.min() * 0.7, x.max() * 0.7, symmetric=bool(i % 2))
    restored = dequantize(quantize(x, qparams), qparams)
    wanted = {
        "mse": mse(x, restored),
        "maxError": max_error(x, restored),
        "sqnr": sqnr(x, restored),
        "clippedShare": clipped_share(x, qparams),
    }
    given = [x.numpy().tobytes(), as_json(qparams)]
    return Case("errors", ["measured", *given], pytest.approx(wanted, rel=1e-9))


def fitted(i: int, draw: Draw) -> Case:
    """Return a range, over twelve decades, one-sided ranges and 0 among them, and its qparams."""
    pair = draw.normal(2) * draw.power_of_ten(-8, 4)
    pair = [pair, pair.abs(), -pair.abs(), torch.zeros(2)][i % 4 if i % 40 else 3]
    signed, symmetric, bits = bool(i & 1), bool(i & 2), 2 + i % 7
    dtype = torch.int8 if signed else torch.uint8
    low, high = quant_range(dtype, bits=bits)
    own: dict[str, Any] = {} if bits == 8 else {"quant_min": low, "quant_max": high}
    ends = sorted(pair.tolist())
    wanted = choose_qparams(*ends, dtype=dtype, symmetric=symmetric, **own)
    options = {"signed": signed, "symmetric": symmetric, "bits": bits}
    return Case("range", ["chooseQParams", *ends, options], as_json(wanted))


def summed(draw: Draw) -> Case:
    """Return a, b and c, half of them with a·b + c a hair off the middle of two float32."""
    n = 20_000
    a, b, c = (draw.normal(3, n) * 100).unbind()
    half = n // 2
    a[:half] = 1 + draw.codes((half,), torch.int64, 1, 2**12 - 1) * 2.0**-23
    b[:half] = 2.0**-24 * (1 - (a[:half] - 1))
    c[:half] = 1 + draw.codes((half,), torch.int64, 0, 2**23 - 1) * 2.0**-23
    triples = torch.stack([a, b, c], dim=1).contiguous()
    return Case("sum", ["sums", triples.numpy().tobytes()], encoded(fma(a, b, c)))


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    draw = Draw(0)
    return [
        *(rounded(rounding, i, draw) for rounding in ROUNDINGS for i in range(SETTINGS)),
        *(measured(i, draw) for i in range(4)),
        *(fitted(i, draw) for i in range(400)),
        summed(draw),
    ]


def parts_that_differ(node: str, folder: Path, module: Path, cases: list[Case]) -> set[str]:
    """Return the parts of the module that answer anything else than qlearn."""
    for name, expression in INTERFACE.items():
        folder = folder / name
        folder.mkdir()
        module = with_other(folder, module, name, expression)
    found = call(node, module, [case.call for case in cases])
    return {case.part for case, got in zip(cases, found, strict=True) if got != case.wanted}


def test_a_million_values_and_their_codes_are_qlearns(
    node: str, tmp_path: Path, cases: list[Case]
) -> None:
    assert parts_that_differ(node, tmp_path, QUANTMATH, cases) == set()


@pytest.mark.parametrize(
    ("name", "expression", "seen_in"),
    [
        (
            "quantize",
            "(x, q, rule) => right.quantize(x, q, rule === 'fma' ? 'add' : rule)",
            {"fma"},
        ),
        (
            "quantize",
            "(x, q, rule) => right.quantize(x, q, rule === 'add' ? 'nearest' : rule)",
            {"add"},
        ),
        (
            "quantize",
            "(x, q, rule) => right.quantize(x.map((v) => v + q.scale / 1024), q, rule)",
            {*ROUNDINGS, "errors"},
        ),
        (
            "dequantize",
            "(codes, q) => right.dequantize(codes, { ...q, zeroPoint: 0 })",
            {*ROUNDINGS, "errors"},
        ),
        ("errors", "(a, b) => ({ ...right.errors(a, b), mse: 0 })", {"errors"}),
        ("errors", "(a, b) => ({ ...right.errors(a, b), mse: NaN })", {"errors"}),
        ("fma", "(a, b, c) => Math.fround(a * b + c)", {"sum"}),
        (
            "chooseQParams",
            "(low, high, o) => right.chooseQParams(low, high, { ...o, symmetric: false })",
            {"range"},
        ),
    ],
    ids=[
        "two roundings",
        "rounded before the zero point",
        "shifted",
        "no zero point",
        "no error",
        "not a number",
        "rounded in float64 first",
        "never symmetric",
    ],
)
def test_broken_arithmetic_is_seen(
    node: str, tmp_path: Path, cases: list[Case], name: str, expression: str, seen_in: set[str]
) -> None:
    few = [case for i, case in enumerate(cases) if i % 3 == 0 or case.part in ("errors", "sum")]
    broken = with_other(tmp_path, QUANTMATH, name, expression)
    assert parts_that_differ(node, tmp_path, broken, few) == seen_in


def test_a_round_trip_is_its_three_steps(node: str) -> None:
    x = [-1.0, 0.3, 0.1, 9.0]
    qparams = QParams(0.25, 3, -8, 7, torch.int8)
    (found,) = call(node, QUANTMATH, [["roundTrip", x, as_json(qparams), "nearest"]])
    values = torch.tensor(x)
    codes = quantize(values, qparams)
    restored = dequantize(codes, qparams)
    assert list(found["codes"].values()) == codes.tolist()
    assert list(found["restored"].values()) == restored.tolist()
    assert found["share"] == clipped_share(values, qparams) == 0.25
    assert found["sqnr"] == pytest.approx(sqnr(values, restored), rel=1e-6)
