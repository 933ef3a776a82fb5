"""The widgets' JavaScript arithmetic against qlearn's, on vectors that qlearn makes."""

import json
import math
from pathlib import Path

import pytest
import torch

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
from qlearn.course.widgets.bundle import STATIC
from qlearn.numbers.rounding import fma
from tests.course.widgets.javascript import as_json, broken, compare, wrong

VALUES_A_CASE = 40_000
QPARAMS = 12  # times three rounding rules: 1.4 million values


def write_vectors(folder: Path, n: int = VALUES_A_CASE, qparams: int = QPARAMS) -> None:
    """Write values, qparams and qlearn's answers where the Node script reads them."""
    draw = Draw(0)
    cases = [
        write_case(folder, f"{rounding}-{i}", rounding, random_qparams(i, draw), n, draw)
        for rounding in ("nearest", "fma", "add")
        for i in range(qparams)
    ]
    cases += [write_real_case(folder, i, n, draw) for i in range(4)]
    (folder / "cases.json").write_text(json.dumps(cases))
    ranges = [range_case(i, draw) for i in range(400)]
    (folder / "ranges.json").write_text(json.dumps(ranges))
    write_triples(folder, draw)


def random_qparams(i: int, draw: Draw) -> QParams:
    dtype = torch.int8 if i % 2 else torch.uint8
    low, high = quant_range(dtype, bits=8 if i % 3 else 4)
    zero_point = draw.integer(low, high)
    return QParams(draw.scale(), zero_point, low, high, dtype)


def write_case(folder, name, rounding, qparams, n, draw) -> dict:
    """Values hard to round, NaN among them."""
    x = torch.cat([draw.hard_values(qparams.scale.item(), n // 6), torch.tensor([math.nan])])
    return write_files(folder, name, rounding, qparams, x)


def write_real_case(folder, i, n, draw) -> dict:
    """Finite values with their errors, as the widget prints them."""
    x = draw.normal(n)
    qparams = choose_qparams(x.min() * 0.7, x.max() * 0.7, symmetric=bool(i % 2))
    case = write_files(folder, f"errors-{i}", "nearest", qparams, x)
    restored = dequantize(quantize(x, qparams), qparams)
    case["errors"] = {
        "mse": mse(x, restored),
        "maxError": max_error(x, restored),
        "sqnr": sqnr(x, restored),
        "clippedShare": clipped_share(x, qparams),
    }
    return case


def write_files(folder, name, rounding, qparams, x) -> dict:
    codes = quantize(x, qparams, rounding=rounding)
    restored = dequantize(codes, qparams)
    (folder / f"{name}.x").write_bytes(x.numpy().tobytes())
    (folder / f"{name}.codes").write_bytes(codes.to(torch.int32).numpy().tobytes())
    (folder / f"{name}.restored").write_bytes(restored.numpy().tobytes())
    return {"name": name, "rounding": rounding, "qparams": as_json(qparams)}


def write_triples(folder: Path, draw: Draw) -> None:
    """Write a, b, c and fma(a, b, c), half of them a hair off the middle of two float32."""
    n = 20_000
    a, b, c = (torch.randn(3, n, generator=draw.generator) * 100).unbind()
    c[: n // 2] = 1 + torch.randint(0, 2**23, (n // 2,), generator=draw.generator) * 2.0**-23
    a[: n // 2] = 1 + torch.randint(1, 2**12, (n // 2,), generator=draw.generator) * 2.0**-23
    b[: n // 2] = 2.0**-24 * (1 - (a[: n // 2] - 1))
    triples = torch.stack([a, b, c, fma(a, b, c)], dim=1).contiguous()
    (folder / "triples").write_bytes(triples.numpy().tobytes())


def range_case(i: int, draw: Draw) -> dict:
    """One call of choose_qparams, over twelve decades, one-sided ranges and 0 among them."""
    pair = draw.normal(2) * 10.0 ** draw.integer(-8, 4)
    pair = [pair, pair.abs(), -pair.abs(), torch.zeros(2)][i % 4 if i % 40 else 3]
    signed, symmetric, bits = bool(i & 1), bool(i & 2), 2 + i % 7
    dtype = torch.int8 if signed else torch.uint8
    low, high = quant_range(dtype, bits=bits)
    own = {} if bits == 8 else {"quant_min": low, "quant_max": high}
    qparams = choose_qparams(pair.min(), pair.max(), dtype=dtype, symmetric=symmetric, **own)
    return {
        "name": f"range-{i}",
        "range": [pair.min().item(), pair.max().item()],
        "options": {"signed": signed, "symmetric": symmetric, "bits": bits},
        "qparams": as_json(qparams),
    }


@pytest.fixture(scope="module")
def vectors(tmp_path_factory):
    folder = tmp_path_factory.mktemp("vectors")
    write_vectors(folder)
    return folder


@pytest.fixture(scope="module")
def few_vectors(tmp_path_factory):
    folder = tmp_path_factory.mktemp("few_vectors")
    write_vectors(folder, n=3000, qparams=6)
    return folder


def test_codes_equal_qlearns_on_a_million_values(node, vectors):
    report = compare(node, "compare_codes.mjs", STATIC / "quantmath.js", vectors)
    assert report["values"] >= 1_000_000
    assert wrong(report) == {}


@pytest.mark.parametrize(
    ("right", "replacement", "seen_in"),
    [
        ("x + shift - shift : x", "Math.round(x) : x", "nearest"),
        ("rint(fma(x, inv, z))", "rint(fround(fround(x * inv) + z))", "fma"),
        ("words[0] % 2 === 0", "false", "triples"),
        ("fround(fround(x * inv) + z)", "fround(x * inv) + z", "add"),
        ("step * (codes[i] - zeroPoint)", "step * codes[i]", "nearest"),
        ("noise / reference.length", "noise", "errors"),
        ("noise / reference.length", "NaN", "errors"),
        ("/ ((quantMax - quantMin) / 2)", "/ quantMax", "range"),
    ],
    ids=[
        "half-up",
        "two-roundings",
        "not-to-odd",
        "float64-sum",
        "no-zero-point",
        "no-mean",
        "not-a-number",
        "textbook-scale",
    ],
)
def test_broken_arithmetic_is_seen(node, tmp_path, few_vectors, right, replacement, seen_in):
    module = broken(tmp_path, "quantmath.js", right, replacement)
    report = compare(node, "compare_codes.mjs", module, few_vectors)
    assert any(name.startswith(seen_in) for name in wrong(report))
