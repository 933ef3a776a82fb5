"""The shared part in a browser: drawn before any script, moved by every hand, and accessible."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
import torch
from playwright.sync_api import Browser, Locator, Page, expect

from qlearn.course.widgets import DynamicLinear, Requantizer, Saturation
from site_builder import widgets as builder
from site_checks.axe import axe_script
from tests.course.widgets.page import DARK, Open, opener, write_page
from tests.course.widgets.shared.toy import Toy

HOST_STYLE = Path(builder.__file__).parent / "static" / "book.css"
RING = 4  # pixels that the ring of what has the focus reaches beyond it
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


WITH_TEXT = """async (result, text) => {
  result.firstChild.textContent = text;
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  return result.getBoundingClientRect().height;
}"""


def test_nothing_jumps_when_a_result_has_a_line_less(opened: Open) -> None:
    page = opened()
    result = read_out(page)
    long = result.evaluate(WITH_TEXT, "long " * 60)
    assert result.evaluate(WITH_TEXT, "short") < long / 2
    field(page, "Bits").press("ArrowRight")  # and the figure is drawn again
    assert result.evaluate(WITH_TEXT, "short") == long
    page.set_viewport_size({"width": 700, "height": 1400})  # where the lines break elsewhere
    expect(result).to_have_css("min-height", "0px")


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
    assert scale.evaluate("input => input.value") == "0.050e9"


def typed_over(number: Locator, keys: str) -> None:
    """Type over what stands there; over BiDi Firefox's `fill` adds to it."""
    number.press("ControlOrMeta+a")
    number.press("Delete")
    number.press_sequentially(keys)


def test_a_number_that_does_not_count_is_said_until_its_field_is_right(opened: Open) -> None:
    page = opened()
    scale, result = field(page, "Scale"), read_out(page)
    rule = "has to be a number from 0.01 to 2. Until you type one, 0.25 counts."
    for keys, matter in (("0.001", "0.001"), ("-3", "−3"), ("", "empty"), ("e", "no number")):
        typed_over(scale, keys)
        expect(result).to_have_text(f"Scale is {matter}, but {rule}")
    scale.press("Tab")
    expect(result).to_contain_text(rule)
    scale.press("Escape")
    expect(scale).to_have_value("0.25")
    expect(result).to_contain_text("Scale 0.25 ")
    typed_over(scale, "7")
    field(page, "Bits").press("ArrowRight")
    expect(scale).to_have_value("0.25")  # as it counts for the picture that is drawn now
    expect(result).to_contain_text("Scale 0.25 Bits 5")


