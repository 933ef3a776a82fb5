"""The chapters' questions in a browser: by keyboard, by touch, in print, and in each storage."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import nbformat
import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

from notebook_pipeline.cells import QUESTION
from notebook_pipeline.outputs import WIDGET_STATE
from qlearn.course.question.texts import as_text
from site_checks.axe import axe_script
from tests.book.scale_and_zero_point_answers import ADD, CLAMP, DIVIDE, PIXELS, RELU, ROUND
from tests.book.test_questions import TABLES, asked_on, text_of
from tests.course.widgets.page import DARK, DRAWN, Open, opener, write_entries
from tests.course.widgets.shared.test_figure_in_browser import VIOLATIONS

BOOK = Path(__file__).parents[3] / "book"
PAGE = "scale_and_zero_point"
ASKED = {name: asked for page in TABLES for name, (_, asked) in asked_on(page).items()}
KEY = "quantization-bit-by-bit"
NO_STORAGE = "Object.defineProperty(window, 'localStorage', { get() { throw new Error('none'); } })"


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], str]:
    """Return a function that writes a page of the questions that a chapter's notebook stores."""

    @cache
    def written(name: str) -> str:
        [path] = BOOK.rglob(f"{name}.ipynb")
        widgets = nbformat.read(path, as_version=4).metadata.widgets[WIDGET_STATE]
        entries = {
            key: model | {"buffers": []}
            for key, model in widgets["state"].items()
            if model["state"].get("_anywidget_id") == QUESTION
        }
        return write_entries(tmp_path_factory.mktemp("page"), entries)

    return written


@pytest.fixture
def opened(browser: Browser, address: Callable[[str], str]) -> Iterator[Open]:
    """Return a function that opens a page, taken over unless JavaScript is off."""
    with opener(browser) as open_page:
        yield lambda chapter=PAGE, **options: open_page(address(chapter), **options)


@pytest.fixture(scope="module")
def visit(browser: Browser) -> Iterator[BrowserContext]:
    """Begin a visit for the rows of the table: a tab more takes less time than a visit more."""
    with browser.new_context(viewport={"width": 1280, "height": 900}) as context:
        context.new_page()  # which stays: without a tab, Chromium clears all away, and begins anew
        yield context


def shown(text: str) -> str:
    """Return the text as the page has it: formulas as they are read, and code without its ticks."""
    return as_text(text).replace("`", "")


def question(page: Page, name: str) -> Locator:
    return page.locator(".qb-question", has_text=shown(ASKED[name]["ask"]))


def keys(page: Page, *names: str) -> None:
    for name in names:
        page.keyboard.press(name)


def fill_in(asked: Locator, text: str) -> None:
    asked.get_by_role("textbox").fill(text)
    keys(asked.page, "Enter")


def move_to(asked: Locator, place: float, line: dict[str, float]) -> None:
    """Move the point from the start of its line, step by step."""
    asked.get_by_role("slider").press("Home")
    for _ in range(round((place - line["start"]) / line["step"])):
        keys(asked.page, "ArrowRight")
    keys(asked.page, "Tab", "Enter")


def choose_one(asked: Locator, option: str) -> None:
    asked.get_by_role("radio").first.focus()
    keys(asked.page, "Space")
    while not asked.get_by_label(option, exact=True).is_checked():
        keys(asked.page, "ArrowDown")
    keys(asked.page, "Enter")


def choose_any(asked: Locator, options: list[str]) -> None:
    """Check these boxes, and no others, on the way through all of them."""
    asked.get_by_role("checkbox").first.focus()
    for box in asked.get_by_role("checkbox").all():
        if (box.locator("xpath=..").inner_text().strip() in options) != box.is_checked():
            keys(asked.page, "Space")
        keys(asked.page, "Tab")
    keys(asked.page, "Enter")


def put_in_order(asked: Locator, steps: list[str]) -> None:
    """Take back the steps of an earlier answer, and take these."""
    taken = asked.locator("[aria-pressed=true]")
    while taken.count():
        taken.first.press("Enter")
    for step in [*steps, "Check"]:
        asked.get_by_role("button", name=step).press("Enter")


