"""The link to a figure's state: there and back, and what an address cannot do."""

from __future__ import annotations

import json
from collections.abc import Iterator
from urllib.parse import quote, unquote

import pytest
from playwright.sync_api import Browser, expect
from torch import nn
from traitlets import Bool, Enum

from qlearn import Rule
from qlearn.course.question import Question
from qlearn.course.widgets import Journey, QConfigRules, Quantizer, Saturation
from qlearn.course.widgets.shared.figure import SHARED
from tests.course.widgets.examples import EXAMPLES
from tests.course.widgets.figures import call
from tests.course.widgets.page import Open, opener, write_page

MODULE = SHARED / "link.js"
OPENING = {"values": b"\0\0\0\0", "bits": 8, "scale": None, "places": [1, 2], "signed": True}
OPENING |= {"own": [], "rows": [[1, 2], [3, 4]]}


@pytest.mark.parametrize(
    "moved",
    [{}, {"bits": 3}, {"scale": 0.1, "places": [3], "signed": False}, {"places": [], "bits": 0}],
)
def test_a_state_comes_back_from_its_address(node: str, moved: dict) -> None:
    (address,) = call(node, MODULE, [["addressOf", "1a2b", OPENING | moved, OPENING]])
    start, _, given = address.partition("=")
    assert start == "#figure-1a2b" and json.loads(unquote(given)) == moved
    (found,) = call(node, MODULE, [["stateIn", address, "1a2b", OPENING]])
    del found["values"]
    assert found == {k: v for k, v in (OPENING | moved).items() if k != "values"}


@pytest.mark.parametrize("moved", [{"scale": -0.0}, {"own": [0.0, -0.0]}], ids=str)
def test_a_zero_keeps_its_sign(node: str, moved: dict) -> None:
    opening = OPENING | {"scale": 0}
    (address,) = call(node, MODULE, [["addressOf", "1a2b", opening | moved, opening]])
    written = json.dumps(moved, separators=(",", ":")).replace("0.0", "0")
    assert unquote(address) == f"#figure-1a2b={written}"  # and JSON.parse keeps it


def test_every_choice_of_every_widget_comes_back(node: str) -> None:
    moves = []
    for kind, example in EXAMPLES.items():
        widget = example()
        opening = widget.state()
        for name, trait in widget.traits(sync=True).items():
            choices = {Enum: getattr(trait, "values", ()), Bool: (False, True)}.get(type(trait), ())
            moves += [(kind, name, value, opening) for value in choices if name in opening]
    assert {kind for kind, *_ in moves} > {"QuantizedMatrix", "Quantizer"} and len(moves) > 50
    there = [["addressOf", "1a2b", each | {name: value}, each] for _, name, value, each in moves]
    back = [
        ["stateIn", address, "1a2b", each]
        for address, (*_, each) in zip(call(node, MODULE, there), moves, strict=True)
    ]
    arrived = zip(call(node, MODULE, back), moves, strict=True)
    lost = [
        (kind, name, value, found[name])
        for found, (kind, name, value, _) in arrived
        if found[name] != value
    ]
    assert lost == []


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ('{"bits":"eight","signed":1,"places":{"length":3}}', {}),
        ('{"values":[1,2],"constructor":1,"__proto__":{"bits":2}}', {}),
        ('{"scale":2,"places":null}', {"scale": 2, "places": None}),
        ('{"bits":1e400,"scale":-1e400,"places":[1e400]}', {}),
        ('{"places":["a"]}', {}),
        ('{"places":[1,[2]]}', {}),
        ('{"own":[3,4],"rows":[[5,6]]}', {"own": [3, 4], "rows": [[5, 6]]}),
        ('{"own":["a"],"rows":[[5,"6"]]}', {}),
        ('{"bits":', None),
        ("3", {}),
        ("null", None),
    ],
)
def test_what_does_not_fit_is_left_out(node: str, given: str, kept: dict | None) -> None:
    order = ["stateIn", "#figure-1a2b=" + quote(given), "1a2b", OPENING]
    (found,) = call(node, MODULE, [order])
    if kept is None:
        assert found is None
    else:
        wanted = {k: v for k, v in (OPENING | kept).items() if k != "values"}
        assert {k: v for k, v in found.items() if k != "values"} == wanted


