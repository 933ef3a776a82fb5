"""Pages of the screen become chapters on paper: opened, renamed, linked, their solutions moved."""

from __future__ import annotations

from pathlib import Path

import pikepdf
import pytest
from bs4 import BeautifulSoup, Tag

from workshop.book_pdf.articles import Chapter, dead_links, link_within, name_all, read_chapter
from workshop.book_pdf.binding import BookmarkError, name_bookmarks
from workshop.book_pdf.document import BrokenDocumentError, write_document
from workshop.book_pdf.paper import for_paper
from workshop.book_pdf.parts import Part, only, parts
from workshop.book_pdf.reading import missing
from workshop.book_pdf.solutions import move_solutions

QUESTION = """
<div class="qb-widget qb-question"><form><fieldset><legend>How many steps?</legend>
<label class="qb-option"><input type="radio"/>seven</label></fieldset><button>Check</button></form>
<details class="qb-locked"><summary>Solution</summary><p><strong>Seven.</strong></p></details></div>
"""
CELL = """
<div class="cell"><details class="admonition hide above-input"><summary>Show</summary>
<div class="cell_input"><pre>draw()</pre></div></details>
<details class="admonition hide below-input"><summary>Show</summary>
<div class="cell_output"><pre>7 steps</pre></div></details></div>
"""
EXERCISE = """
<div class="exercise admonition" id="ex-a"><p class="admonition-title">Exercise 4</p><p>Count.</p>
</div><div class="solution admonition" id="sol"><p class="admonition-title">Solution to
<a href="#ex-a">Exercise 4</a></p><p>There are seven.</p></div>
"""


def chapter(page: str, body: str, title: str = "A title") -> Chapter:
    soup = BeautifulSoup(f"<article><h1>{title}</h1>{body}</article>", "html.parser")
    article = soup.article
    assert isinstance(article, Tag)
    return Chapter(page, title, article, ())


def site_of(folder: Path, **pages: str) -> Path:
    """Write a site of pages; a page's body is all that it has besides its title."""
    for name, body in pages.items():
        path = folder / "book" / "a" / f"{name}.html"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"<article><h1>On {name}</h1>{body}</article>", encoding="utf-8")
    return folder


def document_of(site: Path, *names: str) -> str:
    """Return the document of these pages of a site."""
    path = site / "pdf" / "book.html"
    pages = tuple((f"book/a/{name}", 0) for name in names)
    write_document(site, [Part("Numbers", pages)], path, "a4")
    return path.read_text("utf-8")


def test_what_is_folded_is_open_and_folded_code_says_so() -> None:
    made = chapter("book/a/x", CELL)
    for_paper(made.article)
    assert "7 steps" in made.article.get_text()
    assert [code.get_text() for code in made.article.select(".qb-folded")] == ["draw()"]
    assert made.article.find(["details", "summary"]) is None


def test_a_long_call_in_a_table_may_end_its_line_behind_a_sign() -> None:
    made = chapter("book/a/x", "<table><td><code>a.Config(group_size=0.5)</code></td></table>")
    for_paper(made.article)
    assert str(made.article.code) == (
        "<code>a.<wbr/>Config(<wbr/>group_<wbr/>size=<wbr/>0.5)</code>"
    )


def test_what_needs_a_screen_is_gone() -> None:
    note = '<span class="qb-term"><button>scale</button><span role="tooltip">A width.</span></span>'
    made = chapter("book/a/x", f"<script>run()</script><p>The {note}.</p>{QUESTION}")
    for_paper(made.article)
    assert "The scale." in made.article.get_text()
    assert made.article.find(["script", "button"]) is None


def test_headings_leave_the_first_level_to_the_parts() -> None:
    made = chapter("book/a/x", "<h2>By hand</h2>")
    for_paper(made.article)
    assert [tag.name for tag in made.article.find_all(["h1", "h2", "h3"])] == ["h2", "h3"]


def test_the_name_of_a_section_goes_with_its_heading() -> None:
    made = chapter("book/a/x", '<span id="one"></span><span id="two"></span><h2>By hand</h2>')
    for_paper(made.article)
    names = [tag["id"] for tag in made.article.select("h3 [id]")]
    assert sorted(map(str, names)) == ["one", "two"]


def test_a_formula_is_read_out_as_its_source() -> None:
    drawn = '<span aria-hidden="true">½s</span>'
    source = '<span class="katex-mathml"><math><annotation>s / 2</annotation></math></span>'
    made = chapter("book/a/x", f'<span class="katex">{source}{drawn}</span>')
    for_paper(made.article)
    formula = made.article.select_one(".katex")
    assert formula and formula["aria-label"] == "s / 2" and formula.get_text() == "½s"


@pytest.mark.parametrize(
    ("link", "shown"),
    [
        ('<a href="https://example.org/a/">there</a>', "example.org/a"),
        ('<a href="https://doi.org/10.1/2">doi:10.1/2</a>', None),
        ('<a href="https://example.org/a">https://example.org/a</a>', None),
        ('<a href="y.html">there</a>', None),
    ],
    ids=["words", "doi", "address", "within"],
)
def test_paper_shows_where_a_link_leads(link: str, shown: str | None) -> None:
    made = chapter("book/a/x", link)
    for_paper(made.article)
    found = made.article.find("a")
    assert isinstance(found, Tag) and found.get("data-address") == shown


