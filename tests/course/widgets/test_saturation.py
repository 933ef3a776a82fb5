"""The saturation widget: its Python side, and its JavaScript against qlearn on vectors."""

import json

import pytest
import torch

from qlearn import choose_qparams, quantize, saturating_matmul
from qlearn.course.widgets import Saturation
from qlearn.course.widgets.bundle import STATIC
from tests.course.widgets.javascript import broken, compare, wrong

CORNERS = [(a, b) for a in (0, 1, 127, 128, 129, 254, 255) for b in (0, 127, 128, 255)]


@pytest.fixture(scope="module")
def vectors(tmp_path_factory):
    """Pairs, reduced codes and shares of saturating weights, as qlearn has them."""
    n = 20_000
    generator = torch.Generator().manual_seed(0)
    codes = torch.randint(0, 256, (n, 2), dtype=torch.uint8, generator=generator)
    weights = torch.randint(-128, 128, (n, 2), dtype=torch.int8, generator=generator)
    ends = torch.tensor([-128, -127, -1, 0, 127], dtype=torch.int8)
    grid = torch.cartesian_prod(ends, ends).repeat(len(CORNERS), 1)
    codes = torch.cat([codes, torch.tensor(CORNERS, dtype=torch.uint8).repeat_interleave(25, 0)])
    weights = torch.cat([weights, grid])
    pairs = [
        {
            "codes": a.tolist(),
            "weights": w.tolist(),
            "exact": int(a.int() @ w.int()),
            "pair": int(saturating_matmul(a[None], w[:, None])),
        }
        for a, w in zip(codes, weights, strict=True)
    ]
    found = {"pairs": pairs, "reduced": reduced_codes(), "shares": [share(a) for a in CORNERS]}
    path = tmp_path_factory.mktemp("pairs") / "vectors.json"
    path.write_text(json.dumps(found))
    return path


def reduced_codes() -> list[int]:
    """Return the codes that reduce_range gives to the numbers with the codes 0 … 255."""
    numbers = torch.arange(256) / 255
    qparams = choose_qparams(0.0, 1.0, dtype=torch.uint8, reduce_range=True)
    return quantize(numbers, qparams).tolist()


def share(codes: tuple[int, int]) -> dict:
    """Return the share of all pairs of weights that qlearn's product clamps."""
    every = torch.arange(-128, 128, dtype=torch.int8)
    weights = torch.cartesian_prod(every, every)
    a = torch.tensor([codes], dtype=torch.uint8)
    exact = a.int() @ weights.T.int()
    clamped = saturating_matmul(a, weights.T) != exact
    return {"codes": codes, "share": clamped.double().mean().item()}


def test_the_javascript_equals_qlearn(node, vectors):
    report = compare(node, "compare_pairs.mjs", STATIC / "saturation_math.js", vectors)
    assert report["compared"] > 20_000
    assert wrong(report) == {}


@pytest.mark.parametrize(
    ("right", "replacement", "seen_in"),
    [
        ("INT16[0]), INT16[1])", "INT16[0]), 32768)", "addPair"),
        ("code * weights[i]", "code * weights[0]", "addPair"),
        ("Math.round((code * LARGEST.reduced)", "Math.floor((code * LARGEST.reduced)", "reduced"),
        ("sum < INT16[0] ||", "sum <= INT16[0] ||", "saturatingShare"),
        ("here > 0 === there > 0", "here > 0", "beyond"),
    ],
    ids=["one-too-far", "one-weight", "rounds-down", "counts-the-end", "cuts-nothing"],
)
def test_broken_arithmetic_is_seen(node, tmp_path, vectors, right, replacement, seen_in):
    module = broken(tmp_path, "saturation_math.js", right, replacement)
    found = wrong(compare(node, "compare_pairs.mjs", module, vectors))
    assert any(name.startswith(seen_in) for name in found)


def test_a_reduced_code_halves_the_product():
    widget = Saturation((255, 200), (127, 127))
    assert (widget.codes, widget.exact, widget.pair) == ((255, 200), 57785, 32767)
    widget.reduce_range = True
    assert (widget.codes, widget.exact, widget.pair) == ((127, 100), 28829, 28829)
    assert widget.activations == (255, 200)


def test_a_pair_from_the_browser_is_a_list():
    widget = Saturation()
    widget.set_state({"activations": [129, 129], "weights": [-128, -128]})
    assert repr(widget) == "Saturation(129·-128 + 129·-128): -33024, in 16 bits -32768"


@pytest.mark.parametrize(
    ("name", "value", "error", "message"),
    [
        ("activations", (255, 256), ValueError, "two codes from 0 to 255"),
        ("activations", (255,), ValueError, r"activations is \(255,\)"),
        ("weights", (-129, 0), ValueError, "two codes from -128 to 127"),
        ("weights", (0.5, 1), TypeError, r"weights is \(0.5, 1\).*pass a pair of ints"),
        ("weights", 127, TypeError, "weights is 127"),
    ],
)
def test_what_is_no_pair_of_codes_is_refused(name, value, error, message):
    widget = Saturation()
    before = repr(widget)
    with pytest.raises(error, match=message):
        setattr(widget, name, value)
    assert repr(widget) == before
    with pytest.raises(error, match=message):
        Saturation(**{name: value})
