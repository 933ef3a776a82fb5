"""The opening state of each widget as a picture in its notebook: for GitHub, nbviewer, e-readers.

Drawn from the state that the notebook stores, by the same JavaScript as the page's, so no cell has
to run for it. A widget of tables and fields alone has no picture; its line of text stands for it.

    python -m notebook_pipeline.still_pictures            draw them anew in all notebooks
"""

from __future__ import annotations

import html
import re
from itertools import groupby
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode

from notebook_pipeline.canonical_widgets import STILL_PICTURE, WIDGET_VIEW, stored_models
from notebook_pipeline.find_notebooks import find_notebooks
from site_builder.widgets import drawn, split_state

WIDTH, MARGIN, TITLE = 680, 14, 44  # of a whole picture, in pixels
INKS = {"--qb-real": "#7d8590", "--qb-code": "#2f7de1", "--qb-lost": "#e5484d"}
TEXT, PAPER = "#1f2328", "#ffffff"
FONT = 'font-family="system-ui, sans-serif" font-size="12"'
MOST_SQUARES, SQUARE = 3, 205  # pictures without a height of their own: side by side, and so wide


def draw_stills(notebook: NotebookNode) -> None:
    """Put the picture of each widget that has one beside its view."""
    state = stored_models(notebook)
    models, classes = split_state({"state": {k: v for k, v in state.items() if is_figure(v)}})
    pictures = drawn(models, classes, "pictures")
    for output in outputs_with_view(notebook):
        id_ = output.data[WIDGET_VIEW]["model_id"]
        output.data.pop(STILL_PICTURE, None)
        if pictures.get(id_):
            output.data[STILL_PICTURE] = composed(output.data["text/plain"], pictures[id_])


def is_figure(model: NotebookNode) -> bool:
    """Tell whether a model is a widget of the course; a question is text."""
    return str(model.state.get("_anywidget_id", "")).startswith("qlearn.course.widgets.")


def outputs_with_view(notebook: NotebookNode) -> list[NotebookNode]:
    """Return the outputs that show a widget."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    return [output for output in outputs if WIDGET_VIEW in output.get("data", {})]


def composed(text: str, pictures: list[dict[str, Any]]) -> str:
    """Return one picture of all, one below the other; those without a height are rows of squares.

    Above them stands the widget's line of text, which a viewer that shows the picture leaves out.

    >>> stage = {"svg": "<svg></svg>", "height": 40, "label": "A line.", "margins": ""}
    >>> composed("Line(3): SQNR 40 dB", [stage])[:66]
    '<svg xmlns="http://www.w3.org/2000/svg" width="680" height="98" vi'
    """
    title, _, found = html.escape(text, quote=False).partition("): ")
    title += ")" if found else ""
    placed, top = [], float(TITLE)
    for tall, some in groupby(pictures, lambda picture: picture.get("height") is not None):
        for row in rows_of(list(some), 1 if tall else MOST_SQUARES):
            sizes = [size_of(picture, len(row)) for picture in row]
            left = float(MARGIN)
            for picture, (before, width, height) in zip(row, sizes, strict=True):
                placed.append(nested(picture["svg"], left + before, top, width, height))
                left += before + width + MARGIN
            top += max(height for *_, height in sizes) + MARGIN
    labels = [picture["label"] for picture in pictures if picture["label"] is not None]
    if len(labels) < len(pictures):  # tiles that screen readers pass by: the line speaks for them
        labels.insert(0, text)
    label = html.escape(" ".join(labels))
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{top:g}" '
        f'viewBox="0 0 {WIDTH} {top:g}" role="img" aria-label="{label}" color="{TEXT}" '
        f'fill="{TEXT}" {FONT}><title>{title}</title>'
        f'<rect width="100%" height="100%" fill="{PAPER}"/>'
        f'<text x="{MARGIN}" y="18" font-weight="600">{title}</text>'
        f'<text x="{MARGIN}" y="36">{found}</text>'
    )
    return inked(head + "".join(placed) + "</svg>")


def rows_of(pictures: list[dict[str, Any]], most: int) -> list[list[dict[str, Any]]]:
    """Return the pictures in rows; many small ones are eight side by side."""
    most = 8 if len(pictures) >= 8 else most
    return [pictures[i : i + most] for i in range(0, len(pictures), most)]


def size_of(picture: dict[str, Any], in_row: int) -> tuple[float, float, float]:
    """Return the room to the left of a picture, its width and its height, in pixels."""
    if picture.get("height") is not None:
        margins = {side: float(px) for side, px in MARGINS.findall(picture["margins"] or "")}
        left, right = margins.get("left", 0), margins.get("right", 0)
        limit = margins.get("max", WIDTH)
        return left, min(WIDTH - 2 * MARGIN - left - right, limit), float(picture["height"])
    width = min(SQUARE, (WIDTH - MARGIN) / in_row - MARGIN)
    *_, across, down = (float(number) for number in picture["viewBox"].split())
    return 0, round(width, 1), round(width * down / across, 1)


MARGINS = re.compile(r"(?:margin-|)(left|right|max)(?:-width|): ([\d.]+)px")


def nested(svg: str, left: float, top: float, width: float, height: float) -> str:
    """Return the picture at its place in another one."""
    own = re.sub(r' (?:height|role|aria-hidden|aria-label)="[^"]*"', "", svg.partition(">")[0])
    place = f' x="{left:g}" y="{top:g}" width="{width:g}" height="{height:g}" overflow="visible"'
    return f"{own}{place}>{svg.partition('>')[2]}"


def inked(svg: str) -> str:
    """Return the picture with colours in the place of a style's names, and closed elements."""
    for name, colour in INKS.items():
        svg = svg.replace(f"var({name})", colour)
    return svg


def main() -> None:
    """Draw the pictures anew, and write the notebooks in which one changed."""
    for path in find_notebooks([Path("book")]):
        notebook = nbformat.read(path, as_version=4)
        draw_stills(notebook)
        text = nbformat.writes(notebook) + "\n"
        if path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8", newline="\n")
            print(path)


if __name__ == "__main__":
    main()
