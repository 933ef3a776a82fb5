"""The straight-through widget: its Python side, and its JavaScript against qlearn and autograd."""

import json

import pytest
import torch

from proofs.draw import Draw
from qlearn import QParams, fake_quantize, quant_range, quantize
from qlearn.course.widgets import StraightThrough
from qlearn.course.widgets.bundle import STATIC
from tests.course.widgets.javascript import as_json, broken, compare, wrong

MODULE = "straight_through_math.js"


def test_it_starts_where_it_is_told_to():
    widget = StraightThrough(0.65, target=-0.25, scale=0.2, zero_point=3, bits=4, rate=0.5)
    assert widget.qparams == QParams(0.2, 3, -8, 7, torch.int8)
    assert (widget.code, widget.gradient) == (6, 1.0)
    assert widget.restored == fake_quantize(torch.tensor(0.65), widget.qparams).item()


@pytest.mark.parametrize(
    ("weight", "code", "gradient"),
    [
        (0.74, 1, 1.0),  # half a step beyond the last code, the gradient still passes
        (0.75, 1, 0.0),  # 1.5 rounds to 2, which is no code
        (-1.25, -2, 1.0),  # −2.5 rounds to −2, which is one
        (-1.26, -2, 0.0),
        (900.0, 1, 0.0),
    ],
)
def test_the_gradient_at_the_edges(weight, code, gradient):
    widget = StraightThrough(weight, target=0.0)
    assert (widget.code, widget.gradient) == (code, gradient)


@pytest.mark.parametrize(
    ("name", "value", "error", "message"),
    [
        ("weight", 1001.0, ValueError, "weight is 1001.0, but the widget takes -1000 to 1000"),
        ("weight", float("nan"), ValueError, "weight is nan"),
        ("target", 2.1, ValueError, "target is 2.1"),
        ("scale", 0.0, ValueError, "scale is 0.0, but the widget takes 0.05 to 1"),
        ("rate", 0.0, ValueError, "rate is 0.0"),
        ("bits", 1, ValueError, "bits is 1, but it can be 2 to 8"),
        ("bits", 2.0, TypeError, "bits is 2.0, but it is an integer"),
        ("zero_point", 2, ValueError, "zero_point is 2, but it can be -2 to 1"),
        ("zero_point", True, TypeError, "zero_point is True"),
    ],
)
def test_bad_assignments_change_nothing(name, value, error, message):
    widget = StraightThrough(0.3, target=0.4)
    before = repr(widget)
    with pytest.raises(error, match=message):
        setattr(widget, name, value)
    assert repr(widget) == before
    with pytest.raises(error, match=message):
        StraightThrough(**{"weight": 0.3, "target": 0.4, name: value})


def test_the_zero_point_must_stay_a_code():
    widget = StraightThrough(0.3, target=0.4, bits=4, zero_point=5)
    with pytest.raises(ValueError, match="leaves the codes -4 to 3, but zero_point is 5"):
        widget.bits = 3


def case(index: int) -> dict:
    """Some weights on one grid, ties and edges among them, and what autograd says of them."""
    draw = Draw(index)
    bits = 2 + index % 7
    low, high = quant_range(torch.int8, bits=bits)
    scale = (0.5, 0.25, 0.1, 0.37, 0.05, 1.0)[index % 6]
    qparams = QParams(scale, low + index % (high - low + 1), low, high, torch.int8)
    x = draw.hard_values(scale, 200)
    x = x[x.isfinite() & (x.abs() < 1e4)]
    target, rate = (0.4, -0.33, 0.0)[index % 3], (0.1, 0.5, 0.03)[index % 3]
    weights = x.clone().requires_grad_()
    restored = fake_quantize(weights, qparams)
    (0.5 * (restored - target) ** 2).sum().backward()
    gradient = torch.autograd.grad(fake_quantize(weights, qparams).sum(), weights)[0]
    assert weights.grad is not None
    numbers = {
        "values": x,
        "codes": quantize(x, qparams),
        "restored": restored.detach(),
        "gradient": gradient,
        "after": x - rate * weights.grad,  # in two roundings; torch.optim may fuse them
    }
    return {
        "name": f"case {index}",
        "qparams": as_json(qparams),
        "target": target,
        "rate": rate,
        **{name: tensor.tolist() for name, tensor in numbers.items()},
    }


@pytest.fixture(scope="module")
def vectors(tmp_path_factory):
    folder = tmp_path_factory.mktemp("weights")
    (folder / "weights.json").write_text(json.dumps([case(index) for index in range(84)]))
    return folder


def test_codes_gradients_and_descent_equal_qlearns(node, vectors):
    report = compare(node, "compare_training.mjs", STATIC / MODULE, vectors)
    assert report["values"] > 10_000
    assert wrong(report) == {}


@pytest.mark.parametrize(
    ("right", "replacement"),
    [
        ("rint(single(single(x)", "Math.round(single(single(x)"),
        ("Number(code === wanted)", "Number(wanted > quantMin && wanted < quantMax)"),
        ("single(step * (code - zeroPoint))", "step * (code - zeroPoint)"),
        ("* gradient);", "* 1);"),
        ("single(single(rate) * slope)", "rate * slope"),
    ],
    ids=["half-up", "edge", "float64", "never-blocked", "rate"],
)
def test_broken_arithmetic_is_seen(node, tmp_path, vectors, right, replacement):
    module = broken(tmp_path, MODULE, right, replacement)
    assert wrong(compare(node, "compare_training.mjs", module, vectors))
