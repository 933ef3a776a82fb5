"""The tasks of widgets, as their pages open them, done with the keyboard alone on a narrow page."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.course.widgets.page import opener, write_entries
from tests.course.widgets.stored import entry

PAGES = {
    "ObserverStream": "calibration/observers",
    "GrowingCache": "language/cache",
    "GroupedRow": "formats/four_bits",
    "DynamicLinear": "integers/dynamic_linear",
    "FloatBits": "formats/float8_and_microscaling",
    "GPTQSteps": "language/weights",
    "NetworkLayers": "models/static_quantization",
    "OldAndNew": "today/torchao_and_pt2e_to_the_bit",
    "DecisionGuide": "start/which_one",
}


@pytest.fixture(scope="module")
def page(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """Open all of them once, one below the other."""
    entries = {kind: entry(path, kind) for kind, path in PAGES.items()}
    address = write_entries(tmp_path_factory.mktemp("tasks"), entries)
    with opener(browser) as open_page:
        yield open_page(address, width=390, has_touch=True)


def press(control: Locator, *keys: str) -> None:
    """Press keys where the focus is brought first."""
    control.focus()
    for key in keys:
        control.page.keyboard.press(key)


def at(role: str, name: str, *keys: str) -> Callable[[Locator], None]:
    """Return the step that presses keys on the control of that role and name."""
    return lambda widget: press(widget.get_by_role(role, name=name, exact=True), *keys)


def pressed(*names: str) -> list[Callable[[Locator], None]]:
    """Return the steps that press these buttons."""
    return [at("button", name, "Space") for name in names]


def typed(label: str, number: str) -> Callable[[Locator], None]:
    """Return the step that types a number over the one of a field."""

    def step(widget: Locator) -> None:
        press(widget.get_by_label(label, exact=True), "ControlOrMeta+a")
        widget.page.keyboard.type(number)

    return step


WAYS = {
    "ObserverStream": [
        at("combobox", "Observer", "ArrowDown"),
        at("slider", "Averaging constant", *["ArrowRight"] * 3),
        at("slider", "Batches seen", "End"),
    ],
    "GrowingCache": [at("combobox", "Keys: a scale for", "ArrowUp")],
    "GroupedRow": [at("combobox", "Marks", "ArrowDown"), at("slider", "Group", "ArrowLeft")],
    "DynamicLinear": [typed("x, row 2, number 2", "1000")],
    "FloatBits": pressed("Bit 5: 1", "Bit 3: 1", "Bit 1: 1", "Bit 0: 0"),
    "GPTQSteps": pressed("Back", "Back"),
    "NetworkLayers": [
        at("slider", "Layer to look at", "ArrowRight"),
        at("slider", "Codes of conv2", *["ArrowLeft"] * 4),
    ],
    "OldAndNew": [
        at("slider", "Size of the token", "ArrowRight"),
        at("combobox", "Old codes", "ArrowDown"),
    ],
    "DecisionGuide": pressed(
        "dozens of rows or more", "far larger inputs, and typical ones to look at"
    ),
}


@pytest.mark.parametrize("kind", WAYS)
def test_the_task_is_done_with_the_keyboard_alone(page: Page, kind: str) -> None:
    widget = page.locator(".qb-widget").nth(list(PAGES).index(kind))
    task = widget.locator(".qb-task b")
    *first, last = WAYS[kind]
    for step in first:
        step(widget)
        expect(task).to_have_text("Your task:")
    last(widget)
    expect(task).to_have_text("✓ Done:")


def test_a_button_at_its_end_keeps_the_focus(page: Page) -> None:
    steps = page.locator(".qb-gptq-steps")
    back, on = (steps.get_by_role("button", name=name) for name in ("Back", "Next column"))
    back.focus()
    while back.get_attribute("aria-disabled") is None:
        page.keyboard.press("Space")
    expect(back).to_be_focused()
    read_out = steps.locator("output").inner_text()
    assert "Rounded 0 of " in read_out
    page.keyboard.press("Space")
    assert steps.locator("output").inner_text() == read_out
    page.keyboard.press("Tab")
    expect(on).to_be_focused()


def test_a_mark_goes_where_a_second_tap_is(page: Page) -> None:
    mark = page.get_by_label("Batches seen", exact=True)
    press(mark, "Home")
    mark.blur()
    mark.scroll_into_view_if_needed()
    box = mark.bounding_box()
    assert box
    for x in (13, box["width"] - 13):
        mark.tap(position={"x": x, "y": 13})
    expect(mark).to_have_value("60")


def test_a_mark_of_a_number_line_is_chosen_by_a_tap(page: Page) -> None:
    bits = page.locator(".qb-float-bits")
    typed("Number", "0.3")(bits)
    label = (
        "Number line of its neighbours, 13 numbers of E4M3FN from 0.1875 to 0.5; the dot lies at"
    )
    picture = bits.get_by_role("img", name=f"{label} 0.3125.")
    line = picture.locator("[data-tap]")
    line.hover()
    page.mouse.down()
    page.mouse.move(0, 5, steps=3)
    page.mouse.up()  # a drag is none: the line would run away under the hand
    expect(picture).to_have_count(1)
    line.tap(position={"x": 2, "y": 30})
    expect(bits.locator("output")).to_contain_text("Code 0x24 of E4M3FN is 0.1875")


def test_the_ends_of_a_number_line_are_not_cut_off(page: Page) -> None:
    bits = page.locator(".qb-float-bits")
    typed("Number", "0.001953125")(bits)
    for words in ("−0.009765625", "0.013671875"):
        end = bits.locator("svg text", has_text=words)
        expect(end).to_have_count(1)
        inside = "(text) => { const [a, b] = [text, text.closest('.qb-widget')].map((e) => "
        inside += "e.getBoundingClientRect()); return a.left >= b.left && a.right <= b.right; }"
        assert end.evaluate(inside)


def test_a_slider_stays_under_the_finger(page: Page) -> None:
    stream = page.locator(".qb-stream")
    stream.get_by_label("Observer", exact=True).select_option("moving_average")
    constant = stream.get_by_label("Averaging constant", exact=True)
    constant.fill("0")
    before = constant.bounding_box()
    constant.fill("6")
    assert constant.bounding_box() == before


def test_the_clock_goes_as_fast_as_one_chooses(page: Page) -> None:
    """A quarter of a second for a batch, and then a fourth of that."""
    stream = page.locator(".qb-stream")
    page.clock.install(time=0)
    page.clock.pause_at(1000)
    at("button", "Start over", "Space")(stream)
    at("button", "Play", "Space")(stream)
    page.clock.run_for(600)
    expect(stream.get_by_role("slider", name="Batches seen")).to_have_value("4")
    at("combobox", "Speed", "ArrowDown")(stream)
    page.clock.run_for(600)
    expect(stream.get_by_role("slider", name="Batches seen")).to_have_value("13")
    at("button", "Pause", "Space")(stream)
    page.clock.run_for(600)
    expect(stream.get_by_role("slider", name="Batches seen")).to_have_value("13")