def test_names_are_the_chapters_own() -> None:
    body = '<p id="n">1</p><p id="n">2</p><td headers="n m">a</td><g clip-path="url(#n)"></g>'
    made = chapter("book/a/x", body)
    name_all(made)
    assert [tag.get("id") for tag in made.article.find_all("p")] == ["a-x--n", None]
    assert 'headers="a-x--n a-x--m"' in str(made.article) and "url(#a-x--n)" in str(made.article)


def test_links_lead_into_the_document() -> None:
    far, near, gone = (
        '<a href="../b/y.html#n">y</a>',
        '<a href="#m">m</a>',
        '<a href="z.html">z</a>',
    )
    made = chapter("book/a/x", far + near + gone)
    link_within(made, ["book/a/x", "book/b/y"])
    links = made.article.find_all("a")
    assert [link["href"] for link in links] == ["#b-y--n", "#a-x--m"]
    assert [link.get("class") for link in links] == [["qb-see"], None]
    assert made.article.get_text().endswith("ymz")


def test_a_list_within_a_page_that_is_looked_up_shows_page_numbers() -> None:
    for page, marked in (("book/reference/symptoms", True), ("book/a/x", False)):
        made = chapter(page, '<ul><li><a href="#m">m</a></li></ul>')
        link_within(made, [page])
        assert bool(made.article.select(".qb-see")) == marked


def test_a_link_to_nowhere_and_a_name_twice_are_noticed(tmp_path: Path) -> None:
    body = BeautifulSoup(
        '<body><p id="a"></p><p id="a"></p><a href="#b">b</a></body>', "html.parser"
    )
    assert [line.split()[0] for line in dead_links(body)] == ["two", "a"]
    site = site_of(tmp_path, one='<a href="two.html#nothing">two</a>', two="")
    with pytest.raises(BrokenDocumentError, match="#a-two--nothing"):
        document_of(site, "one", "two")


def test_a_solution_moves_to_the_end_with_links_there_and_back() -> None:
    made = chapter("book/a/x", QUESTION + EXERCISE)
    name_all(made)
    link_within(made, ["book/a/x"])
    end = move_solutions(made)
    assert end is not None
    assert "Seven." in end.get_text() and "There are seven." in end.get_text()
    assert "even" not in made.article.get_text().replace("seven", "", 1)  # but the option
    there = [str(link["href"]) for link in made.article.select("a.qb-solution-link")]
    back = [str(link["href"]) for link in end.select("a.qb-solution-link")]
    assert there == ["#a-x--question-1--solution", "#a-x--ex-a--solution"]
    assert back == ["#a-x--question-1", "#a-x--ex-a"]


def test_a_question_without_solution_is_noticed() -> None:
    made = chapter("book/a/x", QUESTION.partition("<details")[0] + "</div>")
    with pytest.raises(ValueError, match="question 1 of book/a/x"):
        move_solutions(made)


def test_a_page_without_title_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "x.html").write_text("<article><p>Moved.</p></article>", encoding="utf-8")
    with pytest.raises(ValueError, match="no article with a title"):
        read_chapter(tmp_path, "x")


def test_a_document_has_its_parts_in_order(tmp_path: Path) -> None:
    site = site_of(tmp_path, one=QUESTION, two='<a href="one.html">one</a>')
    soup = BeautifulSoup(document_of(site, "one", "two"), "html.parser")
    headings = [tag.get_text() for tag in soup.find_all(["h1", "h2"])]
    assert headings == ["Contents", "Numbers", "On one", "On two", "Solutions", "On one"]
    assert soup.html and soup.html["lang"] == "en" and soup.title and soup.title.get_text()
    assert '@top-right { content: "On two"; }' in soup.find_all("style")[0].get_text()


def test_all_pages_of_the_site_are_printed_but_one() -> None:
    pages = [page for part in parts() for page, _ in part.pages]
    assert pages[0] == "book/intro" and "book/bibliography" in pages
    assert len(set(pages)) == len(pages) and "book/reference/progress" not in pages
    with pytest.raises(ValueError, match="book/gone"):
        only(parts(), ["book/intro", "book/gone"])


def test_lost_text_is_noticed() -> None:
    pieces = ["A step is as wide as the scale.", "print(scale)", "With eight bits there are 255."]
    pages = ["A step is as wide as the", "scale. print(scale) With eight bits there are 255."]
    assert missing(pieces, pages) == []
    assert missing(pieces, pages[:1]) == pieces
    assert missing(pieces, [page.replace("wide", "w") for page in pages]) == [pieces[0]]


def test_a_bookmark_that_is_missing_is_noticed() -> None:
    with pikepdf.new() as book:
        book.add_blank_page()
        with book.open_outline() as outline:
            outline.root.append(pikepdf.OutlineItem("One lineOne line", 0))
        name_bookmarks(book, ["One line"])
        assert str(book.Root.Outlines.First.Title) == "One line"
        with pytest.raises(BookmarkError, match="1 bookmarks for 2 headings"):
            name_bookmarks(book, ["One line", "Another"])