def answer(page: Page, name: str, given: str | tuple[str, ...]) -> Locator:
    """Answer with the keyboard alone, from the question's first control on; return what is said."""
    asked, state = question(page, name), ASKED[name]
    options = [] if isinstance(given, str) else [shown(option) for option in given]
    match state["kind"]:
        case "number" | "codes":
            fill_in(asked, given)
        case "place":
            move_to(asked, float(given), state["line"])
        case "one_of":
            choose_one(asked, *options)
        case "any_of":
            choose_any(asked, options)
        case "order":
            put_in_order(asked, options)
    return asked.get_by_role("status")


# What a page says to rows of answers, each given to the question with these words. Filled in from
# within: a key from outside takes longer than all of this, and keys have tests of their own.
# Options and steps are given by their places, as the page has them in its values. A question is
# drawn anew with the next frame, so all are answered at once, each with its own rows in turn.
SAID = """async (rows) => {
  const frame = () => new Promise(requestAnimationFrame);
  const words = (element) => element.textContent.replace(/\\s+/g, " ").trim();
  const all = [...document.querySelectorAll(".qb-question")];
  const press = async (element) => { element.click(); await frame(); };
  const answered = async (asked, kind, given) => {
    const places = given.split(" ");
    const options = [...asked.querySelectorAll("ul button, .qb-option input")];
    if (kind === "order") {
      for (const step of options.filter((each) => each.ariaPressed === "true")) await press(step);
      for (const place of places) await press(options.find(({ value }) => value === place));
    } else if (options.length) {
      const wanted = (option) => places.includes(option.value);
      for (const option of options)
        if (wanted(option) !== option.checked && (kind === "any_of" || wanted(option)))
          await press(option);
    } else {
      const field = asked.querySelector("form input");
      field.value = given;
      field.dispatchEvent(new Event("input", { bubbles: true }));
      await frame();
    }
    await press(asked.querySelector("form button:not([type=button])"));
    return words(asked.querySelector("output"));
  };
  const last = new Map();
  return Promise.all(rows.map(([ask, kind, given]) => {
    const asked = all.find((each) => words(each).includes(ask));
    const said = Promise.resolve(last.get(asked)).then(() => answered(asked, kind, given));
    last.set(asked, said);
    return said;
  }));
}"""


RIGHT = [
    ("affine-code", "78,0"),
    ("code-of-zero", "– 2 680"),
    ("codes-of-row-7", " 3 "),
    ("half-unused", (RELU, PIXELS)),
    ("four-bits-by-hand", "4/15; −4; −2"),
    ("order-of-steps", (DIVIDE, ROUND, ADD, CLAMP)),
    ("place-of-a-mark", "-2.25"),
    ("worst-row", ("Nothing: it can be far worse.",)),
]


@pytest.mark.parametrize("chapter", TABLES)
def test_the_table_of_wrong_answers(
    visit: BrowserContext, address: Callable[[str], str], chapter: str
) -> None:
    page = visit.new_page()
    page.add_init_script("localStorage.clear()")  # the page finds nothing of the row before
    page.goto(address(chapter))
    page.wait_for_function(DRAWN)
    asked = {name: state for name, (_, state) in asked_on(chapter).items()}
    rows = [
        (shown(asked[name]["ask"]), asked[name]["kind"], text_of(asked[name], given))
        for name, given, _ in TABLES[chapter]
    ]
    told = list(zip(TABLES[chapter], page.evaluate(SAID, rows), strict=True))
    # A part may hold half of a pair of ticks.
    missing = [(*row, said) for row, said in told if row[2].replace("`", "") not in said]
    assert missing == [] and [row for row, said in told if "✓ Right." in said] == []
    page.close()


def test_right_answers_are_kept(opened: Open) -> None:
    page = opened()
    for name, given in RIGHT:
        expect(answer(page, name, given)).to_contain_text("✓ Right.")
    page.reload()
    page.wait_for_function(DRAWN)
    for name, _ in RIGHT:
        expect(question(page, name)).to_contain_text("You have solved this before.")
    expect(question(page, "three-codes")).not_to_contain_text("solved this before")


def test_the_hint_comes_with_the_second_and_the_solution_with_the_third(opened: Open) -> None:
    page = opened()
    solution = question(page, "affine-code").get_by_text("Solution", exact=True)
    for given in ("57", "57", "abc", ""):  # one wrong answer, and three that are none or the same
        expect(answer(page, "affine-code", given)).not_to_contain_text("Hint.")
    expect(answer(page, "affine-code", "49")).to_contain_text("Hint.")
    expect(solution).to_be_hidden()
    answer(page, "affine-code", "79")
    solution.focus()
    keys(page, "Enter")
    expect(question(page, "affine-code").get_by_text("78.", exact=True)).to_be_visible()


