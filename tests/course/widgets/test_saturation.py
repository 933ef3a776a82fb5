"""The saturation widget: its arithmetic against qlearn, its view and changes, its Python side."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from qlearn import choose_qparams, quantize, saturating_matmul
from qlearn.course.widgets import Saturation
from tests.course.widgets.figures import call, markup, with_other
from tests.course.widgets.refusal import assert_refused

ENTRY = Saturation.entry()
PAIR = ENTRY.with_name("pair.js")
ENDS = (-128, -127, -1, 0, 127)
CORNERS = [(a, b) for a in (0, 1, 127, 128, 129, 254, 255) for b in (0, 127, 128, 255)]
SQUARE = [[-128.5, -128.5], [127.5, -128.5], [127.5, 127.5], [-128.5, 127.5]]
STATE = {"activations": [255, 254], "weights": [127, -3], "reduce_range": False}


# ------------------------------------------------------------------ the arithmetic


def pairs() -> list[tuple[list[int], list[int]]]:
    """Return codes and weights: drawn ones, and all corners with all ends."""
    draw = torch.Generator().manual_seed(0)
    codes = torch.randint(0, 256, (5_000, 2), generator=draw).tolist()
    weights = torch.randint(-128, 128, (5_000, 2), generator=draw).tolist()
    grid = [([*corner], [first, second]) for corner in CORNERS for first in ENDS for second in ENDS]
    return [*zip(codes, weights, strict=True), *grid]


def sums_that_differ(node: str, module: Path) -> int:
    """Return how many pairs the module adds otherwise than qlearn, exactly or in 16 bits."""
    given = pairs()
    codes = torch.tensor([a for a, _ in given], dtype=torch.uint8)
    weights = torch.tensor([w for _, w in given], dtype=torch.int8)
    exact = (codes.int() * weights.int()).sum(1)
    clamped = [
        saturating_matmul(a[None], w[:, None]).item() for a, w in zip(codes, weights, strict=True)
    ]
    found = call(node, module, [["addPair", a, w] for a, w in given])
    wanted = list(zip(exact.tolist(), clamped, strict=True))
    return sum(
        (sums["exact"], sums["pair"]) != pair for sums, pair in zip(found, wanted, strict=True)
    )


def test_pairs_are_added_as_qlearn_adds_them(node: str) -> None:
    assert sums_that_differ(node, PAIR) == 0


def test_a_sum_without_its_clamp_is_seen(node: str, tmp_path: Path) -> None:
    unclamped = (
        "(...given) => ({ ...right.addPair(...given), pair: right.addPair(...given).exact })"
    )
    assert sums_that_differ(node, with_other(tmp_path, PAIR, "addPair", unclamped)) > 0


def test_a_reduced_code_is_that_of_an_observer(node: str) -> None:
    qparams = choose_qparams(0.0, 1.0, dtype=torch.uint8, reduce_range=True)
    codes = quantize(torch.arange(256) / 255, qparams).tolist()
    assert call(node, PAIR, [["reducedCode", code] for code in range(256)]) == codes


def saturating_share(codes: tuple[int, int]) -> float:
    """Return the share of all pairs of weights that qlearn's product clamps."""
    every = torch.arange(-128, 128, dtype=torch.int8)
    weights = torch.cartesian_prod(every, every).T
    a = torch.tensor([codes], dtype=torch.uint8)
    return (saturating_matmul(a, weights) != a.int() @ weights.int()).double().mean().item()


def area(corners: list[list[float]]) -> float:
    """Return the area of a polygon, by the shoelace formula."""
    following = [*corners[1:], *corners[:1]]
    return sum(x * b - a * y for (x, y), (a, b) in zip(corners, following, strict=True)) / 2


