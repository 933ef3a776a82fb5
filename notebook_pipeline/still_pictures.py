"""The opening state of each widget as a picture in its notebook: for GitHub, nbviewer, e-readers.

Drawn from the state that the notebook stores, by the same JavaScript as the page's, so no cell has
to run for it. Words and tables, also those of a widget without a picture, are set as they stand on
the page; fields, hints and tasks are for those who can use them.

    python -m notebook_pipeline.still_pictures            draw them anew in all notebooks
"""

from __future__ import annotations

import html
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode

from notebook_pipeline.canonical_widgets import STILL_PICTURE, stored_models
from notebook_pipeline.find_notebooks import find_notebooks
from notebook_pipeline.outputs import WIDGET_VIEW, outputs
from notebook_pipeline.still_rows import MARGIN, WIDTH, gap, kind_of, pieces_of, rows_of
from site_builder.widgets import drawn, split_state

INKS = {"--qb-real": "#7d8590", "--qb-code": "#2f7de1", "--qb-lost": "#e5484d"}
TEXT, PAPER = "#1f2328", "#ffffff"
FONT = 'font-family="system-ui, sans-serif" font-size="12"'


def draw_stills(notebook: NotebookNode) -> None:
    """Put the picture of each widget beside its view."""
    state = stored_models(notebook)
    models, classes = split_state({"state": {k: v for k, v in state.items() if is_figure(v)}})
    pictures = drawn(models, classes, "pictures")
    for output in outputs(notebook, WIDGET_VIEW):
        id_ = output.data[WIDGET_VIEW]["model_id"]
        output.data.pop(STILL_PICTURE, None)
        if pictures.get(id_):
            output.data[STILL_PICTURE] = composed(output.data["text/plain"], pictures[id_])


def is_figure(model: NotebookNode) -> bool:
    """Tell whether a model is a widget of the course; a question is text."""
    return str(model.state.get("_anywidget_id", "")).startswith("qlearn.course.widgets.")


def composed(text: str, parts: list[dict[str, Any]]) -> str:
    """Return one picture of all parts, one below the other, and small ones side by side.

    Above them stands the widget's line of text, which a viewer that shows the picture leaves out.

    >>> stage = {"svg": "<svg></svg>", "height": 40, "label": "A line.", "margins": ""}
    >>> composed("Line(3): SQNR 40 dB", [stage])[:66]
    '<svg xmlns="http://www.w3.org/2000/svg" width="680" height="110" v'
    """
    title, _, found = text.partition("): ")
    title += ")" if found else ""
    placed, top, before = [], 6.0, ""
    for row in [[part] for part in heads_of(title, found)] + rows_of(parts):
        top += gap(before, row[0])
        left, before = float(MARGIN), kind_of(row[0])
        for piece in (pieces := pieces_of(row)):
            placed.append(piece.at(left, top))
            left += piece.width + MARGIN
        top += max(piece.height for piece in pieces)
    top += MARGIN
    label = html.escape(label_of(text, parts))
    name = html.escape(title, quote=False)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{top:g}" '
        f'viewBox="0 0 {WIDTH} {top:g}" role="img" aria-label="{label}" color="{TEXT}" '
        f'fill="{TEXT}" {FONT}><title>{name}</title>'
        f'<rect width="100%" height="100%" fill="{PAPER}"/>'
    )
    return inked(head + "".join(placed) + "</svg>")


def heads_of(title: str, found: str) -> list[dict[str, Any]]:
    """Return the line of text above the whole, as parts of it."""
    heads = [{"words": title, "look": "title"}, {"words": found, "look": "below"}]
    return [head for head in heads if head["words"]]


def label_of(text: str, parts: list[dict[str, Any]]) -> str:
    """Return what stands for the whole: the pictures' sentences, or all words.

    >>> label_of("Line(3)", [{"svg": "", "label": "A line"}, {"svg": "", "label": "A dot."}])
    'A line. A dot.'
    """
    pictures = [part for part in parts if "svg" in part]
    named = [part.get("label") for part in pictures] or [part.get("words") for part in parts]
    sentences = dict.fromkeys(filter(None, named))  # tiles share one
    if len(pictures) > sum(map(bool, named)):  # those that screen readers pass by
        sentences = {text: None} | sentences
    ended = (each if each[-1] in ".?!" else f"{each}." for each in sentences)
    return " ".join(ended)


def inked(svg: str) -> str:
    """Return the picture with colours in the place of a style's names."""
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
