"""The widget of a number's bits: its view, its changes, its traits. Its mathematics: shared/."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

import pytest
import torch
from playwright.sync_api import Browser, expect

from qlearn.course.widgets import FloatBits
from tests.course.widgets.figures import call, markup, with_other
from tests.course.widgets.page import opener, write_page
from tests.course.widgets.refusal import assert_refused
from tests.course.widgets.stored import opening, task

ENTRY = FloatBits.entry()
STATE = FloatBits(0.3).state()


def shown(node: str, *states: dict) -> list[str]:
    return markup(node, ENTRY, *({**STATE, **state} for state in states))


def test_the_view_says_the_number_its_bits_and_its_neighbours(node: str) -> None:
    (drawn,) = shown(node, {})
    assert "Code 0x2a of E4M3FN is <b>0.3125</b>" in drawn and "<b>1.25 × 2⁻²</b>" in drawn
    assert "Below it <b>0.28125</b>" in drawn and "Above it <b>0.34375</b>" in drawn
    assert "Error <b>0.0125</b>" in drawn
    assert "E4M3FN ends at <b>448</b>" in drawn and "Beyond it <b>448</b>" in drawn
    label = (
        "Number line of its neighbours, 13 numbers of E4M3FN from 0.1875 to 0.5; the dot lies at"
    )
    assert f'aria-label="{label} 0.3125."' in drawn
    assert drawn.count('name="bit.') == 8 and drawn.count('aria-pressed="true"') == 3


def test_a_formula_says_where_its_digits_are_cut(node: str) -> None:
    states = [{"number": 0.1, "format": "float32"}, {"number": 1 + 2**-10, "format": "float16"}]
    states += [{"number": 1.0, "format": "int8", "scale": scale} for scale in (0.25, 1 / 127)]
    states += [{"number": 0.9, "format": "int8", "scale": 0.1}]  # which comes back as 0.900000036
    found = [re.search("([=≈]) <b>([^<]*× [^<]*)</b>", drawn) for drawn in shown(node, *states)]
    assert [each and each.groups() for each in found] == [
        ("≈", "1.6000000238 × 2⁻⁴"),
        ("=", "1.0009765625 × 2⁰"),
        ("=", "4 × 0.25"),
        ("≈", "127 × 0.00787402"),
        ("≈", "9 × 0.1"),
    ]


def test_what_lies_beyond_the_end_is_said_of_any_number(node: str) -> None:
    kinds = ["E4M3FN", "E5M2", "float32", "int8"]
    drawn = shown(node, *({"format": kind, "overflow": "special"} for kind in kinds))
    beyond = [each.partition("Beyond it <b>")[2].partition("</b>")[0] for each in drawn]
    assert beyond == ["NaN", "∞", "∞", "127"]


def test_beyond_the_end_the_view_says_what_is_left(node: str) -> None:
    billion = {"number": 1e9}
    end, gone, far, older = shown(
        node,
        billion,
        billion | {"overflow": "special"},
        billion | {"overflow": "special", "format": "E5M2"},
        billion | {"format": "E4M3"},
    )
    assert "is <b>448</b>" in end and "Above it <b>none</b>" in end
    assert "is <b>NaN</b>" in gone and "is <b>∞</b>" in far
    assert "is <b>240</b>" in older


def test_a_field_takes_what_its_trait_takes(node: str) -> None:
    (drawn,) = shown(node, {"format": "int8"})
    ((low, high),) = re.findall(r'name="scale" [^>]*?min="(\S+)" max="(\S+)"', drawn)
    scale = FloatBits.class_traits()["scale"]
    assert (float(low), float(high)) == (scale.min, scale.max)
    largest = torch.finfo(torch.float32).max
    assert FloatBits(largest, "float32").number == largest


def test_no_button_leads_beyond_the_end(node: str) -> None:
    drawn = shown(node, {"code": 0x7E}, {"code": 0xFE}, {"code": 0x7F}, {})
    labels = ("Next below", "Next above")
    off = [[f'aria-disabled="true">{label}<' in each for label in labels] for each in drawn]
    assert off == [[False, True], [True, False], [True, True], [False, False]]


def test_each_format_has_a_button_for_each_bit(node: str) -> None:
    names = ["E4M3", "E5M2", "E4M3FNUZ", "E5M2FNUZ", "int8", "float16", "bfloat16", "float32"]
    drawn = shown(node, *({"format": name} for name in names))
    assert [each.count('name="bit.') for each in drawn] == [8, 8, 8, 8, 8, 16, 16, 32]
    assert all(("all marks" in each) == (each.count('name="bit.') == 8) for each in drawn)


def test_the_task_is_done_at_the_last_subnormal_number(node: str) -> None:
    states: list[dict] = [
        {},
        {"code": 0},
        {"number": 0.0019, "format": "E5M2"},
        {"code": 0x08},
        {"code": 0x81},
        {"code": 0x01},
        {"number": 0.0019},
    ]
    page = ("formats/float8_and_microscaling", "FloatBits")
    drawn = markup(node, ENTRY, *(opening(*page, **state) for state in states))
    assert [task(each)[0] for each in drawn] == [False] * 5 + [True] * 2


@pytest.mark.parametrize(
    ("name", "value", "change"),
    [
        ("bit.6", "", {"code": 0x6A, "number": 80.0}),
        ("bit.7", "", {"code": 0xAA, "number": -0.3125}),
        ("next", 1, {"code": 0x2B, "number": 0.34375}),
        ("next", -1, {"code": 0x29, "number": 0.28125}),
        ("all marks", [1.0, 0.5], {"code": 0x7E, "number": 448.0}),
        ("its neighbours", [0.0, 0.5], {"code": 0x24, "number": 0.1875}),
        ("its neighbours", [0.31, 0.5], {"code": 0x29, "number": 0.28125}),
        ("all marks", 0.3 + 0.9, {"code": 0x2B, "number": 0.34375}),
        ("all marks", 0.3 - 0.9, {"code": 0x29, "number": 0.28125}),
        ("all marks", 448, {"code": 0x7E, "number": 448.0}),
        ("its neighbours", 0.3128, {"code": 0x2B, "number": 0.34375}),
        ("number", 1e9, {"number": 1e9, "code": None}),
        ("number", -1e39, {"number": -torch.finfo(torch.float32).max, "code": None}),
        ("format", "E5M2", {"format": "E5M2", "code": None}),
        ("overflow", "special", {"overflow": "special", "code": None}),
    ],
    ids=lambda part: str(part) if isinstance(part, str) else "",
)
def test_what_an_input_changes(node: str, name: str, value: object, change: dict) -> None:
    assert call(node, ENTRY, [["changed", STATE, name, value]]) == [change]


def test_the_neighbours_stay_under_a_hand(node: str) -> None:
    held = STATE | {"pointing": True}
    (first,) = call(node, ENTRY, [["changed", held, "its neighbours", 0.45]])
    assert first == {"code": 0x2E, "number": 0.4375, "from": first["from"]}
    seen, keyed = shown(node, first, {"code": 0x2E, "number": 0.4375})
    assert "E4M3FN from 0.1875 to 0.5; the dot lies at 0.4375" in seen
    assert "E4M3FN from 0.25 to 0.75; the dot lies at 0.4375" in keyed
    (far,) = shown(node, first | {"code": 0x7E, "number": 448.0})  # as Python may set it
    assert "to 448; the dot lies at 448" in far


def test_the_dot_is_dragged_and_moved_by_keys(browser: Browser, tmp_path: Path) -> None:
    with opener(browser) as open_page:
        page = open_page(write_page(tmp_path, FloatBits(0.3)), width=390)
        dot = page.get_by_role("slider", name="The number among its neighbours")
        box = dot.bounding_box()
        assert box
        per = (box["width"] - 26) / (0.5 - 0.1875)
        x, y = box["x"] + 13 + (0.3125 - 0.1875) * per, box["y"] + 13
        page.mouse.move(x, y)
        page.mouse.down()
        for value in (0.375, 0.46875):
            page.mouse.move(x + (value - 0.3125) * per, y)
            expect(dot).to_have_attribute("aria-valuetext", f"{value}")
        page.mouse.up()
        every = page.get_by_role("slider", name="The number among all marks")
        every.focus()
        for key, text in (("Right", "0.5"), ("Left", "0.46875"), ("Left", "0.4375")):
            page.keyboard.press(f"Arrow{key}")
            expect(every).to_have_attribute("aria-valuetext", text)
        page.keyboard.press("End")
        expect(page.locator("output")).to_contain_text("is 448 ")
        page.keyboard.press("ArrowLeft")
        expect(every).to_have_attribute("aria-valuetext", "416")


def test_at_the_end_there_is_no_next_number_and_its_last_bit_makes_nan(node: str) -> None:
    end = {**STATE, "code": 0x7E, "number": 448.0}
    above, nan = call(node, ENTRY, [["changed", end, "next", 1], ["changed", end, "bit.0", ""]])
    assert above == {"code": 0x7E, "number": 448.0}
    assert nan == {"code": 0x7F}  # the number that was typed stays: NaN is none


def test_a_flip_that_does_nothing_is_seen(node: str, tmp_path: Path) -> None:
    still = (
        "(state, name, value) => name.startsWith('bit') ? {} : right.changed(state, name, value)"
    )
    broken = with_other(tmp_path, ENTRY, "changed", still)
    flip = [["changed", STATE, "bit.6", ""]]
    assert call(node, broken, flip) != call(node, ENTRY, flip)


def test_its_line_says_what_is_shown() -> None:
    assert repr(FloatBits(0.3, "int8", scale=0.25)) == "FloatBits(0.3): int8, scale 0.25"
    assert repr(FloatBits(0.0, code=0x7E)) == "FloatBits(code 0x7e): E4M3FN, saturate"


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("format", "E4M4", "E4M4"),
        ("code", 256, "code is 256, but E4M3FN has 8 bits"),
        ("number", float("nan"), "expected a float, not the float nan"),
        ("overflow", "wrap", "wrap"),
        ("scale", 0.0, "scale"),
    ],
)
def test_what_no_format_has_is_refused(name: str, value: object, message: str) -> None:
    assert_refused(partial(FloatBits, number=0.3), name, value, message)


@pytest.mark.parametrize("number", [16777217.0, 1234567.0, 2.0**-140])
def test_neighbours_do_not_look_alike(node: str, number: float) -> None:
    (shown,) = markup(node, ENTRY, FloatBits(number, "float32").state())
    text = re.sub(r"<[^>]*>", " ", shown)
    found = re.search(r"Below it\s+(\S+)\s+Above it\s+(\S+)", text)
    assert found and found[1] != found[2]


def test_a_negative_zero_is_called_so(node: str) -> None:
    (shown,) = markup(node, ENTRY, FloatBits(0.0, code=0x80).state())
    assert "−0" in re.sub(r"<[^>]*>", "", shown)
