"""Values over a ruler of codes: the places of codes and clipping, and the ruler in a hand."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import torch
from playwright.sync_api import Browser, Locator, expect

from proofs.draw import Draw
from qlearn import QParams, dequantize, quant_range, quantize
from qlearn.course.widgets import Quantizer
from qlearn.course.widgets.shared.figure import SHARED
from tests.course.widgets.figures import call, with_other
from tests.course.widgets.page import write_page

RULED = SHARED / "ruled.js"
GIVEN = {"scale": 0.25, "zeroPoint": 3, "quantMin": -8, "quantMax": 7}
QPARAMS = QParams(0.25, 3, -8, 7, torch.int8)
CODES = torch.arange(-8, 8, dtype=torch.int8)


def places_that_differ(node: str, module: Path) -> int:
    """Return how many codes the module puts elsewhere than qlearn."""
    found = call(node, module, [["placeOf", code, GIVEN] for code in CODES.tolist()])
    return int((torch.tensor(found) != dequantize(CODES, QPARAMS)).sum())


def test_codes_lie_at_what_they_stand_for(node: str, tmp_path: Path) -> None:
    assert places_that_differ(node, RULED) == 0
    shifted = with_other(tmp_path, RULED, "placeOf", "(code, { scale }) => scale * code")
    assert places_that_differ(node, shifted) > 0


def test_clipping_begins_half_a_step_beyond_the_ends(node: str) -> None:
    (ends,) = call(node, RULED, [["clipEnds", GIVEN]])
    hair = torch.tensor([-1e-4, 1e-4])
    for end, last in zip(ends, dequantize(CODES[[0, -1]], QPARAMS).tolist(), strict=True):
        errors = (end + hair - dequantize(quantize(end + hair, QPARAMS), QPARAMS)).abs()
        assert abs(end - last) == 0.125
        assert int((errors > 0.125).sum()) == 1


# ------------------------------------------------------------------ its handles


def drawn_qparams(count: int) -> list[QParams]:
    """Return qparams of two to eight bits, signed and unsigned, with zero points anywhere."""
    draw, found = Draw(0), []
    for i in range(count):
        dtype = (torch.int8, torch.uint8)[i % 2]
        low, high = quant_range(dtype, bits=2 + i % 7)
        found.append(QParams(draw.scale(), draw.integer(low, high), low, high, dtype))
    return found


def given(qparams: QParams) -> dict[str, Any]:
    """Return qparams as the JavaScript has them."""
    ends = {"quantMin": qparams.quant_min, "quantMax": qparams.quant_max}
    return ends | {"scale": qparams.scale.item(), "zeroPoint": int(qparams.zero_point)}


def ends_elsewhere(node: str, module: Path) -> int:
    """Return how many ends miss the place that they were dragged to, by what qlearn says."""
    asked = [
        (end, share * qparams.scale.item() * (each[end] - each["zeroPoint"]), qparams)
        for qparams in drawn_qparams(1000)
        for share in (0.1, 1.0, 3.7)
        for each in [given(qparams)]
        for end in ("quantMin", "quantMax")
        if each[end] != each["zeroPoint"]
    ]
    calls = [["scaleFor", end, place, given(qparams)] for end, place, qparams in asked]
    differing = 0
    for scale, (end, place, qparams) in zip(call(node, module, calls), asked, strict=True):
        code = torch.tensor([given(qparams)[end]], dtype=qparams.dtype)
        stretched = QParams(scale, qparams.zero_point, *quant_range(qparams.dtype), qparams.dtype)
        differing += dequantize(code, stretched).item() != pytest.approx(place, rel=1e-6)
    return differing


def test_an_end_comes_to_where_it_is_dragged(node: str, tmp_path: Path) -> None:
    assert ends_elsewhere(node, RULED) == 0
    other_end = "(_, place, { quantMin, quantMax }) => Math.abs(place) / (quantMax - quantMin)"
    module = with_other(tmp_path, RULED, "scaleFor", other_end)
    assert ends_elsewhere(node, module) > 0


def thumb(handle: dict[str, Any]) -> float:
    """Return where a browser draws the thumb of a handle, in percent of the picture."""
    props = handle["props"]
    share = (float(props["value"]) - props["min"]) / (props["max"] - props["min"] or 1)
    left, width = [float(n) for n in re.findall(r"calc\((-?[\d.]+)%", props["style"])]
    return left + width * (1 - share if "rtl" in props["style"] else share)


@pytest.mark.parametrize("wide", [1, 0.1], ids=["on the picture", "beyond it"])
def test_each_thumb_lies_on_its_grip(node: str, wide: float) -> None:
    parts = ["quantMin", "quantMax", "zero_point"]
    drawn = [given(qparams) for qparams in drawn_qparams(500)]
    reach = [each["scale"] * (each["quantMax"] - each["quantMin"] + 1) for each in drawn]
    states = [
        {"domain": [-1.5 * end * wide, 2 * end * wide], "qparams": each}
        for end, each in zip(reach, drawn, strict=True)
    ]
    found = call(node, RULED, [["rulerHandles", state, 160, parts] for state in states])
    pointing = 0
    for each, qparams in zip(found, drawn, strict=True):
        names = [held and held["input"]["props"]["name"] for held in each]
        assert names == [qparams.get(name) != qparams["zeroPoint"] and name for name in parts]
        for held in filter(None, each):
            grip, props = held["mark"], held["input"]["props"]
            place = float(grip["props"]["x"].rstrip("%"))
            assert thumb(held["input"]) == pytest.approx(place, abs=0.02)
            assert props["min"] <= props["value"] <= props["max"]
            pointing += grip["type"] == "svg"
    assert (pointing > 500) is (wide < 1)


def test_only_the_parts_that_are_wanted_have_handles(node: str) -> None:
    state = {"domain": [-5, 5], "qparams": GIVEN}
    (found,) = call(node, RULED, [["rulerHandles", state, 160, ["quantMax"]]])
    (handle,) = (held["input"] for held in found)
    assert handle["props"]["value"] == 1
    assert handle["props"]["aria-label"] == "Right end of the ruler"
    assert handle["props"]["aria-valuetext"] == "−2.75 … 1, scale 0.25"


@contextmanager
def opened(browser: Browser, folder: Path, **ruler: Any) -> Iterator[Locator]:
    """Yield the widget of a ruler of 16 codes on a page."""
    values = torch.linspace(-10, 10, 200)
    address = write_page(folder, Quantizer(values, bits=4, symmetric=False, **ruler))
    with browser.new_context(viewport={"width": 1280, "height": 900}) as context:
        page = context.new_page()
        page.goto(address)
        page.wait_for_function("() => document.querySelector('.qb-widget-host[data-drawn]')")
        yield page.locator(".qb-quantizer")


@pytest.fixture
def ruler(browser: Browser, tmp_path: Path) -> Iterator[Locator]:
    """Yield the one that fits the values."""
    with opened(browser, tmp_path) as widget:
        yield widget


def shown(widget: Locator, label: str) -> float:
    return float(widget.get_by_label(label, exact=True).input_value())


def drag(widget: Locator, label: str, right: float) -> None:
    """Drag a grip of the ruler so many pixels to the right; it is found by its place."""
    box = widget.locator(".qb-stage").bounding_box()
    at = widget.get_by_label(label, exact=True).evaluate(
        """(input) => {
          const { x, width } = input.getBoundingClientRect();
          const share = (input.value - input.min) / (input.max - input.min);
          const leftwards = getComputedStyle(input).direction === "rtl";
          return x + 13 + (leftwards ? 1 - share : share) * (width - 26);
        }"""
    )
    widget.page.mouse.move(at, box["y"] + 160)
    widget.page.mouse.down()
    widget.page.mouse.move(at + right, box["y"] + 160, steps=5)
    widget.page.mouse.up()


def test_the_ruler_is_stretched_by_its_end(ruler: Locator) -> None:
    before = shown(ruler, "Scale")
    drag(ruler, "Right end of the ruler", -100)
    assert shown(ruler, "Scale") < 0.9 * before
    assert shown(ruler, "Zero point") == 0


def test_the_ruler_is_shifted_by_its_middle(ruler: Locator) -> None:
    grips = ruler.locator("rect[rx]")
    before = grips.last.bounding_box()["x"]
    drag(ruler, "Middle of the ruler", 100)
    assert shown(ruler, "Zero point") < 0
    # What lies under the hand is the grip: it went along, to a whole number of steps.
    step = ruler.locator(".qb-stage").bounding_box()["width"] * shown(ruler, "Scale") / 26
    assert grips.last.bounding_box()["x"] - before == pytest.approx(100, abs=step / 2 + 1)


def test_the_middle_answers_keys(ruler: Locator) -> None:
    middle = ruler.get_by_label("Middle of the ruler", exact=True)
    middle.press("ArrowRight")
    assert shown(ruler, "Zero point") == -1
    middle.press("ArrowUp")
    middle.press("ArrowUp")
    assert shown(ruler, "Zero point") == 1
    expect(middle).to_have_attribute("aria-valuetext", "zero point 1")


def test_a_handle_that_appears_takes_no_other_out_of_the_hand(
    browser: Browser, tmp_path: Path
) -> None:
    with opened(browser, tmp_path, signed=False, scale=0.6, zero_point=0) as ruler:
        left = ruler.get_by_label("Left end of the ruler", exact=True)
        middle = ruler.get_by_label("Middle of the ruler", exact=True)
        expect(left).to_have_count(0)
        middle.press("ArrowUp")
        expect(left).to_have_count(1)
        expect(middle).to_be_focused()
        middle.press("ArrowDown")
        drag(ruler, "Middle of the ruler", -100)
        expect(left).to_have_count(1)
        assert shown(ruler, "Scale") == pytest.approx(0.6) and shown(ruler, "Zero point") > 1


def test_a_handle_beyond_the_picture_goes_on_from_its_own_value(
    browser: Browser, tmp_path: Path
) -> None:
    with opened(browser, tmp_path, scale=8.0, zero_point=0) as ruler:
        right = ruler.get_by_label("Right end of the ruler", exact=True)
        expect(right).to_have_attribute("aria-valuetext", "−64 … 56, scale 8")
        assert float(right.input_value()) == pytest.approx(56)
        right.press("ArrowLeft")
        step = (56 + 13) / 200  # the picture begins at −13; it ends at 13, at a scale of 1.9
        assert shown(ruler, "Scale") == pytest.approx(8 - step / 7)
        drag(ruler, "Right end of the ruler", -200)
        assert shown(ruler, "Scale") < 1.9
