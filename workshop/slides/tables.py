"""Tables: as many rows on a slide as fit, below the same heads, in columns of a settled width."""

from __future__ import annotations

import copy
from collections.abc import Callable

from bs4 import Tag
from bs4.element import NavigableString

from workshop.slides.page import Block, NoSlideError
from workshop.slides.prose import bare, said, text_of
from workshop.slides.slide import (
    CODE_LETTER,
    GAP,
    LEADING,
    LETTER,
    TABLE_PX,
    WIDTH,
    Part,
    Slide,
    footnotes,
)

New = Callable[..., Slide]
CELL_PADDING = 20  # beside the text of a cell
ROW_PADDING = 13
BOLD = 1.15  # times as wide
LARGER = 1.4  # is the largest type of a table, beside the smallest
WIDEST_WORD = 0.36  # of a slide: a longer one is broken


def table_slides(new: New, block: Block, above: list[Part]) -> list[Slide]:
    """Return the slides of a table.

    Raises:
        NoSlideError: one row is higher than a slide at the smallest type.
    """
    table = block.element if block.element.name == "table" else block.element.find("table")
    assert isinstance(table, Tag), "a block that is a table has one"
    plain = bare(table)
    heads = [row for row in plain.find_all("tr") if row.find_parent("thead")]
    rows = [row for row in plain.find_all("tr") if not row.find_parent("thead")]
    widths = column_widths([*heads, *rows])
    layout = Layout(table, heads, widths)
    found = [new(block.where, "table")]
    found[0].parts += above
    for group in groups(rows, layout, found[0].room - found[0].height, found[0].room):
        part = layout.part(group)
        if len(group) == 1 and part.height + GAP > found[0].room:
            raise NoSlideError(
                f"{block.where}: the row {text_of(group[0])[:50]!r}… is higher than a slide. Say "
                "it in fewer words, or give the cell the slide type `skip`."
            )
        if not found[-1].has_room_for(part):
            found.append(new(block.where, "table"))
        found[-1].parts.append(part)
    if table is not block.element:
        for below in table.find_next_siblings(["p", "ol", "ul"]):
            add_footnotes(found, below)
    return found


def add_footnotes(slides: list[Slide], below: Tag) -> None:
    """Put what stands below a table under its rows, and into the notes if the last have no room."""
    part = footnotes(bare(below))
    with_room = [slide for slide in slides if slide.has_room_for(part)]
    for slide in with_room:
        slide.parts.append(part)
    if slides[-1] not in with_room:
        slides[-1].notes.append(said(below))


class Layout:
    """How a table is set: its heads, and its columns with their widths."""

    def __init__(self, table: Tag, heads: list[Tag], widths: list[float]) -> None:
        self.names = " ".join(str(name) for name in table.get_attribute_list("class") if name)
        self.heads, self.widths = heads, widths
        self.top = sum(row_height(row, widths) for row in heads)

    def height(self, rows: list[Tag]) -> float:
        """Return how high some rows are below the heads, at the smallest type."""
        return self.top + sum(row_height(row, self.widths) for row in rows)

    def part(self, rows: list[Tag]) -> Part:
        """Return a table of some of the rows."""
        shares = "".join(f'<col style="width:{width / WIDTH:.2%}" />' for width in self.widths)
        top, body = ("".join(map(marked, those)) for those in (self.heads, rows))
        markup = (
            f'<table class="{self.names}" style="width:{sum(self.widths) / WIDTH:.2%}">'
            f"<colgroup>{shares}</colgroup><thead>{top}</thead><tbody>{body}</tbody></table>"
        )
        return Part("table", markup, self.height(rows))


def marked(row: Tag) -> str:
    """Return the markup of a row, whose words are broken only where one would fill a column."""
    copied = copy.copy(row)
    for cell in cells_of(copied):
        if max(words_of(cell), default=0) > WIDEST_WORD * WIDTH - CELL_PADDING:
            names = [str(name) for name in cell.get_attribute_list("class") if name]
            cell["class"] = " ".join([*names, "long"])
    return str(copied)


