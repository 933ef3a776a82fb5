"""The still picture of each widget: in its notebook, of the stored state, able to stand alone."""

from __future__ import annotations

import copy
import re
from pathlib import Path
from xml.etree import ElementTree

import nbformat
import pytest
from nbformat import NotebookNode

from notebook_pipeline.canonical_widgets import STILL_PICTURE
from notebook_pipeline.outputs import WIDGET_STATE, WIDGET_VIEW, outputs
from notebook_pipeline.still_pictures import draw_stills
from tests.course.widgets.examples import EXAMPLES

BOOK = Path(__file__).parents[2] / "book"
LARGEST = {"Journey": 130_000}  # more than ten thousand squares, and 13 kB once compressed
TEXT_ONLY = {"Question"}  # whose text stands in the notebook


def notebook(name: str) -> NotebookNode:
    return nbformat.read(BOOK / f"{name}.ipynb", as_version=4)


def pictures(shown: NotebookNode) -> dict[str, str]:
    """Return the stored pictures by the line of text beside them."""
    found = [o.data for o in outputs(shown, WIDGET_VIEW) if STILL_PICTURE in o.data]
    return {data["text/plain"]: data[STILL_PICTURE] for data in found}


def widgets(shown: NotebookNode) -> set[str]:
    """Return the names of the classes of which a notebook shows a widget."""
    texts = [output.data["text/plain"] for output in outputs(shown, WIDGET_VIEW)]
    return {re.split(r"[( ]", text)[0] for text in texts}


SHOWN = sorted(
    str(path.relative_to(BOOK).with_suffix(""))
    for path in BOOK.rglob("*.ipynb")
    if widgets(nbformat.read(path, as_version=4)) - TEXT_ONLY
)


@pytest.mark.parametrize("name", SHOWN)
def test_each_widget_has_the_picture_of_its_stored_state(name: str) -> None:
    stored = notebook(name)
    anew = copy.deepcopy(stored)
    draw_stills(anew)
    found, wanted = pictures(stored), pictures(anew)
    assert {text.partition("(")[0] for text in wanted} == widgets(stored) - TEXT_ONLY
    assert found == wanted, "draw them: python -m notebook_pipeline.still_pictures"
    for text, picture in found.items():
        root = ElementTree.fromstring(picture)
        assert root.get("role") == "img" and len(root.get("aria-label", "")) > 20
        assert "".join(root.itertext()).count(text.partition("(")[0]) == 2  # title and heading
        assert not re.search(r"var\(|<script|<foreignObject|href|class=\"qb-tight", picture)
        assert len(picture) < LARGEST.get(text.partition("(")[0], 60_000)


def test_every_widget_of_the_course_is_on_a_page() -> None:
    shown = set().union(*(widgets(notebook(name)) for name in SHOWN))
    missing = sorted(set(EXAMPLES) - TEXT_ONLY - shown)
    assert not missing, f"{missing} are on no page: show them in a chapter, and run `make outputs`"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("integers/journey", ["conv1: sums", "3.07", "51259", "Multiply 9 codes", "it means"]),
        ("models/dynamic_quantization", ["Layer 3 LSTM, features 256, hidden 512", "1.59 MB in"]),
        ("integers/dynamic_linear", ["output, exact", "−0.5", "Accumulator, the difference"]),
        ("language/activations", ["Inputs to round: full colour is"]),
        ("start/which_one", ["Where will it run?", "→ processor, PyTorch", "quantize_(model, "]),
        ("today/qconfig", ['.set_module_name("block1", QConfig D)', "block2.act"]),
    ],
)
def test_the_words_of_the_page_stand_beside_its_pictures(name: str, words: list[str]) -> None:
    (picture,) = pictures(notebook(name)).values()
    said = {each.text for each in ElementTree.fromstring(picture).iter() if each.text}
    assert [each for each in words if not any(each in text for text in said)] == []
    assert not [text for text in said if "Your task" in text or "Link to" in text]


def test_each_part_of_a_label_is_a_sentence() -> None:
    for name in SHOWN:
        for picture in pictures(notebook(name)).values():
            label = ElementTree.fromstring(picture).get("aria-label", "")
            assert label[-1] in ".?!", f"{name}: {label}"


def test_a_picture_of_another_state_is_seen() -> None:
    shown = notebook("intro")
    models = shown.metadata.widgets[WIDGET_STATE]["state"].values()
    [quantizer] = [model.state for model in models if "zero_point" in model.state]
    draw_stills(shown)
    before = pictures(shown)
    quantizer["scale"] = 0.05
    draw_stills(shown)
    assert before.keys() == pictures(shown).keys() and before != pictures(shown)
