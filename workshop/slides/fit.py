"""Slides of text and code: what does not fit on one at the smallest type goes on to the next.

Deck.js then sets the type as large as there is room, in the fonts that are there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from workshop.slides.page import Block, Kind
from workshop.slides.prose import said
from workshop.slides.slide import (
    CODE_FRAME,
    CODE_LEADING,
    CODE_PX,
    GAP,
    Part,
    Slide,
    bullets,
    code,
    formula,
    pre_of,
    text_of_code,
)

New = Callable[..., Slide]


def text_slides(new: New, blocks: list[Block], points: list[tuple[Block, str]]) -> list[Slide]:
    """Return slides of points, with each block in the notes where its first point is."""
    fragment = "fragment" if any(block.slide_type == "fragment" for block in blocks) else ""
    found: list[Slide] = []
    for count, items in spread(new(blocks[0].where).room, [point for _, point in points], fragment):
        slide = new(blocks[0].where)
        slide.parts.append(bullets(items, fragment))
        shown = [block for block, _ in points[count : count + len(items)]]
        new_here = [block for block in dict.fromkeys(map(id, shown))]
        earlier = {id(block) for block, _ in points[:count]}
        slide.notes += [
            said(block.element)
            for block in blocks
            if id(block) in new_here and id(block) not in earlier
        ]
        found.append(slide)
    return found


def spread(room: float, items: list[str], fragment: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the points of each slide, and how many came before."""
    start = 0
    for end in range(1, len(items) + 1):
        if end == len(items) or bullets(items[start : end + 1], fragment).height + GAP > room:
            yield start, items[start:end]
            start = end


def code_slides(new: New, block: Block, above: list[Part]) -> list[Slide]:
    """Return the slides of code with what it printed, or of a formula."""
    if block.kind is Kind.FORMULA:
        slide = new(block.where, "formula")
        slide.parts += [*above, formula(block.element)]
        return [slide]
    fragment = "fragment" if block.slide_type == "fragment" else ""
    lines = pre_of(block.code).split("\n") if block.code else []
    printed = [line for each in block.printed for line in pre_of(each).split("\n")]
    slide = new(block.where, "code")
    found = [slide]
    whole = [code("code", "\n".join(each), block.where) for each in (lines, printed) if each]
    needed = sum(part.height + GAP for part in whole)
    if needed + sum(part.height + GAP for part in above) <= slide.room or needed > slide.room:
        slide.parts += above  # else what it says stands in the notes, and the code stays in one
    for role, those, class_ in (("code", lines, ""), ("printed", printed, fragment)):
        while those:
            part = code(role, "\n".join(those), block.where, class_)
            if found[-1].has_room_for(part):
                found[-1].parts.append(part)
                break
            count = lines_that_fit(found[-1], those)
            if count and (count < len(those)):
                part = code(role, "\n".join(those[:count]), block.where, class_)
                found[-1].parts.append(part)
            those = those[count:]
            found.append(new(block.where, "code"))
    return found


def lines_that_fit(slide: Slide, lines: list[str]) -> int:
    """Return how many lines go on a slide: up to the last statement that fits as a whole.

    What was printed has no statements: there a line is one. A few lines alone wait for the next
    slide, as all do that follow something else.
    """
    free = slide.room - slide.height - GAP - CODE_FRAME
    most = min(int(free / (CODE_LEADING * CODE_PX)), len(lines))
    if any(part.role in ("code", "printed") for part in slide.parts):
        return 0
    starts = [at for at in range(1, most + 1) if at == len(lines) or begins_anew(lines[at])]
    return starts[-1] if starts and starts[-1] > most // 2 else most


def begins_anew(line: str) -> bool:
    """Tell whether a line of code begins a statement of its own, or is empty."""
    text = text_of_code(line)
    return not text.startswith((" ", ")", "]", "}"))
