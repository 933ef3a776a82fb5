"""Which slides a page becomes, what stands on them, and which page is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from qlearn.course.question import Question
from tests.workshop.slides.pages import HOST, NAME, cell, section, write_page
from workshop.slides.page import NoSlideError, read_page
from workshop.slides.plan import REPEATED, slides_of
from workshop.slides.prose import text_of
from workshop.slides.slide import Slide

MODELS = {
    "w": {"class": "Quantizer.1", "state": {}},
    "q": {
        "class": "Question.1",
        "state": Question(
            "a-code", "Which?", codes=78, because="21 + 57.", wrong={57: "Add 21."}, hint="From 0?"
        ).get_state(),
    },
}


def slides(tmp_path: Path, *content: str) -> list[Slide]:
    return slides_of(read_page(write_page(tmp_path, *content, models=MODELS), NAME))


def roles(slide: Slide) -> list[str]:
    return [part.role for part in slide.parts]


def shown(slide: Slide) -> str:
    return " ".join(text_of(part.markup) for part in slide.parts)


def test_the_title_has_the_goal_and_the_opening_comes_next(tmp_path: Path) -> None:
    goal, opening = "<p>After this chapter you can read it.</p>", "<p>It lost. Why so many?</p>"
    title, story = slides(tmp_path, goal, opening)
    assert (title.heading, title.kind) == ("Title", "title")
    assert shown(title) == "After this chapter you can read it." == text_of(title.notes[0])
    assert shown(story) == "It lost.Why so many?"


def test_a_goal_may_be_a_list_and_a_page_may_have_none(tmp_path: Path) -> None:
    goal = "<p>After this chapter you can</p><ul><li>read.</li><li>write.</li></ul>"
    title, story = slides(tmp_path, "<p>It lost.</p>", goal)
    assert roles(title) == ["goal", "bullets"] and shown(title).endswith("read.write.")
    assert shown(story) == "It lost."
    title, story = slides(tmp_path / "none", "<p>It lost.</p>")
    assert (title.parts, shown(story)) == ([], "It lost.")


def test_code_stands_between_its_paragraphs(tmp_path: Path) -> None:
    prose = "<p>It prints.</p>", "<p>One came. It is a number.</p>"
    _, slide = slides(tmp_path, section("a", prose[0], cell("print(1)", "1"), prose[1]))
    assert roles(slide) == ["lead", "code", "printed", "after"]
    assert [text_of(note) for note in slide.notes] == ["It prints.", "One came. It is a number."]


def test_a_slide_without_notes_repeats_those_before_it(tmp_path: Path) -> None:
    question = cell(result=HOST.format("q"))
    _, asked, *rest = slides(
        tmp_path,
        section("a", question, cell("1"), cell("2"), "<p>It is so.</p>"),
        section("b", cell("3")),
    )
    assert "21 + 57." in " ".join(asked.notes)
    assert [slide.notes[0] for slide in rest[:1]] == [REPEATED]
    assert rest[0].notes[1:] == asked.notes, "what was asked is answered there"
    assert [text_of(note) for note in rest[1].notes] == ["It is so."]
    assert not rest[2].notes, "another section"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("First. Here is one:", "First. Here is one:"),
        (f"First. {'Long ' * 60}. Here is one:", "Here is one:"),
        (f"{'Long ' * 60}. It has more. Here is one:", "Here is one:"),
        (f"{'Long ' * 60}. Numbers have more. Here is one:", "Numbers have more. Here is one:"),
        (f"First. {'Long ' * 60}. It ends.", "First."),
    ],
)
@pytest.mark.parametrize(
    "shown_below",
    [cell("print(1)", "1"), "<table><tr><td>1</td></tr></table>", "<figure></figure>"],
)
def test_a_sentence_with_a_colon_leads_to_what_it_introduces(
    text: str, wanted: str, shown_below: str, tmp_path: Path
) -> None:
    _, slide = slides(tmp_path, section("a", f"<p>{text}</p>", shown_below))
    assert (slide.parts[0].role, text_of(slide.parts[0].markup)) == ("lead", wanted)
    assert text_of(slide.notes[0]) == text


def test_a_list_stands_below_the_sentence_that_introduces_it(tmp_path: Path) -> None:
    text = f"<p>First. {'Long ' * 90}. There are two:</p><ul><li>A.</li><li>B.</li></ul>"
    _, slide = slides(tmp_path, section("a", text))
    assert shown(slide) == "There are two:A.B."


def test_a_lead_becomes_shorter_where_there_is_little_room(tmp_path: Path) -> None:
    code = "\n".join(f"a{at} = {at}" for at in range(18))
    text = f"<p>{'It was long. ' * 15}Here it is:</p>"
    _, slide = slides(tmp_path, section("a", text, cell(code)))
    assert roles(slide) == ["lead", "code"]
    assert text_of(slide.parts[0].markup) == "Here it is:"


def test_what_readers_without_javascript_see_is_left_out(tmp_path: Path) -> None:
    without = "<noscript><p>It stands still.</p></noscript>"
    content = cell("Quantizer(x)", result=without + HOST.format("w"))
    _, *found = slides(tmp_path, section("a", without, "<p>Try it.</p>", content))
    assert [shown(slide) for slide in found] == ["Try it.", ""]
    assert all("stands still" not in part.markup for slide in found for part in slide.parts)


def test_a_paragraph_about_a_folded_cell_is_in_the_notes_alone(tmp_path: Path) -> None:
    text = "<p>The folded cell has the imports. It is short.</p>"
    _, slide = slides(tmp_path, section("a", cell("print(1)", "1"), text))
    assert roles(slide) == ["code", "printed"]
    assert [text_of(note) for note in slide.notes] == [text_of(text)]


def test_nothing_announces_a_document_that_is_not_shown(tmp_path: Path) -> None:
    report = '<div class="output text_html"><h2>Report</h2></div>'
    content = cell("report = make()\nshow()\n\nreport", result=report), "<p>This is it.</p>"
    _, slide = slides(tmp_path, section("a", *content))
    assert roles(slide) == ["code"]
    assert [text_of(note) for note in slide.notes] == ["This is it."]


def test_several_paragraphs_become_points(tmp_path: Path) -> None:
    filler = "It goes on for long, and on, and on. " * 9
    text = "".join(f"<p>Point {at}. {filler}</p>" for at in range(4))
    _, slide = slides(tmp_path, section("a", text))
    assert slide.parts[0].markup.count("<li") == 4
    notes = " ".join(map(text_of, slide.notes))
    assert 0.5 * len(notes) < len(shown(slide)) < 0.8 * len(notes), "they leave some room"
    _, slide = slides(tmp_path / "short", section("a", text.replace(filler, filler[:150])))
    assert shown(slide) == "".join(map(text_of, slide.notes)), "nothing need be left out"


def test_more_points_than_fit_go_on_to_the_next_slide(tmp_path: Path) -> None:
    text = "".join(f"<p>Point {at} is {'very ' * 60} long.</p>" for at in range(12))
    first, *others = slides(tmp_path, section("a", text))[1:]
    assert others and all(slide.height <= slide.room for slide in (first, *others))
    assert sum(len(slide.notes) for slide in (first, *others)) == 12


def test_a_list_stays_with_the_words_before_it(tmp_path: Path) -> None:
    items = "".join(f"<li><p>Item {at}.</p></li>" for at in range(5))
    text = f"<p>A.</p><p>B.</p><p>C.</p><p>You can</p><ul>{items}</ul><p>D.</p>"
    found = [shown(slide) for slide in slides(tmp_path, section("a", text))[1:]]
    assert [text.split()[0] for text in found] == ["A.B.C.", "You", "D."]
    assert found[1].split()[-1] == "4."


def test_a_question_is_asked_and_its_answer_noted(tmp_path: Path) -> None:
    quiz = section("quiz", "<p>One question.</p>", cell(result=HOST.format("q")))
    _, slide = slides(tmp_path, quiz)
    assert (slide.kind, roles(slide)) == ("question", ["fill"])
    notes = " ".join(map(text_of, slide.notes))
    assert notes.startswith("One question. Answer: 78 21 + 57.")
    assert "57: Add 21." in notes and "Hint: From 0?" in notes


def test_a_widget_stands_without_its_call(tmp_path: Path) -> None:
    _, slide = slides(tmp_path, section("a", cell("Quantizer(x)", result=HOST.format("w"))))
    assert (slide.kind, roles(slide)) == ("widget", ["fill"])


def test_folded_checks_and_imports_are_left_out(tmp_path: Path) -> None:
    content = cell("import torch\nfrom qlearn import x"), cell("assert x", tags="tag_hide-cell")
    assert len(slides(tmp_path, section("a", *content))) == 1


VERDICT = '<div class="output text_html"><div class="qb-verdict">Not yet.</div></div>'


def exercise(*content: str) -> str:
    head = '<p class="admonition-title"><span class="caption-number">Exercise 7 </span></p>'
    inside = f"<section>{''.join(content)}</section>"
    return f'<div class="exercise admonition">{head}{inside}</div>'


def test_an_exercise_has_its_solution_in_the_notes(tmp_path: Path) -> None:
    begun = cell("def f():\n    ...\ncheck()", result=VERDICT)
    solution = f'<div class="solution admonition"><section>{cell("done()")}</section></div>'
    asked = exercise("<p>Do it. You see what the check says of the empty function:</p>", begun)
    _, slide = slides(tmp_path, section("exercises", asked, solution))
    assert slide.heading == "Exercise 7"
    assert shown(slide) == "Do it. def f(): ... check()"
    assert "done()" in " ".join(slide.notes)


@pytest.mark.parametrize(
    ("words", "kinds"),
    [
        ("By hand:", [["lead", "fill"]]),
        ("Build it. By hand first:", [["task"], ["lead", "fill"]]),
        ("Build it.", [["task"], ["fill"]]),
    ],
)
def test_what_introduces_a_guess_stands_above_it(
    words: str, kinds: list[list[str]], tmp_path: Path
) -> None:
    asked = exercise(f"<p>{words}</p>", cell(result=HOST.format("q")))
    found = slides(tmp_path, section("exercises", asked))[1:]
    assert [roles(slide) for slide in found] == kinds
    assert found[0].notes[0] == f"<p>{words}</p>"
    assert "Answer: 78" in " ".join(found[-1].notes)


def test_each_guess_has_its_own_introduction(tmp_path: Path) -> None:
    one, other = (cell(result=HOST.format("q")) for _ in range(2))
    asked = exercise("<p>First:</p>", one, "<p>Said.</p>", "<p>Then:</p>", other)
    found = slides(tmp_path, section("exercises", asked))[1:]
    assert [roles(slide) for slide in found] == [["task"], ["lead", "fill"], ["lead", "fill"]]
    assert ["First:" in shown(found[1]), "Then:" in shown(found[2])] == [True, True]


def test_an_exercise_shows_what_its_wrong_code_does(tmp_path: Path) -> None:
    wrong = cell("def f(): return 1\ncheck()", "off by 3", VERDICT)
    _, slide = slides(tmp_path, section("exercises", exercise("<p>Find the bug.</p>", wrong)))
    assert roles(slide) == ["task", "code", "printed", "verdict"]
    assert shown(slide).endswith("off by 3 Not yet.")


@pytest.mark.parametrize(
    ("lines", "wanted"),
    [
        (16, [["task", "code", "verdict"]]),
        (18, [["task"], ["code", "verdict"]]),
        (20, [["task"], ["code"], ["verdict"]]),
    ],
)
def test_a_verdict_stands_below_its_code_where_a_slide_has_room_for_both(
    lines: int, wanted: list[list[str]], tmp_path: Path
) -> None:
    wrong = cell("\n".join(f"a{at} = {at}" for at in range(lines)), "", VERDICT)
    found = slides(tmp_path, section("exercises", exercise("<p>Find it.</p>", wrong)))[1:]
    assert [roles(slide) for slide in found] == wanted


def test_long_code_is_cut_where_a_statement_begins(tmp_path: Path) -> None:
    code = "\n".join(f"def f{at}():\n    a\n    b\n    return c\n" for at in range(9))
    found = slides(tmp_path, section("a", cell(code)))[1:]
    assert len(found) > 1 and all(slide.height <= slide.room for slide in found)
    assert all("<pre>def f" in slide.parts[0].markup for slide in found)
    assert "".join(shown(slide) for slide in found).count("def") == 9


def test_a_long_table_goes_on_below_its_heads(tmp_path: Path) -> None:
    rows = "".join(f"<tr><td>row {at}</td> <td>{'word ' * 30}</td></tr>" for at in range(12))
    table = f"<table><thead><tr><th>name</th> <th>text</th> </tr></thead>{rows}</table>"
    found = slides(tmp_path, section("a", table))[1:]
    assert len(found) > 1 and all(slide.height <= slide.room for slide in found)
    assert all(shown(slide).startswith("name text row") for slide in found)
    counts = [slide.parts[0].markup.count("<tr>") - 1 for slide in found]
    assert sum(counts) == 12 and max(counts) - min(counts) <= 1


@pytest.mark.parametrize(("rows", "on_slides"), [(3, [True]), (20, [True, True]), (12, [False])])
def test_footnotes_stand_below_the_rows_or_in_the_notes(
    rows: int, on_slides: list[bool], tmp_path: Path
) -> None:
    table = f"<table>{'<tr><td>no (1)</td></tr>' * rows}</table>"
    output = f'<div class="output text_html">{table}<ol><li>It is <i>too</i> small.</li></ol></div>'
    found = slides(tmp_path, section("a", cell(result=output)))[1:]
    assert [roles(slide)[-1] == "footnotes" for slide in found] == on_slides
    assert all(slide.height <= slide.room for slide in found)
    assert all("<i>too</i>" in str(slide.notes) for slide in found if not any(on_slides))


@pytest.mark.parametrize(
    ("kind", "count", "begins"),
    [("skip", 0, 0), ("notes", 0, 0), ("subslide", 1, 1), ("slide", 1, 2)],
)
def test_a_cell_may_say_what_it_becomes(kind: str, count: int, begins: int, tmp_path: Path) -> None:
    typed = section("a", "<p>One.</p>", f'<p class="slide-type-{kind}">Two. So.</p>')
    found = slides(tmp_path, typed)[1:]
    assert sum("Two." in shown(slide) for slide in found) == count
    assert sum("Two." in " ".join(slide.notes) for slide in found) == (kind != "skip")
    assert [slide.begins for slide in found].count(True) == max(begins, 1)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            cell("x = '" + "a" * 120 + "'"),
            r"book/part/page, code cell 1, .x = .*: a line of",
        ),
        ("<video></video>", r"book/part/page, .*: a <video .* has no place on a slide yet"),
        (f"<table><tr><td>{'word ' * 2000}</td></tr></table>", r"the row 'word .* is higher than"),
    ],
)
def test_what_fits_on_no_slide_is_named(content: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(NoSlideError, match=message):
        slides(tmp_path, section("a", content))
