"""Which slides a section becomes: its pictures, code and tables one by one, its prose in few words.

The paragraph before a picture introduces it: its last sentence stands above if it ends in a colon,
else its first. One paragraph behind it says what was seen: its first sentence stands below, if
there is room. Where several paragraphs follow each other, each becomes a point of a slide of its
own, with as many of its sentences as leave some room. Every paragraph is in the notes as it is on
the page. A slide that has none, as one with what a question asked for, repeats those before it: a
speaker sees one's alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from html import escape
from itertools import pairwise

from bs4 import BeautifulSoup, Tag

from workshop.slides.cases import exercise_slides, question_notes, solution_notes
from workshop.slides.fit import code_slides, text_slides
from workshop.slides.page import SHOWN, Block, Kind, Page, Section
from workshop.slides.prose import (
    bare,
    inner,
    key,
    opening_of,
    said,
    sentences,
)
from workshop.slides.slide import GAP, Part, Slide, bullets, filling, picture_height, prose
from workshop.slides.tables import table_slides

LEAD_LETTERS = 170
LEAD_TRIES = (1, 0.6, 0)  # parts of these, until there is room
POINT_LETTERS = (600, 420, 300, 240, 150, 110)  # of each point: the most that leave some room
FULL = 0.85  # of the room of a slide: more is a wall of words
GOAL = "After this chapter"
MARK_HEIGHT = 28
QUIZ, TAKE_AWAY = "quiz", "take-away"  # of one the prose is for readers, of the other all is shown
MOST_POINTS = 7  # of several paragraphs and lists
MOST_SENTENCES = 6  # of a paragraph that has a slide to itself
REPEATED = "<p><small>From the slide before:</small></p>"
FILLS = {Kind.PICTURE, Kind.WIDGET, Kind.QUESTION}  # take the room that is left


def slides_of(page: Page) -> list[Slide]:
    """Return the slides of a page, the first of which bears its title and goal."""
    slides: list[Slide] = []
    begins = False
    for section in page.sections:
        found = section_slides(page, section)
        begins = begins or section.level == 2
        if found:
            found[0].begins = found[0].begins or begins
            begins = False
        slides += found
    return slides


def section_slides(page: Page, section: Section) -> list[Slide]:
    """Return the slides of a section of a page; those of the opening begin with the title."""
    if section is not page.sections[0]:
        return list(Planner(page, section).slides())
    goal, rest = goal_and_rest(section.blocks)
    return [title_slide(page, goal), *Planner(page, replace(section, blocks=rest)).slides()]


def goal_and_rest(blocks: list[Block]) -> tuple[list[Block], list[Block]]:
    """Return what says what one can do after a page, perhaps with a list, and all else."""
    starts = (at for at, block in enumerate(blocks) if block.element.get_text().startswith(GOAL))
    start = next(starts, len(blocks))
    listed = [block.kind for block in blocks[start + 1 : start + 2]] == [Kind.LISTING]
    end = start + 1 + listed
    return blocks[start:end], blocks[:start] + blocks[end:]


def title_slide(page: Page, goal: list[Block]) -> Slide:
    """Return the slide with the title, and with the goal of the page."""
    slide = Slide(page.title, "", f"{page.name}, its title", begins=True, kind="title")
    for block in goal:
        if block.kind is Kind.LISTING:
            slide.parts.append(bullets(items_of(block.element, LEAD_LETTERS)))
        else:
            slide.parts.append(prose("goal", inner(bare(block.element))))
        slide.notes.append(said(block.element))
    return slide


class Planner:
    """Goes through the blocks of a section, and keeps the prose until it knows where it belongs."""

    def __init__(self, page: Page, section: Section) -> None:
        self.page, self.section = page, section
        self.waiting: list[Block] = []
        self.found: list[Slide] = []
        self.early: list[str] = []
        self.below_document = False

    def slides(self) -> Iterator[Slide]:
        """Yield the slides of the section."""
        for block in self.section.blocks:
            self.take(block)
            self.below_document = block.kind is Kind.DOCUMENT
        self.place_rest()
        if self.found:
            self.found[0].notes[:0] = self.early
        repeat_notes(self.found)
        first_of = {slide.where: slide for slide in reversed(self.found)}
        for block in self.section.blocks:
            if block.slide_type == "slide" and block.where in first_of:
                first_of[block.where].begins = True
        yield from self.found

    def take(self, block: Block) -> None:
        """Keep prose waiting; make slides of all else."""
        if block.slide_type == "notes" or self.says_nothing(block):
            self.note(noted(block))
        elif self.section.name == QUIZ and block.kind is Kind.PROSE:
            self.note(f"<p>{sentences(block.element)[0]}</p>")  # how many; a deck remembers nothing
        elif block.kind in (Kind.PROSE, Kind.LISTING):
            if block.slide_type in ("slide", "subslide"):
                self.place_rest()
            self.waiting.append(block)
        elif block.kind in SHOWN:
            if block.kind in (Kind.QUESTION, Kind.WIDGET):  # which take the whole slide
                self.place_rest()
            self.show(block, self.lead())
        elif block.kind is Kind.EXERCISE:
            self.place_rest()
            self.found += exercise_slides(self.new, block, self.page.models)
        elif block.kind is Kind.SOLUTION:
            self.note(*solution_notes(block.element, self.page.models))
        elif block.kind is Kind.MARK and self.found:
            mark = Part("mark", f'<p class="mark">{inner(bare(block.element))}</p>', MARK_HEIGHT)
            if self.found[-1].has_room_for(mark):
                self.found[-1].parts.append(mark)

    def says_nothing(self, block: Block) -> bool:
        """Tell whether a paragraph is about nothing that a slide has, as below a document."""
        return block.kind is Kind.PROSE and (self.below_document or not sentences(block.element))

    def new(self, where: str, kind: str = "text", heading: str = "") -> Slide:
        """Return an empty slide of the section."""
        return Slide(heading or self.section.heading, self.section.above, where, kind=kind)

    def note(self, *markup: str) -> None:
        """Add to the notes of the slide before, or of the first one of the section."""
        if self.found:
            self.found[-1].notes += markup
        else:
            self.early += markup

    def lead(self) -> Block | None:
        """Place what waits but for the last paragraph, which introduces what comes."""
        last = self.waiting[-1] if self.waiting else None
        if last is None or last.kind is Kind.LISTING:
            self.place_rest()
            return None
        self.waiting.pop()
        self.place_rest()
        return last

    def place_rest(self) -> None:
        """Place what waits: below what it follows, or on a slide of its own."""
        waiting, self.waiting = self.waiting, []
        if self.found and self.found[-1].kind == "widget":  # what was to be seen in it
            self.found[-1].notes += [said(block.element) for block in waiting]
        if len(waiting) == 1 and self.conclude(waiting[0]):
            return
        if waiting:
            shown = waiting[:1] if self.section.name == TAKE_AWAY else waiting
            for group in groups(shown):
                room = self.new(group[0].where).room
                self.found += text_slides(self.new, group, points_of(group, room))
            self.note(*(said(block.element) for block in waiting[len(shown) :]))

    def conclude(self, block: Block) -> bool:
        """Put a paragraph below what it follows; tell whether that was possible."""
        if block.kind is Kind.LISTING or not self.found or block.slide_type:
            return False
        last = self.found[-1]
        part = prose("after", key(block.element, LEAD_LETTERS))
        if last.kind in ("question", "text", "exercise", "widget"):
            return False
        if last.has_room_for(part):
            last.parts.append(part)
        last.notes.append(said(block.element))
        return True

    def show(self, block: Block, lead: Block | None) -> None:
        """Make the slides of something that is shown."""
        opening = [lead.element] if lead else []
        letters = 400 if block.kind is Kind.FORMULA else LEAD_LETTERS
        slides: list[Slide] = []
        for share in LEAD_TRIES:
            above = [prose("lead", opening_of(p, letters * share)) for p in opening]
            slides = self.slides_below(above, block)
            if slides[0].parts[: len(above)] == above:
                break
        slides[0].notes[:0] = [said(p) for p in opening]
        self.found += slides

    def slides_below(self, above: list[Part], block: Block) -> list[Slide]:
        """Return the slides of something that is shown, below its lead if there is room."""
        if block.kind in FILLS:
            return [self.filled(block, above)]
        make: Callable[..., list[Slide]] = table_slides if block.kind is Kind.TABLE else code_slides
        return make(self.new, block, above)

    def filled(self, block: Block, above: list[Part]) -> Slide:
        """Return the slide of a picture, a widget or a question, as large as there is room."""
        slide = self.new(block.where, block.kind.name.lower())
        element, caption = without_caption(block.element)
        is_picture = block.kind is Kind.PICTURE
        picture = filling(element, picture_height(block.element) if is_picture else 0)
        if sum(part.height + GAP for part in (*above, picture)) <= slide.room:
            slide.parts += above
        elif picture.height > slide.room:
            slide.kind += " tall"
        slide.parts.append(picture)
        if caption is not None:
            number = f'<p class="figure-number">{number_of(caption)}</p>'
            slide.parts.append(Part("number", number, 0))
            slide.notes.append(said(caption))
        if block.kind is Kind.QUESTION:
            slide.notes += question_notes(block.element, self.page.models)
        return slide


def repeat_notes(slides: list[Slide]) -> None:
    """Give a slide of a section that has no notes those of the slide before."""
    for before, slide in pairwise(slides):
        if before.notes and not slide.notes:
            own = before.notes[before.notes[0] == REPEATED :]
            slide.notes = [REPEATED, *own]


def noted(block: Block) -> str:
    """Return what the notes have of a block: prose as it is, code as its lines."""
    if block.kind is Kind.CODE:
        lines = [pre.get_text().strip() for pre in block.element.select("pre")]
        return "".join(f"<pre>{escape(text, quote=False)}</pre>" for text in lines)
    return said(block.element)


def without_caption(element: Tag) -> tuple[str, Tag | None]:
    """Return the markup of a picture, and its caption if it has one."""
    caption = element.find("figcaption")
    if not isinstance(caption, Tag):
        return str(element), None
    copied = BeautifulSoup(str(element), "html.parser")
    for gone in copied.select("figcaption"):
        gone.decompose()
    words = caption.find("p")
    return str(copied), words if isinstance(words, Tag) else caption


def number_of(caption: Tag) -> str:
    """Return the number of a figure, as the page counts it."""
    number = caption.select_one(".caption-number")
    return number.get_text().strip() if number else ""


def points_of(blocks: list[Block], room: float) -> list[tuple[Block, str]]:
    """Return the points that a slide of prose has, each with the block it is from.

    They say as much as leaves some of the room.
    """
    if len(blocks) == 1 and blocks[0].kind is Kind.PROSE:
        return [(blocks[0], each) for each in sentences(blocks[0].element)[:MOST_SENTENCES]]
    points: list[tuple[Block, str]] = []
    for letters in POINT_LETTERS:
        points = points_in(blocks, letters)
        if bullets([point for _, point in points]).height < FULL * room:
            break
    return points


def points_in(blocks: list[Block], letters: float) -> list[tuple[Block, str]]:
    """Return the points of so many letters that paragraphs and lists come to."""
    points = []
    for block in blocks:
        if block.kind is Kind.LISTING:
            points += [(block, point) for point in items_of(block.element, letters)]
        elif introduces(blocks, block):
            points.append(
                (block, f"<b>{opening_of(block.element, min(letters, LEAD_LETTERS))}</b>")
            )
        else:
            points.append((block, key(block.element, letters)))
    return points


def groups(blocks: list[Block]) -> list[list[Block]]:
    """Return what waits, in groups if it is much: a list with the words before it."""
    if len(points_in(blocks, 0)) <= MOST_POINTS:
        return [blocks]
    found: list[list[Block]] = []
    for block in blocks:
        if introduces(blocks, block) or not found or found[-1][-1].kind is Kind.LISTING:
            found.append([])
        found[-1].append(block)
    return found


def introduces(blocks: list[Block], block: Block) -> bool:
    """Tell whether a paragraph introduces the list that comes next."""
    rest = blocks[blocks.index(block) + 1 :]
    return bool(rest) and rest[0].kind is Kind.LISTING


def items_of(listing: Tag, letters: float) -> list[str]:
    """Return the key of each item of a list; of a list of terms, each with its term."""
    items = listing.find_all(["li", "dd"], recursive=False)
    return [key(item.p if isinstance(item.p, Tag) else item, letters) for item in items]
