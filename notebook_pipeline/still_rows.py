"""The rows of a still picture: what stands side by side, how large, and what is below what."""

from __future__ import annotations

import re
from itertools import groupby
from typing import Any

from notebook_pipeline.still_words import Piece, in_cells, lines, table

WIDTH, MARGIN = 680, 14  # of a whole picture, in pixels
GRID = 400, 34  # of a grid with words in its cells: its width, and the height of a row
MOST_SQUARES, SQUARE = 3, 205  # pictures without a height of their own: side by side, and so wide
MARGINS = re.compile(r"(?:margin-|)(left|right|max)(?:-width|): ([\d.]+)px")


def gap(before: str, part: dict[str, Any]) -> int:
    """Return the room above a part: words stand close to what they are about.

    >>> gap("words", {"words": "More."}), gap("words", {"words": "New", "look": "strong"})
    (2, 14)
    """
    if not before or part.get("look") == "below":
        return 2
    if part.get("look") == "strong" or "words" not in (before, kind_of(part)):
        return MARGIN
    return 2 if before == kind_of(part) else 4


def rows_of(parts: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """Return the parts in rows: squares side by side, many of them eight, and tables that fit."""
    rows: list[list[dict[str, Any]]] = []
    for kind, some in groupby(parts, kind_of):
        same = list(some)
        most = {"square": 8 if len(same) >= 8 else MOST_SQUARES, "table": len(same)}.get(kind, 1)
        row: list[dict[str, Any]] = []
        for part in same:
            fits = kind != "table" or width_of([*row, part]) <= WIDTH
            if row and len(row) < most and fits:
                row.append(part)
            else:
                row = [part]
                rows.append(row)
    return rows


def width_of(row: list[dict[str, Any]]) -> float:
    """Return how wide a row is with its margins."""
    return MARGIN + sum(piece.width + MARGIN for piece in pieces_of(row))


def kind_of(part: dict[str, Any]) -> str:
    """Return how a part is set: squares have no height of their own."""
    if part.get("look") in ("title", "below"):
        return "head"
    if "svg" not in part:
        return "table" if "table" in part else "words"
    if "cells" in part:
        return "grid"
    return "square" if part.get("height") is None else "tall"


def pieces_of(row: list[dict[str, Any]]) -> list[Piece]:
    """Return the parts of a row as they are drawn; its pictures begin at the same height."""
    said = [caption_of(row, i) for i in range(len(row))]
    head = max(piece.height for piece in said)
    return [piece_of(part, len(row), head, own) for part, own in zip(row, said, strict=True)]


def caption_of(row: list[dict[str, Any]], i: int) -> Piece:
    """Return the caption of a picture, which may stand over the next ones if they have none."""
    if not (words := row[i].get("caption")):
        return Piece("", 0, 0)
    free = next((j for j in range(i + 1, len(row)) if row[j].get("caption")), len(row)) - i
    caption = lines(words, free * (size_of(row[i], len(row))[1] + MARGIN) - MARGIN)
    return caption._replace(height=caption.height + 4)


def piece_of(part: dict[str, Any], in_row: int, head: float, said: Piece) -> Piece:
    """Return a part as it is drawn in a row of so many, below the captions there."""
    if "words" in part:
        return lines(part["words"], WIDTH - 2 * MARGIN, part.get("look", ""))
    if "table" in part:
        return table(part["table"], numbers=part["isNumbers"])
    before, width, height = size_of(part, in_row)
    picture = nested(part["svg"], before, head, width, height)
    over = in_cells(part["cells"], part["columns"], width, height) if "cells" in part else ""
    return Piece(said.svg + picture + over, before + width, head + height)


def size_of(picture: dict[str, Any], in_row: int) -> tuple[float, float, float]:
    """Return the room to the left of a picture, its width and its height, in pixels."""
    if "cells" in picture:
        return 0, GRID[0], GRID[1] * -(-len(picture["cells"]) // picture["columns"])
    if picture.get("height") is not None:
        margins = {side: float(px) for side, px in MARGINS.findall(picture["margins"] or "")}
        left, right = margins.get("left", 0), margins.get("right", 0)
        limit = margins.get("max", WIDTH)
        return left, min(WIDTH - 2 * MARGIN - left - right, limit), float(picture["height"])
    width = min(SQUARE, (WIDTH - MARGIN) / in_row - MARGIN)
    *_, across, down = (float(number) for number in picture["viewBox"].split())
    return 0, round(width, 1), round(width * down / across, 1)


def nested(svg: str, left: float, top: float, width: float, height: float) -> str:
    """Return the picture at its place in another one."""
    own = re.sub(r' (?:height|role|aria-hidden|aria-label)="[^"]*"', "", svg.partition(">")[0])
    place = f' x="{left:g}" y="{top:g}" width="{width:g}" height="{height:g}" overflow="visible"'
    return f"{own}{place}>{svg.partition('>')[2]}"
