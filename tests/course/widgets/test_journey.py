"""The widget of an image's journey: its view and changes, its Python side, and by hand."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from playwright.sync_api import Browser, Page, expect
from traitlets import TraitError

from qlearn.course.digits.journey import STEPS
from qlearn.course.digits.layers import weight_codes
from qlearn.course.digits.net import split_digits, trained_digits_net
from qlearn.course.widgets import Journey
from tests.course.widgets.figures import call, markup
from tests.course.widgets.page import opener, write_page

ENTRY = Journey.entry()
RANGES = {"input": (0.0, 1.0), "conv1": (0.0, 3.7), "conv2": (0.0, 6.85), "fc": (-14.5, 12.0)}
IMAGES, LABELS = split_digits().test_images, split_digits().test_labels
LAST = len(STEPS) - 1


def made(**start: Any) -> Journey:
    return Journey(trained_digits_net(), IMAGES[2:5], LABELS[2:5], RANGES, **start)


@pytest.fixture
def widget() -> Journey:
    return made()


# ------------------------------------------------------------------ view and changes


def test_each_step_shows_its_numbers_and_where_one_comes_from(node: str, widget: Journey) -> None:
    chosen = {"pixels": 28, "conv1: sums": 283, "conv2: codes": 283, "pool: codes": 40}
    chosen |= {"fc: sums": 4, "fc: codes": 4}
    places = [{"step": list(STEPS).index(name), "at": at} for name, at in chosen.items()]
    views = markup(node, ENTRY, *(widget.state() | place for place in places))
    for (name, at), shown in zip(chosen.items(), views, strict=True):
        real, integers = widget.numbers[name]
        cells = min(64, len(real) if "fc" in name else 64 if "pool" not in name else 16)
        assert shown.count('type="radio"') == cells and shown.count("<button") == len(STEPS) + (
            4 if name == "pixels" else 2
        )
        number = f"{real[at]:.2f}, {integers[at]:,}".replace("-", "−")
        assert f"<b>{number}</b>" in shown
        assert f"Digit <b>{LABELS[2]} in real numbers, {LABELS[2]} in integers" in shown
    divided, added, requantized, largest, all_256, last = views
    assert "÷ 0.003922" in divided
    assert "Multiply 9 codes" in added and "Which product, by its size <b>1 of 9</b>" in added
    assert "0 … 255" in requantized and "Keep the largest of four" in largest
    assert re.search('aria-label="9 products, which add up to [−0-9,]+; the one in the', added)
    assert 'data-alt="The 10 numbers of fc: codes: the chosen one, digit 4, is ' in last
    assert "1 of 256" in all_256 and "0 … 255" in last and "digit 9" in last


def test_each_step_is_grey_in_real_numbers_and_blue_in_integers(node: str, widget: Journey) -> None:
    (shown,) = markup(node, ENTRY, widget.state())
    for tile in shown.split('name="step"')[1:]:
        pictures = tile.partition("</button>")[0].split("<svg")[1:]
        inks = [set(re.findall(r' fill="([^"]+)" fill-opacity', each)) for each in pictures]
        assert inks == [{"currentColor"}, {"var(--qb-code)"}]


def test_a_relu_lets_codes_begin_at_the_zero_point(node: str) -> None:
    ranges = RANGES | {"conv2": (-1.37, 6.85 - 1.37), "fc": (-14.5, 12.0)}
    widget = Journey(trained_digits_net(), IMAGES[2:5], LABELS[2:5], ranges)
    steps = [list(STEPS).index(name) for name in ("conv2: codes", "fc: codes")]
    with_relu, without = markup(node, ENTRY, *(widget.state() | {"step": each} for each in steps))
    assert ">51 … 255<" in with_relu and ">0 … 255<" in without


def test_a_requantized_number_is_computed_line_by_line(node: str, widget: Journey) -> None:
    at, step = 283, list(STEPS).index("conv2: codes")
    (shown,) = markup(node, ENTRY, widget.state() | {"step": step, "at": at})
    cells = re.findall(r"<td>(?:<b>)?([^<]*)", shown.partition("<tbody>")[2])
    integers = [float(cell.replace("−", "-").replace(",", "")) for cell in cells[1::2]]
    total, with_bias, steps, code, clipped, meant = integers
    sums, codes = widget.numbers["conv2: sums"], widget.numbers["conv2: codes"]
    assert total == sums.integers[at] and clipped == code == codes.integers[at]
    assert with_bias - total == pytest.approx(103.4, abs=0.1)
    assert code == round(steps) and meant == pytest.approx(code * 6.85 / 255, abs=1e-3)
    factor = float(re.search(r"× (0\.\d+)", shown)[1])
    assert steps == pytest.approx(with_bias * factor, rel=1e-3)


def test_a_larger_product_that_counts_against_the_sum_is_not_followed(node: str) -> None:
    widget = Journey(trained_digits_net(), IMAGES[58:59], LABELS[58:59], RANGES)
    at = int(widget.numbers["fc: sums"].integers.argmax())
    state = widget.state() | {"step": list(STEPS).index("fc: sums"), "at": at, "followed": 0}
    (shown,) = markup(node, ENTRY, state)
    assert "“Follow it back” takes product 2: the larger one counts against the sum." in shown
    (change,) = call(node, ENTRY, [["changed", state, "follow", ""]])
    weights = weight_codes(trained_digits_net().fc.weight.detach()).values[at]
    products = widget.numbers["pool: codes"].integers.int() * weights.int()
    assert change["at"] == products.argmax() != products.abs().argmax()


def test_several_larger_products_are_said_to_be_several(node: str) -> None:
    pages = []
    for image in (73, 76, 77, 79):
        widget = Journey(trained_digits_net(), IMAGES[image][None], LABELS[image][None], RANGES)
        sums = list(STEPS).index("fc: sums")
        pages += [widget.state() | {"step": sums, "at": at, "rank": at} for at in range(10)]
    drawn = markup(node, ENTRY, *pages)
    ways = [re.findall("takes product ([0-9]+): (.*?) against the sum", each) for each in drawn]
    counts = {(number == "2", counts) for way in ways for number, counts in way}
    assert counts == {(True, "the larger one counts"), (False, "larger ones count")}


def test_a_number_that_rounds_to_0_has_no_sign(node: str) -> None:
    widget = Journey(trained_digits_net(), IMAGES[:1], LABELS[:1], RANGES)
    sums = widget.state() | {"step": list(STEPS).index("fc: sums")}
    drawn = markup(node, ENTRY, *(sums | {"at": 1, "rank": rank} for rank in range(200, 256)))
    assert "0.000" in "".join(drawn) and "−0.000" not in "".join(drawn)


def test_a_drawing_takes_the_place_of_the_images(node: str) -> None:
    drawing = (16 * IMAGES[8]).flatten().int().tolist()
    widget = made(drawing=drawing)
    (shown,) = markup(node, ENTRY, widget.state())
    assert "your drawing" in shown and f"Digit <b>{LABELS[8]} in real numbers" in shown
    assert repr(widget).startswith("Journey(a drawing): conv1: sums 0 is ")


@pytest.mark.parametrize(
    ("given", "name", "value", "change"),
    [
        ({}, "cell", 6, {"at": 6}),
        ({"at": 70}, "cell", 5, {"at": 69}),
        ({"at": 70}, "step", 4, {"step": 4, "at": 70}),
        ({"at": 70}, "step", 0, {"step": 0, "at": 6}),
        ({"at": 70}, "step", 5, {"step": 5, "at": 0}),
        ({"step": 5, "at": 5}, "channel", 3, {"at": 37}),
        ({}, "channel", 2, {"at": 64}),
        ({"at": 70}, "image", 2, {"image": 2, "drawing": None, "followed": 0}),
        ({"drawing": [0] * 64}, "image", 3, {}),
        ({"step": 0, "at": 5}, "empty", "", {"drawing": [0] * 64, "followed": 0}),
        ({}, "rank", 3, {"rank": 3}),
        ({"step": 6, "at": 4, "followed": 0}, "follow", "", {"step": 5, "followed": 0}),
        ({"step": 6, "at": 4, "followed": 1}, "follow", "", {"step": 5, "followed": 2}),
        ({"step": LAST, "at": 4, "followed": 3}, "follow", "", {"step": 6, "at": 4, "followed": 1}),
        ({"step": LAST, "at": 7, "followed": 0}, "follow", "", {"step": 6, "at": 7, "followed": 0}),
    ],
)
def test_what_an_input_changes(
    node: str, widget: Journey, given: dict, name: str, value: object, change: dict
) -> None:
    state = widget.state() | {"followed": 0, "ink": 16, "draws": False} | given
    (found,) = call(node, ENTRY, [["changed", state, name, value]])
    anew = {"cell", "step", "channel"}
    assert found.items() >= change.items()
    assert (found.get("rank") == 0) == (name in anew | {"follow"})


def test_ink_goes_where_it_is_put(node: str, widget: Journey) -> None:
    state = widget.state() | {"step": 0, "at": 9, "ink": 8}
    pixels = (16 * IMAGES[2]).flatten().tolist()
    painted, drawn = call(
        node, ENTRY, [["changed", state, "paint", ""], ["changed", state, "drawn", [0.99, 0.3]]]
    )
    assert painted == {"drawing": [*pixels[:9], 8, *pixels[10:]], "followed": 0}
    assert drawn == {"drawing": [*pixels[:23], 8, *pixels[24:]], "at": 23, "followed": 0}


# ------------------------------------------------------------------ Python


@pytest.mark.parametrize(
    ("start", "message"),
    [
        ({"step": 8}, "step.* not be greater than 7, but a value of 8"),
        ({"step": 7, "at": 10}, "at is 10, but 'fc: codes' has 10 numbers"),
        ({"drawing": [0] * 63}, "length 64 <= L <= 64"),
        ({"drawing": [17] * 64}, "drawing.* not be greater than 16"),
        ({"image": 3}, "image is 3, but there are 0 … 2"),
    ],
)
def test_what_is_not_there_is_refused(start: dict[str, Any], message: str) -> None:
    with pytest.raises(TraitError, match=message):
        made(**start)


def test_ranges_of_other_layers_are_refused() -> None:
    with pytest.raises(ValueError, match="ranges has input: pass one for each of input, conv1"):
        Journey(trained_digits_net(), IMAGES[:1], LABELS[:1], {"input": (0, 1)})


def test_a_change_in_the_page_arrives() -> None:
    widget = made()
    widget.set_state({"step": LAST, "at": 4, "drawing": [0] * 64})
    assert repr(widget).startswith("Journey(a drawing): fc: codes 4 is ")
    assert torch.equal(widget.shown, torch.zeros(1, 1, 8, 8))


# ------------------------------------------------------------------ in a browser


@pytest.fixture
def page(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    address = write_page(tmp_path_factory.mktemp("journey"), made())
    with opener(browser) as open_page:
        yield open_page(address, width=390, has_touch=True)


def test_the_task_is_done_with_the_keyboard_alone(page: Page) -> None:
    task = page.locator(".qb-task")
    expect(task).to_have_text(
        "Your task: go to the digit, and follow it back to the pixel that it came from."
    )
    page.get_by_role("button", name="To the digit").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    for _ in range(LAST):
        page.keyboard.press("Space")
    expect(task).to_have_text(re.compile("✓ Done: go"))
    assert page.get_by_role("button", name="pixels").get_attribute("aria-pressed") == "true"


def test_the_task_is_done_with_a_finger_that_stays_where_it_is(page: Page) -> None:
    page.get_by_role("button", name="pixels").tap()  # where what draws is shown as well
    page.get_by_role("button", name="To the digit").tap()
    button = page.get_by_role("button", name="Follow it back")
    on_the_page = "button => button.getBoundingClientRect().top + scrollY"
    place = button.evaluate(on_the_page)  # for a tap, Playwright scrolls Firefox
    for _ in range(LAST):
        assert button.evaluate(on_the_page) == place
        button.tap()
    expect(page.locator(".qb-task")).to_have_text(re.compile("✓ Done: go"))


def test_a_link_leads_to_where_the_way_back_has_come(browser: Browser, tmp_path: Path) -> None:
    address = write_page(tmp_path, made())
    with opener(browser) as open_page:
        page = open_page(address)
        page.get_by_role("button", name="To the digit").click()
        for _ in range(LAST - 1):
            page.get_by_role("button", name="Follow it back").click()
        told = page.locator("output").inner_text()
        link = page.get_by_role("link", name="Link to this state").get_attribute("href") or ""
        assert len(link) < 100
        page = open_page(address + link)
        assert page.locator("output").inner_text() == told
        page.get_by_role("button", name="Follow it back").click()
        expect(page.locator(".qb-task")).to_have_text(re.compile("✓ Done: go"))


def test_a_screen_reader_meets_each_number_once(page: Page) -> None:
    grid = page.get_by_role("radiogroup", name="Numbers of conv1: sums")
    said = [line.strip() for line in grid.aria_snapshot().splitlines()]
    assert len(said) == 1 + 64
    assert all(line.lstrip("- '").startswith("radio ") for line in said[1:])


def test_arrow_keys_go_from_number_to_number(page: Page) -> None:
    page.get_by_role("radio").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert page.locator("output").inner_text().startswith("Digit ")
    expect(page.locator("output")).to_contain_text("channel 1, row 1, column 3")


def test_an_image_is_drawn_by_taps(page: Page) -> None:
    page.get_by_role("button", name="pixels").tap()
    page.get_by_role("button", name="An empty image").tap()
    page.get_by_label("Draw with the mouse, or by taps").check()
    for row in range(1, 7):
        page.get_by_role("radio", name=f"row {row + 1}, column 4").tap()
    page.get_by_label("Image").get_by_text("your drawing")
    expect(page.locator("output")).to_contain_text("row 7, column 4 1.00, 255")