def luminance(colour: str) -> float:
    """Return the relative luminance of an opaque colour, as WCAG has it."""
    rgb = [int(part) / 255 for part in re.findall(r"\d+", colour)]
    assert len(rgb) == 3, f"{colour} is not opaque"
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in rgb]
    return sum(share * c for share, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize("page_colour", ["rgb(255, 255, 255)", "rgb(18, 18, 18)"])
def test_a_field_has_a_frame_that_is_seen(
    browser: Browser, tmp_path: Path, page_colour: str
) -> None:
    layer = DynamicLinear(torch.eye(2), torch.eye(2), torch.zeros(2))
    with opener(browser) as open_page:
        page = open_page(write_page(tmp_path, Toy(), layer))
        if page_colour != "rgb(255, 255, 255)":
            page.evaluate(DARK)
        fields = page.locator("input:is([type=number], [type=text])")
        frames = fields.evaluate_all(
            """all => all.map((input) => getComputedStyle(input)).map((style) =>
              [style.borderBottomWidth, style.borderBottomColor])"""
        )
    assert len(frames) == 12 and {width for width, _ in frames} == {"1px"}
    for _, colour in frames:
        pair = sorted([luminance(colour), luminance(page_colour)])
        assert (pair[1] + 0.05) / (pair[0] + 0.05) >= 3


def test_a_large_whole_number_follows_its_handle_exactly(browser: Browser, tmp_path: Path) -> None:
    """In float32 these two are one number."""
    with opener(browser) as open_page:
        page = open_page(write_page(tmp_path, Requantizer(50_000_001, x_scale=0.001)))
        typed, handle = page.get_by_label("Sum", exact=True).all()
        assert typed.input_value() == "50000001"
        typed_over(typed, "50000000")
        assert handle.input_value() == "50000000"
        handle.evaluate(
            """handle => {
              handle.value = 49999998;
              handle.dispatchEvent(new Event("input", { bubbles: true }));
            }"""
        )
        assert typed.input_value() == handle.input_value() != "50000000"


def test_a_number_may_be_written_as_elsewhere(opened: Open) -> None:
    page = opened()
    scale = field(page, "Scale")
    typed_over(scale, "0,5")
    expect(scale).to_have_value("0.5")
    note = field(page, "Note")
    note.fill("−1")  # as pages print it
    for control, keys in ((note, "ac"), (scale, "av")):
        for key in keys:
            control.press(f"ControlOrMeta+{key}")
    expect(scale).to_have_value("-1")
    expect(read_out(page)).to_contain_text("Scale is −1, but")


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


def test_a_sign_beside_the_title_says_that_a_task_is_done(opened: Open) -> None:
    page = opened(390)
    saturation = page.locator(".qb-saturation")
    sign = saturation.locator(".qb-title b span")
    assert not sign.is_visible()
    before = saturation.locator(".qb-stage").first.bounding_box()
    for activation in ("Activation 1", "Activation 2"):
        field(page, activation).fill("121")
    assert sign.is_visible()
    assert saturation.locator(".qb-stage").first.bounding_box() == before
    assert page.locator("main").aria_snapshot().count("Done") == 1


@pytest.mark.parametrize("width", [390, 1280])
def test_no_ring_around_the_focus_is_cut_off(opened: Open, width: int) -> None:
    """On the site a widget's place may scroll, and so cuts off what leaves it."""
    page = opened(width)
    page.add_style_tag(path=HOST_STYLE)
    inside = """([host, ring]) => {
      const place = host.getBoundingClientRect();
      const cut = (each) => {
        const { left, right } = each.getBoundingClientRect();
        return left - ring < place.left - 0.1 || right + ring > place.right + 0.1;
      };
      const controls = [...host.querySelectorAll(".qb-widget :is(a, button, input, select)")];
      return [controls.length, controls.filter(cut).map((each) => each.outerHTML)];
    }"""
    for host in page.locator(".qb-widget-host").element_handles():
        count, cut = page.evaluate(inside, [host, RING])
        assert count > 4 and cut == []


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_accessible_and_within_the_page(opened: Open, width: int, dark: bool) -> None:
    page = opened(width)
    if dark:
        page.evaluate(DARK)
    page.evaluate(axe_script())
    assert page.evaluate(VIOLATIONS) == []
    assert page.evaluate("document.documentElement.scrollWidth") == width


def test_no_move_of_the_pointer_is_an_error(opened: Open) -> None:
    page = opened()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    box = page.locator(".qb-toy").bounding_box()
    assert box is not None
    page.mouse.move(box["x"], box["y"])
    page.mouse.move(box["x"] + box["width"], box["y"] + box["height"], steps=20)
    drag(page, (box["x"] + 20, box["y"] + 20), 80, 40)
    drag(page, thumb(field(page, "Bits")), 30, 0)
    assert errors == []


def test_a_press_outside_of_an_area_selects_text_and_moves_nothing(opened: Open) -> None:
    page = opened(1280)
    area, shown = page.locator(".qb-saturation [data-area]").first, page.locator(".qb-saturation")
    area.scroll_into_view_if_needed()
    box = area.bounding_box()
    middle = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    before = shown.locator("output").inner_text()
    page.mouse.move(middle[0], box["y"] + box["height"] + 60)
    page.mouse.down()
    page.mouse.move(*middle, steps=4)
    page.mouse.up()
    assert shown.locator("output").inner_text() == before
    drag(page, middle, 20, 20)
    assert shown.locator("output").inner_text() != before


def test_a_click_by_a_key_has_no_place_in_an_area(opened: Open) -> None:
    page = opened(1280)
    area, shown = page.locator(".qb-saturation [data-area]").first, page.locator(".qb-saturation")
    before = shown.locator("output").inner_text()
    area.evaluate("area => area.dispatchEvent(new MouseEvent('click', { bubbles: true }))")
    assert shown.locator("output").inner_text() == before
    area.click()
    assert shown.locator("output").inner_text() != before


def test_a_press_beside_an_area_moves_nothing_after_a_press_in_it(opened: Open) -> None:
    page = opened(1280)
    area, shown = page.locator(".qb-saturation [data-area]").first, page.locator(".qb-saturation")
    area.click()
    box, before = area.bounding_box(), shown.locator("output").inner_text()
    page.mouse.move(5, 5)
    page.mouse.down()
    page.mouse.move(box["x"] + 3, box["y"] + 3, steps=4)
    page.mouse.move(box["x"] + box["width"] - 3, box["y"] + box["height"] - 3, steps=4)
    page.mouse.up()
    assert shown.locator("output").inner_text() == before
