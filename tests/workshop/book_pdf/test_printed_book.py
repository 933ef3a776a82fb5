"""Two pages of the built site as a book: printed by Chromium, read by PDFium and qpdf."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pikepdf
import pypdfium2
import pytest
from playwright.sync_api import Browser, Page

from site_checks.browser import chromium
from site_checks.site import built_site
from workshop.book_pdf import printing
from workshop.book_pdf.binding import bind, bookmarks
from workshop.book_pdf.document import write_document
from workshop.book_pdf.parts import only, parts
from workshop.book_pdf.printing import PrintError, print_book
from workshop.book_pdf.reading import missing, read

# One with a live picture, formulas, a quiz and exercises; and a short one of another part
PAGES = ("book/numbers/quantized_tensors", "book/models/debugging_to_the_bit")
TITLES = ("Quantized tensors", "When it got worse, to the bit")
FILES = {"/FontFile", "/FontFile2", "/FontFile3"}
A4, LETTER = (595, 842), (612, 792)


class Book(NamedTuple):
    document: Path
    file: Path
    length: int
    texts: list[str]


@pytest.fixture(scope="module")
def printer() -> Iterator[Browser]:
    with chromium() as started:  # Firefox draws no margins with a head
        yield started


@pytest.fixture(scope="module")
def book(printer: Browser, tmp_path_factory: pytest.TempPathFactory) -> Book:
    folder = tmp_path_factory.mktemp("book")
    document, file = folder / "book.html", folder / "book.pdf"
    write_document(built_site(), only(parts(), PAGES), document, "a4")
    printed = print_book(printer, document, "a4")
    count = bind(printed.pdf, printed.titles, "Somebody", file)
    return Book(document, file, count, printed.texts)


@pytest.fixture
def pdf(book: Book) -> Iterator[pikepdf.Pdf]:
    with pikepdf.open(book.file) as pdf:
        yield pdf


def link_targets(page: Page) -> list[str]:
    names = "links => links.map((link) => link.getAttribute('href').slice(1))"
    targets: list[str] = page.eval_on_selector_all("a[href^='#']", names)
    return targets


def dictionaries(pdf: pikepdf.Pdf) -> list[pikepdf.Object]:
    return [item for item in pdf.objects if isinstance(item, pikepdf.Dictionary)]


def whole_pages(file: Path) -> list[str]:
    """Return the text of each page, with its head and its foot."""
    with pypdfium2.PdfDocument(file) as found:
        return [page.get_textpage().get_text_range() for page in found]


def test_all_text_is_read_back_and_a_lost_page_is_noticed(book: Book) -> None:
    pages = list(read(book.file))
    assert len(pages) == book.length > 15
    assert missing(book.texts, pages) == []
    assert missing(book.texts, pages[:5] + pages[6:]) != []


def test_each_page_but_the_first_has_a_head_and_its_number(book: Book) -> None:
    heads = ("Contents", "Solutions", *(f"Numbers {TITLES[0]}", f"Models {TITLES[1]}"))
    for number, text in enumerate(whole_pages(book.file)[1:], start=2):
        head, foot, *_ = text.split("\r\n")
        assert head in heads and foot == str(number), f"page {number}"


def test_the_contents_and_the_questions_name_the_right_pages(book: Book) -> None:
    pages = whole_pages(book.file)
    for title in (*TITLES, "Solutions"):
        named = re.search(rf"{title}\s+(\d+)\b", pages[1])
        assert named and title in pages[int(named[1]) - 1]
    asked = next(page for page in pages if "Question 2" in page)
    solved = re.search(r"Question 2\s+solution: p\.\s+(\d+)", asked)
    assert solved and re.search(r"Question 2: p\.\s+\d", pages[int(solved[1]) - 1])


def test_bookmarks_are_the_headings_and_lead_to_them(book: Book, pdf: pikepdf.Pdf) -> None:
    marks = [str(mark.Title) for mark in bookmarks(pdf.Root.Outlines)]
    assert [mark for mark in marks if mark in (*TITLES, "Numbers", "Models")] == [
        *("Numbers", TITLES[0], "Models", TITLES[1]),
        *TITLES,  # their solutions
    ]
    with pypdfium2.PdfDocument(book.file) as found:
        pages = [page.get_textpage().get_text_range() for page in found]
        for mark in found.get_toc():
            lines = pages[mark.get_dest().get_index()].split("\r\n")
            assert mark.get_title().split()[0] in " ".join(lines)


def test_it_says_what_it_is_and_is_tagged(pdf: pikepdf.Pdf) -> None:
    assert str(pdf.docinfo.Title) == "Quantization, Bit by Bit"
    assert str(pdf.Root.Lang) == "en" and pdf.Root.MarkInfo.Marked
    tags = {
        str(item.S) for item in pdf.objects if isinstance(item, pikepdf.Dictionary) and "/S" in item
    }
    assert {"/H1", "/H2", "/P", "/Table", "/Figure", "/Link"} <= tags


def test_pictures_and_formulas_are_said_in_words(pdf: pikepdf.Pdf) -> None:
    figures = [item for item in dictionaries(pdf) if item.get("/S") == "/Figure"]
    said = [str(figure.get("/Alt", "")) for figure in figures]
    assert any("clamp" in words for words in said), "the formula of the codes"
    assert any("Number line" in words for words in said)
    unsaid = [figure for figure, words in zip(figures, said, strict=True) if not words]
    frames = [figure for figure in unsaid if "/Caption" in [part.get("/S") for part in figure.K]]
    assert len(unsaid) == len(frames), "a picture has no words"


def test_every_font_is_in_the_file(pdf: pikepdf.Pdf) -> None:
    fonts = [item for item in dictionaries(pdf) if item.get("/Type") == "/FontDescriptor"]
    names = [str(font.FontName) for font in fonts]
    assert any("KaTeX" in name for name in names)
    assert [
        font for font in fonts if not {"/FontFile", "/FontFile2", "/FontFile3"} & set(font)
    ] == []


def test_links_within_lead_within_and_others_show_their_address(
    book: Book, pdf: pikepdf.Pdf
) -> None:
    actions = [mark.A for page in pdf.pages for mark in page.get("/Annots", []) if "/A" in mark]
    away = [str(action.URI) for action in actions if "/URI" in action]
    assert [address for address in away if not address.startswith("http")] == []
    assert sum("/Dest" in mark for page in pdf.pages for mark in page.get("/Annots", [])) > 30


@pytest.mark.parametrize(
    "broken",
    [
        "<pre style='white-space: pre'>" + "x" * 300 + "</pre>",
        "<p style='overflow: hidden; white-space: nowrap'>" + "so long " * 60 + "</p>",
        "<img src='gone.png' />",
    ],
    ids=["beyond the page", "clipped", "missing"],
)
def test_what_would_be_cut_off_is_noticed(
    broken: str, book: Book, printer: Browser, tmp_path: Path
) -> None:
    text = book.document.read_text("utf-8")
    style = re.findall(r"<style>.*?</style>", text, re.DOTALL)[0]
    page = tmp_path / "broken.html"
    page.write_text(f"<!doctype html><title>x</title>{style}<article>{broken}</article>", "utf-8")
    with pytest.raises(PrintError, match=r"is too wide: (x|so long)|gone\.png"):
        print_book(printer, page, "a4")


def test_a_number_never_gets_narrower(book: Book, printer: Browser) -> None:
    widths = """() => [...document.querySelectorAll("a.qb-see, a.qb-solution-link")]
        .map((link) => Math.round(100 * link.getBoundingClientRect().width))"""
    with printing.laid_out(printer, book.document) as page:
        found = []
        for number in (8, 888, 88):
            page.evaluate(printing.FILL, dict.fromkeys(link_targets(page), number))
            found.append(page.evaluate(widths))
    narrow, wide, again = found
    assert narrow and all(map(int.__lt__, narrow, wide)) and again == wide


def test_numbers_that_never_settle_are_noticed(
    printer: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = iter(range(100))
    monkeypatch.setattr(printing, "page_numbers", lambda _: {"x": next(found)})
    page = tmp_path / "small.html"
    page.write_text("<!doctype html><title>x</title><h1 id='x'>x</h1>", "utf-8")
    with pytest.raises(PrintError, match="still change"):
        print_book(printer, page, "a4")


def size(file: Path) -> tuple[int, ...]:
    """Return how wide and high the first page is, in points."""
    with pypdfium2.PdfDocument(file) as found:
        return tuple(round(side) for side in found[0].get_size())


def test_the_paper_is_chosen(book: Book, printer: Browser, tmp_path: Path) -> None:
    american = book.document.with_name("american.html")
    text = book.document.read_text("utf-8")
    assert "@page { size: a4; }" in text
    body = "<body><p>One page.</p></body>"
    page = re.sub(r"<body>.*</body>", body, text, flags=re.DOTALL).replace(": a4;", ": letter;")
    american.write_text(page, encoding="utf-8")
    with printing.laid_out(printer, american) as opened:
        (tmp_path / "x.pdf").write_bytes(printing.printed(opened))
    assert (size(book.file), size(tmp_path / "x.pdf")) == (A4, LETTER)
