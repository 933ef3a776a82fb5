"""The straight-through widget: its arithmetic against qlearn, its view and changes, its traits."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
import torch
from playwright.sync_api import Browser, expect
from traitlets import TraitError

from proofs.draw import Draw
from qlearn import QParams, fake_quantize, quant_range, quantize
from qlearn.course.widgets import StraightThrough
from qlearn.course.widgets.shared.figure import SHARED
from tests.course.widgets.figures import call, markup, with_other
from tests.course.widgets.page import opener, write_page
from tests.course.widgets.refusal import assert_refused

ENTRY = StraightThrough.entry()
DESCENT = ENTRY.with_name("descent.js")
LOCAL = {"walk": [], "playing": False, "still": False, "speed": 1, "pointing": False}
STATE = {**StraightThrough(0.3, target=0.4).state(), **LOCAL}
# For each weight the code, the fake-quantized value, the gradient, and the weight after a step.
STEPPED = """(weights, settings) => weights.map((weight) => {
  const { code, restored, gradient } = right.fakeQuantizeOne(weight, settings.qparams);
  return [code, restored, gradient, right.descend(weight, settings)];
})"""


# ------------------------------------------------------------------ the arithmetic


def drawn_case(i: int) -> tuple[list, list]:
    """Return some weights on a grid, ties and edges among them, and what autograd says of them."""
    draw = Draw(i)
    low, high = quant_range(torch.int8, bits=2 + i % 7)
    scale = (0.5, 0.25, 0.1, 0.37, 0.05, 1.0)[i % 6]
    q = QParams(scale, low + i % (high - low + 1), low, high, torch.int8)
    x = draw.hard_values(scale, 200)
    x = x[x.isfinite() & (x.abs() < 1e4)].requires_grad_()
    target, rate = (0.4, -0.33, 0.0)[i % 3], (0.1, 0.5, 0.03)[i % 3]
    restored = fake_quantize(x, q)
    (slope,) = torch.autograd.grad(fake_quantize(x, q).sum(), x)
    (gradient,) = torch.autograd.grad((0.5 * (restored - target) ** 2).sum(), x)
    x = x.detach()
    after = x - rate * gradient  # in two roundings; torch.optim may fuse them
    grid = {"scale": q.scale.item(), "zeroPoint": int(q.zero_point)}
    settings = {"target": target, "rate": rate, "qparams": grid | dict(quantMin=low, quantMax=high)}
    answers = [quantize(x, q), restored, slope, after]
    wanted = [[*each] for each in zip(*(answer.tolist() for answer in answers), strict=True)]
    return ["stepped", x.tolist(), settings], wanted


def steps_that_differ(node: str, folder: Path, module: Path) -> int:
    """Return for how many weights the module says anything else than autograd."""
    calls, wanted = zip(*(drawn_case(i) for i in range(84)), strict=True)
    found = call(node, with_other(folder, module, "stepped", STEPPED), list(calls))
    pairs = [pair for case in zip(found, wanted, strict=True) for pair in zip(*case, strict=True)]
    assert len(pairs) > 10_000
    return sum(got != right for got, right in pairs)


def test_gradients_and_steps_equal_autograds(node: str, tmp_path: Path) -> None:
    assert steps_that_differ(node, tmp_path, DESCENT) == 0


def test_a_step_that_clipping_does_not_stop_is_seen(node: str, tmp_path: Path) -> None:
    never_blocked = (
        "(weight, s) => weight - s.rate * "
        "(right.fakeQuantizeOne(weight, s.qparams).restored - s.target)"
    )
    broken = with_other(tmp_path, DESCENT, "descend", never_blocked)
    assert steps_that_differ(node, tmp_path, broken) > 1000


# ------------------------------------------------------------------ view and changes


def test_the_view_says_what_python_says(node: str) -> None:
    passed = StraightThrough(0.65, target=-0.25, scale=0.2, zero_point=3, bits=4)
    clipped = StraightThrough(900.0, target=-0.25, scale=0.2, zero_point=-8, bits=4)
    shown = markup(node, ENTRY, *(widget.state() for widget in (passed, clipped)))
    words = ("1, passed on", "0, clipped")
    for widget, text, word in zip((passed, clipped), shown, words, strict=True):
        assert f"Code <b>{widget.code} of ".replace("-", "−") in text
        assert f"Fake-quantized <b>{widget.restored:.4g}</b>" in text
        assert f"Gradient of it <b>{word}</b>" in text and "Steps <b>0</b>" in text
        assert f"with gradient {widget.gradient:.0f}; the target is −0.25." in text
        assert "Target <b>−0.25</b>" in text and ">target −0.25</text>" in text


def test_each_input_has_its_handle_or_its_field(node: str) -> None:
    one, eight = markup(node, ENTRY, STATE, STATE | {"bits": 8, "zero_point": -128})
    ends, middle = ["Left end of the ruler", "Right end of the ruler"], ["Middle of the ruler"]
    handles = [re.findall(r'type="range"[^>]*?aria-label="([^"]+)"', each) for each in (one, eight)]
    assert handles[0] == ["Bits", "Weight", "Target", *ends, *middle]
    assert handles[1] == ["Bits", "Weight", "Target", *ends[1:], *middle]  # the left one is at 0


def test_a_field_takes_what_its_trait_takes(node: str) -> None:
    (picture,) = markup(node, ENTRY, STATE)
    fields = dict(re.findall(r'type="number" name="(\w+)" .*?(min="\S+" max="\S+")', picture))
    assert fields.keys() == {"scale", "rate"}
    for name, bounds in fields.items():
        trait = StraightThrough.class_traits()[name]
        assert bounds == f'min="{trait.min:.12g}" max="{trait.max:.12g}"'


@pytest.mark.parametrize(
    ("name", "value", "change"),
    [
        ("weight", 1.2, {"weight": 1.2}),
        ("target", -0.5, {"target": -0.5}),
        ("rate", 0.5, {"rate": 0.5}),
        ("zero_point", 3, {"zero_point": 3}),
        ("scale", 0.25, {"scale": 0.25}),
        ("quantMin", -0.9, {"scale": 0.1}),
        ("quantMax", 1.5, {"scale": 0.25}),
        ("quantMax", -1.0, {"scale": 0.01}),
        ("quantMin", -19.2, {"scale": 1}),
        ("bits", 5, {"bits": 5, "zero_point": 1}),
        ("bits", 2, {"bits": 2, "zero_point": 1}),
    ],
    ids=str,
)
def test_what_an_input_changes(node: str, name: str, value: float, change: dict) -> None:
    state = STATE | {"bits": 4, "zero_point": 1}
    (found,) = call(node, ENTRY, [["changed", state, name, value]])
    assert found == pytest.approx(change)


@pytest.mark.parametrize(
    ("scale", "value", "target"),
    [
        (0.5, 0.42, 0.5),
        (0.5, 0.58, 0.5),
        (0.5, 0.4, 0.4),
        (0.5, -0.05, 0.0),
        (0.3, 0.35, 0.3),  # which in float32 is a little more
        (0.1, 0.13, 0.13),  # between two marks there is a place, too
        (0.1, 0.12, 0.1),
        (0.5, 1.98, 1.98),  # far from all marks
    ],
)
def test_a_target_that_is_dragged_snaps_to_a_mark(
    node: str, scale: float, value: float, target: float
) -> None:
    states = [STATE | {"scale": scale, "pointing": pointing} for pointing in (True, False)]
    dragged, keyed = call(node, ENTRY, [["changed", state, "target", value] for state in states])
    assert dragged == {"target": target} and keyed == {"target": value}


Along = Callable[[dict[str, Any]], list[list[float]]]


@pytest.fixture
def path(node: str, tmp_path: Path) -> Along:
    """Return the weights along the walk of a change, each with what it was fake-quantized to."""
    module = tmp_path / "path.js"
    module.write_text(
        f'import {{ along }} from "{(SHARED / "player.js").as_uri()}";\n'
        f'import {{ placed }} from "{DESCENT.as_uri()}";\n'
        "export const path = (walk) => along(walk, 1000, placed);\n",
        encoding="utf-8",
    )
    return lambda change: call(node, module, [["path", change["walk"]]])[0]


def test_twenty_steps_lead_where_the_chapters_loop_leads(node: str, path: Along) -> None:
    weight, grid = torch.tensor(0.3), QParams(0.5, 0, -2, 1, torch.int8)
    wanted = []
    for _ in range(41):
        restored = fake_quantize(weight, grid)
        wanted.append([weight.item(), restored.item()])
        weight = weight - 0.1 * (restored - 0.4)
    wanted[0][0] = 0.3  # as Python gave it, in float64
    (first,) = call(node, ENTRY, [["changed", STATE, "go", 20]])
    (second,) = call(node, ENTRY, [["changed", STATE | first, "go", 20]])
    (back,) = call(node, ENTRY, [["changed", STATE | second, "go", -39]])
    for found, steps in ((first, 20), (second, 40), (back, 1)):
        assert path(found) == wanted[: steps + 1]
        assert found["weight"] == wanted[steps][0] and not found["playing"]


def test_another_rate_goes_on_and_a_moved_weight_begins_anew(node: str, path: Along) -> None:
    (walked,) = call(node, ENTRY, [["changed", STATE, "go", 20]])
    (faster, moved) = call(
        node,
        ENTRY,
        [["changed", STATE | walked | other, "go", 1] for other in ({"rate": 1}, {"weight": 1})],
    )
    assert path(faster)[:21] == path(walked) and len(path(faster)) == 22
    assert path(moved) == [[1, 0.5], [1, 0.5]]  # clipped, it stays
    on, anew = markup(node, ENTRY, STATE | faster, STATE | walked | {"weight": 1})
    assert "Steps <b>21</b>" in on and "Descent: in 21 steps from 0.3 to " in on
    assert "Steps <b>0</b>" in anew


def test_the_task_is_done_where_a_mark_lies_at_the_target(node: str) -> None:
    starts = [{}, {"target": 0.5}, {"scale": 0.4}, {"weight": 1.2}, {"scale": 0.1, "bits": 8}]
    states = [STATE | start for start in starts]
    walks = call(node, ENTRY, [["changed", state, "go", 40] for state in states])
    walked = [state | walk for state, walk in zip(states, walks, strict=True)]
    done = ["✓ Done:" in shown for shown in markup(node, ENTRY, *states, *walked)]
    assert done == [False] * 5 + [False, True, True, False, True]


def test_steps_that_had_another_target_do_not_count(node: str) -> None:
    (walked,) = call(node, ENTRY, [["changed", STATE | {"target": 1.9}, "go", 40]])
    moved = STATE | walked | {"target": 0.5}  # where the weight is held at the end already
    (on,) = call(node, ENTRY, [["changed", moved, "go", 20]])
    first, back, done = markup(node, ENTRY, moved, moved | {"target": 1.9}, moved | on)
    assert ["✓ Done:" in shown for shown in (first, back, done)] == [False, False, True]
    steps = [re.search(r"Steps <b>(\d+)", shown)[1] for shown in (first, back, done)]
    assert steps == ["0", "40", "20"]


def test_it_plays_until_it_is_stopped(node: str, path: Along) -> None:
    playing = STATE | {"playing": True}
    (begun, ticked, stopped) = call(
        node,
        ENTRY,
        [
            ["changed", STATE, "play", ""],
            ["changed", playing, "tick", None],
            ["changed", playing, "play", ""],
        ],
    )
    assert begun == ticked and len(path(begun)) == 2 and begun["playing"]
    assert stopped["weight"] == 0.3 and not stopped["playing"]


def test_of_a_long_descent_the_last_steps_are_drawn(node: str) -> None:
    (walked,) = call(node, ENTRY, [["changed", STATE, "go", 200]])
    (one,) = call(node, ENTRY, [["changed", STATE, "go", 1]])
    short, long, single = markup(node, ENTRY, STATE, STATE | walked, STATE | one)
    assert "Descent: in 1 step from" in single and "Descent: in 200 steps from" in long
    hops = [len(re.findall(r"M[\d.]+,[\d.]+H", each)) for each in (short, long)]
    assert hops == [1, 61] and "Steps <b>200</b>" in long


def test_a_hand_brings_the_target_to_a_mark_and_keys_beside_it(
    browser: Browser, tmp_path: Path
) -> None:
    address = write_page(tmp_path, StraightThrough(0.3, target=0.4))
    with opener(browser) as open_page:
        page = open_page(address, width=390)
        target = page.get_by_role("slider", name="Target")
        place = page.locator(".qb-straight output span", has_text="Target")
        box = target.bounding_box()
        assert box
        # The middle of the thumb: 13 pixels beyond the picture, in which 50 are 1.
        x, y = box["x"] + box["width"] / 2, box["y"] + 13 + 50 * (2 - 0.4)
        page.mouse.move(x, y)
        page.mouse.down()
        for up, found in ((1, "0.5"), (8, "0.5"), (11, r"0\.6\d?")):
            page.mouse.move(x, y - up)
            expect(place).to_have_text(re.compile(f"^Target {found} $"))
        page.mouse.move(x, y - 5)
        page.mouse.up()
        expect(place).to_have_text("Target 0.5 ")
        page.keyboard.press("ArrowUp")
        expect(place).to_have_text("Target 0.51 ")


def test_a_link_leads_to_the_same_place_of_the_same_walk(browser: Browser, tmp_path: Path) -> None:
    address = write_page(tmp_path, StraightThrough(0.3, target=0.4))
    picture = "all => all.map((each) => each.outerHTML)"
    with opener(browser) as open_page:
        page = open_page(address)
        for step in ("Twenty steps", "One step", "Back", "One step"):
            page.get_by_role("button", name=step).click()
        page.get_by_label("Learning rate").press("ControlOrMeta+a")
        page.keyboard.type("0.5")  # in Firefox `fill` may leave the field empty
        page.get_by_role("button", name="Twenty steps").click()
        link = page.get_by_role("link", name="Link to this state").get_attribute("href") or ""
        assert unquote(link).count("scale") == 2  # so many settings were walked with
        assert len(link) < 700
        drawn, told = (page.locator(part) for part in (".qb-stage > svg", "output"))
        pictures, words = drawn.evaluate_all(picture), told.inner_text()
        assert "Steps 41" in words
        page = open_page(address + link)
        assert page.locator(".qb-stage > svg").evaluate_all(picture) == pictures
        assert page.locator("output").inner_text() == words
        page.get_by_role("button", name="Back").click()
        expect(page.locator("output")).to_contain_text("Steps 40")


def test_a_walk_that_leads_elsewhere_or_on_for_ever_is_cut(node: str) -> None:
    leg = {
        "target": 0.4,
        "rate": 0.1,
        "qparams": {"scale": 0.5, "zeroPoint": 0, "quantMin": -2, "quantMax": 1},
    }
    other, endless = STATE | {"walk": [0.9, [3, leg]]}, STATE | {"walk": [0.3, [1e12, leg]]}
    shown = markup(node, ENTRY, other, endless)
    assert ["Steps <b>0</b>" in each for each in shown] == [True, True]


# ------------------------------------------------------------------ Python


def test_it_starts_where_it_is_told_to() -> None:
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
def test_the_gradient_at_the_edges(weight: float, code: int, gradient: float) -> None:
    widget = StraightThrough(weight, target=0.0)
    assert (widget.code, widget.gradient) == (code, gradient)


def test_bits_and_zero_point_arrive_together() -> None:
    widget = StraightThrough(0.3, target=0.4, bits=8, zero_point=100)
    widget.set_state({"bits": 4, "zero_point": 7})
    assert widget.qparams == QParams(0.5, 7, -8, 7, torch.int8)


@pytest.mark.parametrize(
    ("name", "value", "error", "message"),
    [
        ("weight", 1001.0, TraitError, "not be greater than 1000.0, but a value of 1001.0"),
        ("weight", math.nan, TraitError, "'weight' trait.*not the float nan"),
        ("target", 2.1, TraitError, "not be greater than 2.0, but a value of 2.1"),
        ("scale", 0.0, TraitError, "not be less than 0.01, but a value of 0.0"),
        ("rate", 0.0, TraitError, "not be less than 0.001, but a value of 0.0"),
        ("bits", 1, TraitError, "not be less than 2, but a value of 1"),
        ("bits", 3.5, TraitError, "'bits' trait.*expected an int"),
        ("zero_point", 8, ValueError, "zero_point 8 lies outside"),
    ],
)
def test_what_has_no_place_on_a_grid_changes_nothing(
    name: str, value: float, error: type[Exception], message: str
) -> None:
    make = partial(StraightThrough, weight=0.3, target=0.4, bits=4)
    assert_refused(make, name, value, message, error)


def test_the_zero_point_must_stay_a_code() -> None:
    widget = StraightThrough(0.3, target=0.4, bits=4, zero_point=5)
    with pytest.raises(ValueError, match="zero_point 5 lies outside"):
        widget.bits = 3
    assert (widget.bits, widget.zero_point) == (4, 5)
