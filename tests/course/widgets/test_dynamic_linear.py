"""The dynamic linear widget: its Python side, and its JavaScript against qlearn on layers."""

import json
import math

import pytest
import torch

from proofs.draw import Draw
from qlearn import QTensor, choose_qparams, dynamic_qparams, linear_dynamic, quantize
from qlearn.course.widgets import DynamicLinear
from qlearn.course.widgets.bundle import STATIC
from qlearn.integers.matmul import accumulate
from qlearn.numbers.rules.kernel import choose_dynamic
from tests.course.widgets.javascript import broken, compare, wrong


@pytest.fixture(scope="module")
def vectors(tmp_path_factory):
    """Layers and ranges of all sizes with what qlearn makes of them."""
    draw = Draw(0)
    found = {
        "layers": [layer(i, draw) for i in range(2000)],
        "ranges": [chosen(i, draw) for i in range(5000)],
    }
    path = tmp_path_factory.mktemp("layers") / "vectors.json"
    path.write_text(json.dumps(found))
    return path


def layer(i: int, draw: Draw) -> dict:
    """One layer with its codes, accumulators and outputs."""
    rows, features, outputs = (draw.integer(1, 6) for _ in range(3))
    x = draw.normal(rows * features).reshape(rows, features) * 10.0 ** draw.integer(-7, 4)
    top = x.abs().median().clamp(min=1e-9)  # codes at both ends are ties, or nearly
    x = [x, x.abs(), -x.abs(), x.clamp(-top, top), x * 0][i % 5 if i % 11 == 0 else 3 * (i % 2)]
    weight = draw.normal(outputs * features).reshape(outputs, features)
    bias = draw.normal(outputs)
    engine, reduce_range = ("fbgemm", "qnnpack")[i % 2], bool(i // 2 % 2)
    return {
        "x": x.tolist(),
        "weight": weight.tolist(),
        "bias": bias.tolist(),
        "options": {"engine": engine, "reduceRange": reduce_range},
        "expected": answers(x, weight, bias, engine, reduce_range),
    }


def answers(x, weight, bias, engine, reduce_range) -> dict:
    """What qlearn says at each stage."""
    qparams = choose_qparams(weight.min(), weight.max(), symmetric=True)
    rows = QTensor(quantize(weight, qparams, rounding="fma"), qparams)
    chosen = dynamic_qparams(x, reduce_range=reduce_range and engine != "qnnpack")
    codes = quantize(x, chosen, rounding="fma")
    totals = accumulate(codes, chosen.zero_point.item(), rows.values, qparams.zero_point)
    exact = x.double() @ weight.double().T + bias.double()
    output = linear_dynamic(x, rows, bias, engine=engine, reduce_range=reduce_range)
    return {
        "codes": codes.tolist(),
        "weights": rows.values.tolist(),
        "totals": totals.tolist(),
        "output": output.tolist(),
        "exact": exact.tolist(),
        "size": max(exact.abs().max().item(), 1.0),
    }


def chosen(i: int, draw: Draw) -> dict:
    """One range from 1e-44 to 1e36, one-sided, symmetric and empty ones among them."""
    size = 10.0 ** draw.integer(-44, 35) if i % 3 else 10.0 ** draw.integer(-6, 1)
    pair = (draw.normal(2) * size).to(torch.float32).sort().values
    low, high = [pair, pair.abs().sort().values, -pair.abs().sort(descending=True).values][i % 3]
    if i % 5 == 0:
        low, high = -high.abs(), high.abs()
    scale, zero_point = choose_dynamic(low.item(), high.item(), reduce_range=bool(i % 2))
    return {
        "low": low.item(),
        "high": high.item(),
        "reduceRange": bool(i % 2),
        "scale": scale,
        "zeroPoint": zero_point,
    }


def test_every_stage_equals_qlearns(node, vectors):
    report = compare(node, "compare_layers.mjs", STATIC / "dynamic_linear_math.js", vectors)
    assert report["compared"] > 100_000
    assert wrong(report) == {}


@pytest.mark.parametrize(
    ("right", "replacement", "seen_in"),
    [
        ("(to - from) / quantMax;", "Math.fround((to - from) / quantMax);", "choose"),
        ("< SMALLEST_SCALE", "=== 0", "choose"),
        ("if (scale < SMALL_SCALE)", "if (false)", "choose"),
        ("Math.fround(from * growth)", "from", "choose"),
        ('qparams, "fma").codes]);\n  return { low', "qparams).codes]);\n  return { low", "codes"),
        ("bits: 8, symmetric: true", "bits: 8, symmetric: false", "weights"),
        ("product - offset;", "product;", "sums"),
        ("fma(Math.fround(total), multiplier, bias)", "total * multiplier + bias", "output"),
        ('&& engine !== "qnnpack"', "", "codes"),
    ],
)
def test_broken_arithmetic_is_seen(node, tmp_path, vectors, right, replacement, seen_in):
    module = broken(tmp_path, "dynamic_linear_math.js", right, replacement)
    assert seen_in in wrong(compare(node, "compare_layers.mjs", module, vectors))


# ------------------------------------------------------------------------------ in Python

X = torch.tensor([[1.0, -0.5, 2.0, 0.25], [0.5, 3.0, -1.0, 0.0]])
WEIGHT = torch.tensor([[0.25, 1.0, -0.5, 0.1], [1.5, 0.0, 0.75, -2.0], [0.3, -0.3, 0.6, 0.9]])
BIAS = torch.tensor([0.1, 0.0, -1.0])


def test_the_output_is_the_layers():
    qparams = choose_qparams(WEIGHT.min(), WEIGHT.max(), symmetric=True)
    weight = QTensor(quantize(WEIGHT, qparams, rounding="fma"), qparams)
    for engine in ("fbgemm", "qnnpack"):
        widget = DynamicLinear(X, WEIGHT, BIAS, engine=engine)
        assert torch.equal(widget.output, linear_dynamic(X, weight, BIAS, engine=engine))
        assert widget.qparams == dynamic_qparams(X, reduce_range=engine == "fbgemm")


def test_an_edit_moves_everything():
    widget = DynamicLinear(X, WEIGHT, BIAS)
    assert repr(widget).startswith("DynamicLinear(2 × 4 numbers, 3 outputs, fbgemm): scale")
    edited = X.clone()
    edited[1, 3] = 30.0
    widget.x = edited.tolist()
    assert repr(widget) == repr(DynamicLinear(edited, WEIGHT, BIAS))
    assert torch.equal(widget.output, DynamicLinear(edited, WEIGHT, BIAS).output)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((X.double(), WEIGHT, BIAS), TypeError, "x has dtype torch.float64"),
        ((X, WEIGHT, [0.1]), TypeError, "bias is a list"),
        ((X[0], WEIGHT, BIAS), ValueError, r"\(4,\).*pass \(m, k\) and \(n, k\)"),
        ((X, WEIGHT[:, :2], BIAS), ValueError, "x and weight have shapes"),
        ((X, WEIGHT, BIAS[:1]), ValueError, r"bias has shape \(1,\)"),
        ((torch.zeros(7, 4), WEIGHT, BIAS), ValueError, "room for 1 to 6"),
        ((X * math.nan, WEIGHT, BIAS), ValueError, "x holds numbers that are not finite"),
        ((X, WEIGHT * 1e7, BIAS), ValueError, "weight holds numbers .* beyond 1e.06"),
    ],
)
def test_bad_layers_are_named(arguments, error, message):
    with pytest.raises(error, match=message):
        DynamicLinear(*arguments)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("engine", "onednn", "engine is 'onednn'.*'qnnpack'"),
        ("x", [[1.0, 2.0]], r"x would get the shape \(1, 2\), but this widget has \(2, 4\)"),
        ("bias", [0.0, 0.0, math.inf], "bias holds numbers"),
    ],
)
def test_bad_assignments_change_nothing(name, value, message):
    widget = DynamicLinear(X, WEIGHT, BIAS)
    before = repr(widget)
    with pytest.raises(ValueError, match=message):
        setattr(widget, name, value)
    assert repr(widget) == before
