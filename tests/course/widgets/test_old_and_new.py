"""The widget of old and new: its Python side, and its JavaScript against qlearn on matrices."""

import json
import math

import pytest
import torch

from proofs.draw import Draw
from qlearn import dequantize, dynamic_qparams, quantize, sqnr
from qlearn.course.widgets import OldAndNew
from qlearn.course.widgets.bundle import STATIC
from qlearn.integers.per_token import token_qparams
from tests.course.widgets.javascript import broken, compare, wrong


@pytest.fixture(scope="module")
def vectors(tmp_path_factory):
    """Matrices of many sizes, with what qlearn makes of them."""
    draw = Draw(0)
    path = tmp_path_factory.mktemp("tokens") / "vectors.json"
    path.write_text(json.dumps([matrix(i, draw) for i in range(1000)]))
    return path


def matrix(i: int, draw: Draw) -> dict:
    """One matrix under both rules; zero, one-sided and tiny rows among them."""
    rows, width = draw.integer(2, 8), draw.integer(1, 20)
    x = draw.normal(rows * width).reshape(rows, width) * 10.0 ** draw.integer(-7, 4)
    x = x.to(torch.float32)
    if i % 4 == 0:
        x[0] = 0.0
    if i % 3 == 0:
        x[1] = x[1].abs()
    token, octaves = draw.integer(0, rows - 1), draw.integer(0, 8)
    now = x.clone()
    now[token] *= 2.0**octaves
    old = {}
    for reduced in (True, False):
        qparams = dynamic_qparams(now, reduce_range=reduced)
        restored = dequantize(quantize(now, qparams, rounding="fma"), qparams)
        old[str(reduced).lower()] = answer(now, qparams, restored)
    mappings = {}
    for mapping in ("symmetric", "asymmetric"):
        qparams = token_qparams(now, mapping=mapping)
        mappings[mapping] = answer(now, qparams, dequantize(quantize(now, qparams), qparams))
    return {
        "x": x.flatten().tolist(),
        "width": width,
        "token": token,
        "octaves": octaves,
        "now": now.flatten().tolist(),
        "old": old,
        "mappings": mappings,
    }


def answer(x, qparams, restored) -> dict:
    def db(a, b):
        found = sqnr(a, b)
        return found if math.isfinite(found) else None

    return {
        "scales": qparams.scale.flatten().tolist(),
        "zeroPoints": qparams.zero_point.flatten().tolist(),
        "rows": [db(a, b) for a, b in zip(x, restored, strict=True)],
        "whole": db(x, restored),
    }


def test_the_javascript_equals_qlearn(node, vectors):
    report = compare(node, "compare_tokens.mjs", STATIC / "token_math.js", vectors)
    assert report["compared"] > 50_000
    assert wrong(report) == {}


@pytest.mark.parametrize(
    ("right", "replacement", "seen_in"),
    [
        ("=== token ?", "!== token ?", "enlarged"),
        ("extremes(values), reduceRange", "extremes(values), true", "old: scales"),
        ("fround(scale), zeroPoint,", "fround(scale), zeroPoint: 1,", "old: SQNR"),
        ('mapping === "symmetric"', "true", "asymmetric: zero points"),
        ("extremes(row), rule", "extremes(values), rule", "symmetric: scales"),
    ],
)
def test_broken_arithmetic_is_seen(node, tmp_path, vectors, right, replacement, seen_in):
    module = broken(tmp_path, "token_math.js", right, replacement)
    assert seen_in in wrong(compare(node, "compare_tokens.mjs", module, vectors))


# ------------------------------------------------------------------------------ in Python

X = torch.tensor([[1.0, -0.5, 0.3], [0.25, 0.1, -0.2]])


def test_a_large_token_hurts_the_others_under_the_old_rule_only():
    widget = OldAndNew(X)
    before = widget.old[1], widget.new[1]
    widget.octaves = 6
    assert widget.old[1] < before[0] - 20 and widget.new[1] == before[1]
    assert torch.equal(widget.x, torch.stack([64 * X[0], X[1]]))
    assert repr(widget) == repr(OldAndNew(X, octaves=6))
    widget.mapping, widget.reduce_range = "asymmetric", False
    assert repr(widget) != repr(OldAndNew(X, octaves=6))


@pytest.mark.parametrize(
    ("x", "options", "error", "message"),
    [
        (X.double(), {}, TypeError, "float64"),
        (X[0], {}, ValueError, r"shape \(3,\).*pass a part"),
        (X[:1], {}, ValueError, r"shape \(1, 3\)"),
        (torch.zeros(13, 2), {}, ValueError, "2 to 12 rows"),
        (X * math.inf, {}, ValueError, "not finite or beyond 1e.30"),
        (X, {"mapping": "affine"}, ValueError, "mapping is 'affine'"),
        (X, {"token": 2}, ValueError, "token is 2, but there are 2: pass 0 to 1"),
        (X, {"octaves": 9}, Exception, "octaves"),
    ],
)
def test_mistakes_are_named(x, options, error, message):
    with pytest.raises(error, match=message):
        OldAndNew(x, **options)


def test_bad_assignments_change_nothing():
    widget = OldAndNew(X)
    before = repr(widget)
    with pytest.raises(ValueError, match="token is -1"):
        widget.token = -1
    assert repr(widget) == before