def groups(rows: list[Tag], layout: Layout, first: float, room: float) -> list[list[Tag]]:
    """Return the rows slide by slide: on few slides, and then with the last not much emptier."""
    full = filled(rows, layout, first, room)
    shares = [at / 20 for at in range(8, 20)]
    tries = (filled(rows, layout, first * share, room * share) for share in shares)
    return next((found for found in tries if len(found) == len(full)), full)


def filled(rows: list[Tag], layout: Layout, first: float, room: float) -> list[list[Tag]]:
    """Return the rows slide by slide, each as full as it may be."""
    found: list[list[Tag]] = [[]]
    free = first
    for row in rows:
        if found[-1] and layout.height([*found[-1], row]) + GAP > free:
            found.append([])
            free = room
        found[-1].append(row)
    return found


def cells_of(row: Tag) -> list[Tag]:
    """Return the cells of a row."""
    return [cell for cell in row.find_all(["td", "th"], recursive=False) if isinstance(cell, Tag)]


def words_of(cell: Tag) -> list[float]:
    """Return how wide each word of a cell is at the smallest type; code is wider than prose."""
    found: list[float] = []
    for text in cell.find_all(string=True):
        if not isinstance(text, NavigableString) or text.find_parent(class_="katex-mathml"):
            continue
        letter = CODE_LETTER if text.find_parent("code") else LETTER
        letter *= BOLD if text.find_parent("th") else 1
        found += [(len(word) + 0.3) * letter * TABLE_PX for word in str(text).split()]
    return found


def column_widths(rows: list[Tag]) -> list[float]:
    """Return how wide the columns are: as their texts are long, but a word at the least."""
    columns: list[list[list[float]]] = []
    for row in rows:
        for at, cell in enumerate(cells_of(row)):
            columns += [[]] if at == len(columns) else []
            columns[at].append(words_of(cell))
    wanted = [max(line_of(words) for words in column) + CELL_PADDING for column in columns]
    if sum(wanted) <= WIDTH:
        return [width * min(WIDTH / sum(wanted), LARGER) for width in wanted]
    longest = [max((max(words, default=0) for words in column), default=0) for column in columns]
    least = [
        min(word + CELL_PADDING, WIDEST_WORD * WIDTH, width)
        for word, width in zip(longest, wanted, strict=True)
    ]
    spare = WIDTH - sum(least)
    if spare <= 0:
        return [width * WIDTH / sum(least) for width in least]
    more = sum(wanted) - sum(least)
    return [low + (width - low) * spare / more for low, width in zip(least, wanted, strict=True)]


def line_of(words: list[float]) -> float:
    """Return how wide the words are in one line."""
    return sum(words) + max(len(words) - 1, 0) * space()


def space() -> float:
    """Return how wide a space is."""
    return 0.34 * TABLE_PX


def lines_in(words: list[float], width: float) -> int:
    """Return how many lines the words take in a column; a word that is wider is broken."""
    lines, used = 1, 0.0
    for word in words:
        if used and used + space() + word > width:
            lines, used = lines + 1, 0.0
        used += (space() if used else 0) + word
        while used > width:
            lines, used = lines + 1, used - width
    return lines


def row_height(row: Tag, widths: list[float]) -> float:
    """Return how high a row is at the smallest type."""
    lines = [
        lines_in(words_of(cell), max(width - CELL_PADDING, 40)) + breaks(cell)
        for cell, width in zip(cells_of(row), widths, strict=False)
    ]
    return max([*lines, 1]) * LEADING * TABLE_PX + ROW_PADDING


def breaks(cell: Tag) -> int:
    """Return how many lines end before they are full, because a paragraph ends."""
    return max(len(cell.find_all(["p", "li", "br"])) - 1, 0)
