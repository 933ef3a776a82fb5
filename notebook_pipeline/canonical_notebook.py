"""A notebook in canonical form: no times, no random ids, no paths, minimal metadata."""

from __future__ import annotations

import base64
import copy
import hashlib
import io
import re
from collections.abc import Callable
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbval.plugin import get_sanitize_patterns
from PIL import Image, ImageChops, ImageStat

from notebook_pipeline.canonical_widgets import canonical_widgets
from notebook_pipeline.outputs import outputs
from notebook_pipeline.still_pictures import draw_stills

SANITIZERS = Path(__file__).resolve().parent.parent / "tests" / "nbval_sanitize.cfg"

KERNELSPEC = {"display_name": "python3", "name": "python3"}
LANGUAGE_INFO = {"name": "python"}
NOTEBOOK_METADATA = {"kernelspec", "language_info", "widgets"}
CELL_METADATA = {"tags", "mystnb", "equals", "jupyter", "slideshow"}
NEARLY_SAME_SHADES = 1.0  # of 255, the mean over all pixels

SamePicture = Callable[[str, str], bool]

PNG = "image/png"
# JupyterLab's and nbformat's random cell ids
RANDOM_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{8}")


def sanitized(text: str) -> str:
    """Return `text` with the replacements of tests/nbval_sanitize.cfg made."""
    for regex, replacement in get_sanitize_patterns(SANITIZERS.read_text()):
        text = re.sub(regex, replacement, text)
    return text


def sanitize_output(output: NotebookNode) -> None:
    """Make the replacements in the text of one output."""
    if output.output_type == "stream":
        output.text = sanitized(output.text)
    elif output.output_type == "error":
        output.traceback = [sanitized(line) for line in output.traceback]
    elif "text/plain" in output.data:
        output.data["text/plain"] = sanitized(output.data["text/plain"])


def same_picture(old: str, new: str) -> bool:
    """Tell whether two base64 PNGs show the same pixels; their bytes may name versions."""
    images = [Image.open(io.BytesIO(base64.b64decode(png))).convert("RGBA") for png in (old, new)]
    return images[0].size == images[1].size and images[0].tobytes() == images[1].tobytes()


def nearly_same_picture(old: str, new: str) -> bool:
    """Tell whether two base64 PNGs of one size differ by no more than a shade on average."""
    images = [Image.open(io.BytesIO(base64.b64decode(png))).convert("RGB") for png in (old, new)]
    if images[0].size != images[1].size:
        return False
    means = ImageStat.Stat(ImageChops.difference(*images)).mean
    return max(means) <= NEARLY_SAME_SHADES


def keep_pictures(new: NotebookNode, old: NotebookNode, same: SamePicture) -> None:
    """Put back the stored PNG of each output whose picture is the same."""
    stored = [output.data[PNG] for output in outputs(old, PNG)]
    for output in outputs(new, PNG):
        kept = (png for png in stored if same(png, output.data[PNG]))
        output.data[PNG] = next(kept, output.data[PNG])


def name_cells(notebook: NotebookNode) -> None:
    """Give each cell an id that stays: its own, or one from its text where that is random."""
    taken: set[str] = set()
    for cell in notebook.cells:
        name = cell.get("id", "")
        if not name or name in taken or RANDOM_ID.fullmatch(name):
            digest = hashlib.sha256(f"{cell.cell_type}:{cell.source}".encode()).hexdigest()
            name = "cell-" + digest[:8]
        while name in taken:
            name += "-again"
        cell.id = name
        taken.add(name)


def canonical(
    executed: NotebookNode, stored: NotebookNode, name: str, same: SamePicture = same_picture
) -> NotebookNode:
    """Return an executed notebook in canonical form, with what has not changed as `stored`."""
    notebook = copy.deepcopy(executed)
    canonical_widgets(notebook, name)
    kept = {k: v for k, v in notebook.metadata.items() if k in NOTEBOOK_METADATA}
    kept |= {"kernelspec": KERNELSPEC, "language_info": LANGUAGE_INFO}
    notebook.metadata = nbformat.from_dict(kept)
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    for cell in notebook.cells:
        cell.metadata = {k: v for k, v in cell.metadata.items() if k in CELL_METADATA}
        if not cell.source.strip() and cell.cell_type == "code":
            cell.execution_count, cell.outputs = None, []  # not run, whatever was stored
    for output in outputs(notebook):
        sanitize_output(output)
    draw_stills(notebook)
    name_cells(notebook)
    keep_pictures(notebook, stored, same)
    return notebook