def test_the_try_that_unlocks_the_solution_says_so_once(opened: Open) -> None:
    page = opened()
    news = "You can open the solution below."
    for given in ("57", "49"):
        expect(answer(page, "affine-code", given)).to_contain_text(f"Not {given}.")
        expect(answer(page, "affine-code", given)).not_to_contain_text(news)
    expect(answer(page, "affine-code", "79")).to_contain_text(news)
    for given in ("79", "abc", "80", "78"):
        expect(answer(page, "affine-code", given)).not_to_contain_text(news)
    expect(answer(page, "codes-of-row-7", "3")).to_contain_text(news)
    expect(answer(page, "codes-of-row-7", "3")).not_to_contain_text(news)


def test_a_finger_places_a_mark_and_an_order(opened: Open) -> None:
    page = opened(width=390, has_touch=True)
    place = question(page, "place-of-a-mark")
    line = place.locator("[data-area]")
    line.tap(position={"x": line.bounding_box()["width"] * (3 - 2.232) / 6, "y": 30})
    place.get_by_role("button", name="Check").tap()
    expect(place.get_by_role("status")).to_contain_text("✓ Right.")
    order = question(page, "order-of-steps")
    for step in (ROUND, DIVIDE, ROUND, ROUND, ADD, CLAMP):  # round is taken back, and comes after
        order.get_by_role("button", name=step).tap()
    order.get_by_role("button", name="Check").tap()
    expect(order.get_by_role("status")).to_contain_text("✓ Right.")
    small = page.locator(".qb-question :is(button, summary, .qb-option, input:not([type=range]))")
    for box in (each.bounding_box() for each in small.filter(visible=True).all()):
        assert box["height"] >= 24 or box["width"] < 24  # a small box, in a label that is not


def test_a_broken_record_or_none_changes_nothing(opened: Open) -> None:
    page = opened()
    for record in ("{", "5", '{"solved": {"affine-code": false}}'):  # the last is an older one
        page.evaluate("([key, record]) => { localStorage[key] = record }", [KEY, record])
        page.reload()
        page.wait_for_function(DRAWN)
        expect(question(page, "affine-code")).not_to_contain_text("solved this before")
        expect(answer(page, "affine-code", "78")).to_contain_text("✓ Right.")
        assert page.evaluate(f"JSON.parse(localStorage['{KEY}']).solved") == ["affine-code"]
    page.add_init_script(NO_STORAGE)
    page.reload()
    page.wait_for_function(DRAWN)
    expect(answer(page, "affine-code", "78")).to_contain_text("✓ Right.")


def test_without_script_and_on_paper_it_is_read(opened: Open) -> None:
    still = question(opened(java_script_enabled=False), "half-unused")
    expect(still.get_by_text(RELU, exact=True)).to_be_visible()
    expect(still.get_by_role("button")).to_have_count(0)
    still.get_by_text("Solution").click()
    expect(still.get_by_text("outputs of a ReLU; pixel values")).to_be_visible()
    page = opened()
    page.emulate_media(media="print")
    expect(question(page, "affine-code").get_by_text("78.", exact=True)).to_be_visible()
    expect(question(page, "affine-code").get_by_role("textbox")).to_be_hidden()


@pytest.mark.parametrize("width", [390, 1280])
def test_accessible_and_within_the_page(opened: Open, width: int) -> None:
    page = opened(width=width)
    if width == 390:
        page.evaluate(DARK)
    for name, given in (("affine-code", "57"), ("four-bits-by-hand", "x"), *RIGHT[3:7:3]):
        answer(page, name, given)
    page.evaluate(axe_script())
    assert page.evaluate(VIOLATIONS) == []
    assert page.evaluate("document.documentElement.scrollWidth") == width


def test_the_script_takes_the_question_over_without_a_jump(opened: Open) -> None:
    before, after = opened(java_script_enabled=False), opened()
    for name in ("affine-code", "order-of-steps", "place-of-a-mark"):
        assert question(before, name).inner_html() == question(after, name).inner_html()