def test_the_shaded_area_is_the_share_that_saturates(node: str) -> None:
    shares = [saturating_share(corner) for corner in CORNERS]
    assert call(node, PAIR, [["saturatingShare", corner] for corner in CORNERS]) == shares
    above = call(node, PAIR, [["beyond", SQUARE, corner, 32767.5] for corner in CORNERS])
    opposite = [[-a, -b] for a, b in CORNERS]
    below = call(node, PAIR, [["beyond", SQUARE, corner, 32768.5] for corner in opposite])
    for share, over, under in zip(shares, above, below, strict=True):
        # The squares on the edge of the shaded area count wholly or not at all.
        assert (area(over) + area(under)) / 256**2 == pytest.approx(share, abs=0.005)


# ------------------------------------------------------------------ view and changes


def test_the_view_says_what_is_lost(node: str) -> None:
    sums, reduced = markup(
        node,
        ENTRY,
        {"activations": [255, 255], "weights": [127, 127], "reduce_range": False},
        {"activations": [255, 255], "weights": [127, 127], "reduce_range": True},
    )
    assert "Lost <b>32,003, 49.4 %</b>" in sums and "16 bits: 32,767, 64,770 would be right" in sums
    assert "Lost <b>nothing</b>" in reduced and "255, now 127" in reduced
    said = "those that saturate lie towards the corners: "
    assert f"{said}24.8 %." in sums and f"{said}none of 65,536." in reduced


def test_a_share_too_small_for_its_digits_is_a_count(node: str) -> None:
    one = (129, 128)
    assert saturating_share(one) * 65_536 == 1
    states = [Saturation(codes).state() for codes in (one, (255, 10))]
    shown, more = markup(node, ENTRY, *states)
    assert "pairs that saturate <b>1 of 65,536</b>" in shown and ": 1 of 65,536." in shown
    assert f"pairs that saturate <b>{100 * saturating_share((255, 10)):.1f} %</b>" in more


def test_the_task_is_done_where_no_pair_of_weights_does_harm(node: str) -> None:
    states = [
        Saturation().state(),
        Saturation((255, 0)).state(),
        Saturation((121, 136)).state(),
        Saturation((255, 255), reduce_range=True).state(),
        Saturation((121, 135)).state(),
        Saturation((128, 128)).state(),
    ]
    done = ["✓ Done:" in shown for shown in markup(node, ENTRY, *states)]
    assert done == [False] * 4 + [True] * 2


@pytest.mark.parametrize(
    ("name", "value", "change"),
    [
        ("activations.1", 7, {"activations": [255, 7]}),
        ("weights.0", -128, {"weights": [-128, -3]}),
        ("reduce_range", True, {"reduce_range": True}),
        ("largest", "", {"activations": [255, 255], "weights": [127, 127]}),
        ("weights", [0, 0], {"weights": [-128, 127]}),
        ("weights", [1.2, 0.5], {"weights": [127, 0]}),
    ],
    ids=["an activation", "a weight", "the range", "the button", "a corner", "beyond the plane"],
)
def test_what_an_input_changes(node: str, name: str, value: object, change: dict) -> None:
    assert call(node, ENTRY, [["changed", STATE, name, value]]) == [change]


# ------------------------------------------------------------------ Python


def test_a_reduced_code_halves_the_product() -> None:
    widget = Saturation((255, 200), (127, 127))
    assert (widget.codes, widget.exact, widget.pair) == ((255, 200), 57785, 32767)
    widget.reduce_range = True
    assert (widget.codes, widget.exact, widget.pair) == ((127, 100), 28829, 28829)
    assert widget.activations == (255, 200)


def test_a_pair_from_the_browser_is_a_list() -> None:
    widget = Saturation()
    widget.set_state({"activations": [129, 129], "weights": [-128, -128]})
    assert repr(widget) == "Saturation(129·-128 + 129·-128): -33024, in 16 bits -32768"


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("activations", (255, 256), "not be greater than 255, but a value of 256"),
        ("activations", (255,), "activations"),
        ("weights", (-129, 0), "not be less than -128, but a value of -129"),
        ("weights", (0.5, 1), "weights.*int"),
        ("weights", 127, "weights.*tuple"),
    ],
)
def test_what_is_no_pair_of_codes_is_refused(name: str, value: object, message: str) -> None:
    assert_refused(Saturation, name, value, message)
