"""The tasks of widgets, as their pages open them, done with the keyboard alone on a narrow page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, expect

from tests.course.widgets.page import opener, write_entries
from tests.course.widgets.stored import entry
from tests.course.widgets.tasks import TASKS, Step, over

Shown = Callable[[str, str], Locator]


@pytest.fixture
def shown(browser: Browser, tmp_path: Path) -> Iterator[Shown]:
    """Yield a function that opens a page's widget of a class, alone."""
    with opener(browser) as open_page:

        def open_widget(page: str, kind: str) -> Locator:
            address = write_entries(tmp_path, {"model": entry(page, kind)})
            return open_page(address, width=390, has_touch=True).locator(".qb-widget")

        yield open_widget


def press(control: Locator, *keys: str) -> None:
    """Press keys where the focus is brought first."""
    control.focus()
    for key in keys:
        control.page.keyboard.press(key)


def do(widget: Locator, step: Step) -> None:
    """Press the keys of a step on its control."""
    role, name, keys = step
    press(widget.get_by_role(role, name=name, exact=True), *keys)


@pytest.mark.parametrize("opened", TASKS, ids=" ".join)
def test_the_task_is_done_with_the_keyboard_alone(shown: Shown, opened: tuple[str, str]) -> None:
    widget = shown(*opened)
    task = widget.locator(".qb-task b")
    for step in TASKS[opened]:
        expect(task).to_have_text("Your task:")
        do(widget, step)
    expect(task).to_have_text("✓ Done:")


def test_a_button_at_its_end_keeps_the_focus(shown: Shown) -> None:
    steps = shown("language/weights", "GPTQSteps")
    page = steps.page
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


def test_a_mark_goes_where_a_second_tap_is(shown: Shown) -> None:
    mark = shown("calibration/observers", "ObserverStream").get_by_label("Batches seen", exact=True)
    press(mark, "Home")
    mark.blur()
    mark.scroll_into_view_if_needed()
    box = mark.bounding_box()
    assert box
    for x in (13, box["width"] - 13):
        mark.tap(position={"x": x, "y": 13})
    expect(mark).to_have_value("60")


def test_a_mark_of_a_number_line_is_chosen_by_a_tap(shown: Shown) -> None:
    bits = shown("formats/float8_and_microscaling", "FloatBits")
    do(bits, ("spinbutton", "Number", over("0.3")))
    label = (
        "Number line of its neighbours, 13 numbers of E4M3FN from 0.1875 to 0.5; the dot lies at"
    )
    picture = bits.get_by_role("img", name=f"{label} 0.3125.")
    line = picture.locator("[data-tap]")
    line.hover()
    mouse = bits.page.mouse
    mouse.down()
    mouse.move(0, 5, steps=3)
    mouse.up()  # a drag is none: the line would run away under the hand
    expect(picture).to_have_count(1)
    line.tap(position={"x": 2, "y": 30})
    expect(bits.locator("output")).to_contain_text("Code 0x24 of E4M3FN is 0.1875")


def test_the_ends_of_a_number_line_are_not_cut_off(shown: Shown) -> None:
    bits = shown("formats/float8_and_microscaling", "FloatBits")
    do(bits, ("spinbutton", "Number", over("0.001953125")))
    for words in ("−0.009765625", "0.013671875"):
        end = bits.locator("svg text", has_text=words)
        expect(end).to_have_count(1)
        inside = "(text) => { const [a, b] = [text, text.closest('.qb-widget')].map((e) => "
        inside += "e.getBoundingClientRect()); return a.left >= b.left && a.right <= b.right; }"
        assert end.evaluate(inside)


def test_a_slider_stays_under_the_finger(shown: Shown) -> None:
    stream = shown("calibration/observers", "ObserverStream")
    stream.get_by_label("Observer", exact=True).select_option("moving_average")
    constant = stream.get_by_label("Averaging constant", exact=True)
    constant.fill("0")
    before = constant.bounding_box()
    constant.fill("6")
    assert constant.bounding_box() == before


def test_the_clock_goes_as_fast_as_one_chooses(shown: Shown) -> None:
    """A quarter of a second for a batch, and then a fourth of that."""
    stream = shown("calibration/observers", "ObserverStream")
    clock = stream.page.clock
    clock.install(time=0)
    clock.pause_at(1000)
    do(stream, ("button", "Start over", ["Space"]))
    do(stream, ("button", "Play", ["Space"]))
    clock.run_for(600)
    expect(stream.get_by_role("slider", name="Batches seen")).to_have_value("4")
    do(stream, ("combobox", "Speed", ["ArrowDown"]))
    clock.run_for(600)
    expect(stream.get_by_role("slider", name="Batches seen")).to_have_value("13")
    do(stream, ("button", "Pause", ["Space"]))
    clock.run_for(600)
    expect(stream.get_by_role("slider", name="Batches seen")).to_have_value("13")
