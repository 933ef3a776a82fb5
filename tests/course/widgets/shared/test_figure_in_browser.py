"""The shared part in a browser: drawn before any script, moved by every hand, and accessible."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from qlearn.course.widgets import Saturation
from site_checks.axe import axe_script
from tests.course.widgets.page import DARK, Open, opener, write_page
from tests.course.widgets.shared.toy import Toy

VIOLATIONS = "axe.run().then(({ violations }) => violations.map(({ help, nodes }) => help + nodes))"


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    return write_page(tmp_path_factory.mktemp("page"), Toy(), Saturation())


@pytest.fixture
def opened(browser: Browser, address: str) -> Iterator[Open]:
    """Return a function that opens the page, taken over unless JavaScript is off."""
    with opener(browser, height=1400) as open_page:
        yield partial(open_page, address)


def field(page: Page, label: str) -> Locator:
    return page.get_by_label(label, exact=True)


def read_out(page: Page) -> Locator:
    return page.locator(".qb-toy output")


def thumb(handle: Locator, upright: bool = False) -> tuple[float, float]:
    """Return where the middle of the thumb is on the page."""
    return handle.evaluate(
        """(input, upright) => {
          const { x, y, width, height } = input.getBoundingClientRect();
          const share = (input.value - input.min) / (input.max - input.min);
          return upright ? [x + width / 2, y + 13 + (1 - share) * (height - 26)]
            : [x + 13 + share * (width - 26), y + height / 2];
        }""",
        upright,
    )


def drag(page: Page, start: tuple[float, float], right: float, down: float) -> None:
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(start[0] + right, start[1] + down, steps=4)
    page.mouse.up()


@pytest.mark.parametrize("width", [390, 1280])
def test_the_script_takes_the_picture_over_without_a_jump(opened: Open, width: int) -> None:
    before, after = opened(width, java_script_enabled=False), opened(width)
    assert after.locator("a.qb-link").first.is_visible()  # which only a script can make
    after.add_style_tag(content=".qb-widget .qb-link { visibility: hidden }")
    assert before.screenshot() == after.screenshot()
    main = before.locator("main").aria_snapshot()
    assert main == after.locator("main").aria_snapshot()


def test_fields_change_the_state(opened: Open) -> None:
    page = opened()
    field(page, "Bits").press("ArrowRight")
    field(page, "Scheme").select_option("affine")
    expect(read_out(page)).to_have_text("Scale 0.25 Bits 5 Scheme affine Ticks 0 ")
    areas = page.locator(".qb-toy [fill-opacity]")
    before = areas.count()
    field(page, "Show what is clipped").uncheck()
    assert areas.count() < before


def test_a_number_counts_while_it_is_one_and_stays_as_it_is_typed(opened: Open) -> None:
    page = opened()
    scale = field(page, "Scale")
    scale.press("Control+a")
    scale.press_sequentially("0.050")
    assert scale.evaluate("input => input.value") == "0.050"
    expect(read_out(page)).to_contain_text("Scale 0.05 ")
    scale.press_sequentially("e9")
    expect(scale).to_have_attribute("aria-invalid", "true")
    expect(read_out(page)).to_contain_text("Scale 0.05 ")


def test_text_stays_text_letter_by_letter(opened: Open) -> None:
    page = opened()
    note, row = field(page, "Note"), page.locator(".qb-toy tbody tr")
    note.press("End")
    note.press_sequentially("0.0")
    expect(row).to_have_text("Note10.0")
    expect(note).to_have_value("10.0")
    note.fill("")
    expect(note).to_have_attribute("aria-invalid", "true")


def test_columns_stand_side_by_side_where_there_is_room(opened: Open) -> None:
    for width, beside in ((1280, True), (390, False)):
        page = opened(width)
        table, note = page.locator(".qb-toy table"), field(page, "Note")
        assert (note.bounding_box()["x"] > table.bounding_box()["x"] + 200) is beside


def test_a_handle_is_dragged_and_answers_keys(opened: Open) -> None:
    page = opened()
    end = field(page, "Right end")
    drag(page, thumb(end), -100, 0)
    dragged = float(end.input_value())
    [width] = page.locator(".qb-toy .qb-stage").evaluate_all("all => all.map((e) => e.clientWidth)")
    assert dragged == pytest.approx(1.75 - 100 * 8 / width, abs=0.06)
    end.press("ArrowRight")
    assert float(end.input_value()) == pytest.approx(dragged + 0.05)


def test_an_upright_handle_goes_upwards(opened: Open) -> None:
    page = opened()
    weight = field(page, "Weight 2")
    drag(page, thumb(weight, upright=True), 0, 140)
    assert float(weight.input_value()) == pytest.approx(0, abs=2)
    lower = float(weight.input_value())
    weight.press("ArrowUp")
    assert float(weight.input_value()) == lower + 1


def test_an_area_is_clicked(opened: Open) -> None:
    page = opened()
    page.locator("[data-area]").click(position={"x": 1, "y": 279})
    expect(page.locator(".qb-saturation output")).to_contain_text("Products −32")


def test_a_clock_ticks_until_the_state_stops_it(opened: Open) -> None:
    page = opened()
    page.get_by_role("button", name="Play").click()
    expect(read_out(page)).to_contain_text("Ticks 3")
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    expect(read_out(page)).to_have_attribute("aria-live", "polite")


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_accessible_and_within_the_page(opened: Open, width: int, dark: bool) -> None:
    page = opened(width)
    if dark:
        page.evaluate(DARK)
    page.evaluate(axe_script())
    assert page.evaluate(VIOLATIONS) == []
    assert page.evaluate("document.documentElement.scrollWidth") == width