@pytest.mark.parametrize(
    "hash_", ["", "#figure-1a2b", "#figure-9999={}", "#ruler", "#figure-1a2b=%"]
)
def test_other_addresses_are_nobodys(node: str, hash_: str) -> None:
    assert call(node, MODULE, [["stateIn", hash_, "1a2b", OPENING]]) == [None]


@pytest.fixture
def opened(browser: Browser) -> Iterator[Open]:
    with opener(browser) as open_page:
        yield open_page


def test_a_link_leads_to_the_state(opened: Open, tmp_path_factory: pytest.TempPathFactory) -> None:
    names = ["Quantizer", "Saturation", "Journey"]
    assert all(isinstance(EXAMPLES[name](), Quantizer | Saturation | Journey) for name in names)
    address = write_page(tmp_path_factory.mktemp("link"), *(EXAMPLES[name]() for name in names))
    page = opened(address)
    journey = page.locator(".qb-journey")
    journey.get_by_role("button", name="pool: codes").click()
    journey.get_by_role("radio").nth(5).check(force=True)
    told = journey.locator("output").inner_text()
    link = journey.get_by_role("link", name="Link to this state").get_attribute("href")
    page = opened(address + link)
    assert page.locator(".qb-journey output").inner_text() == told
    assert page.evaluate("scrollY") > 300
    expect(page.locator(".qb-saturation a.qb-link")).to_have_attribute(
        "href", r"#figure-model1=%7B%7D"
    )
    # another link on the same page, and one that no figure can show
    quantizer = page.locator(".qb-quantizer output")
    before = quantizer.inner_text()
    page.goto(address + "#figure-model0=" + quote('{"bits":3}'))
    expect(quantizer).not_to_have_text(before)
    page.goto(address + "#figure-model2=" + quote('{"step":77}'))
    three = quantizer.inner_text()
    page.goto(address + "#figure-model0=" + quote('{"bits":30}'))
    assert quantizer.inner_text() == three
    assert page.locator(".qb-journey output").inner_text() == told


def test_a_link_takes_away_what_was_only_begun(
    opened: Open, tmp_path_factory: pytest.TempPathFactory
) -> None:
    rules = QConfigRules(nn.Sequential(nn.GELU()), Rule("module_name_regex", ".*"))
    shown = [EXAMPLES["StraightThrough"](), rules, EXAMPLES["Quantizer"]()]
    address = write_page(tmp_path_factory.mktemp("begun"), *shown)
    page = opened(address)
    straight, rules, quantizer = (
        page.locator(f".qb-{n}") for n in ("straight", "rules", "quantizer")
    )
    straight.get_by_role("button", name="Play").click()
    expect(straight.locator("output")).not_to_contain_text("Steps 0")
    page.goto(f"{address}#figure-model0=" + quote('{"bits":4}'))
    expect(straight.get_by_role("button", name="Play")).to_be_visible()
    expect(straight.locator("output")).to_contain_text("Steps 0")
    scale = straight.get_by_label("Scale", exact=True)
    scale.fill("99")  # and the focus stays there, as it does when a reader goes back
    expect(straight.locator("output")).to_contain_text("Scale is 99, but")
    page.goto(f"{address}#figure-model0=" + quote('{"scale":0.1}'))
    expect(scale).to_have_value("0.1")
    expect(scale).to_have_attribute("aria-invalid", "false")
    expect(straight.locator("output")).to_contain_text("Fake-quantized")
    pattern = rules.get_by_role("textbox")
    pattern.fill("[")
    page.goto(f"{address}#figure-model1=" + quote('{"reader":"fx"}'))
    expect(pattern).to_have_value(".*")
    own = quantizer.get_by_label("Your own numbers")
    own.fill("1, two")
    page.goto(f"{address}#figure-model2=" + quote('{"own":[3,4]}'))
    expect(own).to_have_value("3, 4")
    expect(quantizer.get_by_role("alert")).to_have_count(0)


def test_a_question_has_no_link_and_takes_no_state(
    opened: Open, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Its formulas become markup, so that an address could bring a script into the page."""
    question = Question("sum", "What is $1 + 1$?", number=2, because="It is two.")
    address = write_page(tmp_path_factory.mktemp("question"), question)
    markup = "<img src=none onerror='window.reached = true'>"
    page = opened(f"{address}#figure-model0=" + quote(json.dumps({"formulas": {"1 + 1": markup}})))
    expect(page.locator(".qb-question legend")).to_have_text("What is 1 + 1?")
    assert page.locator("img").count() == 0
