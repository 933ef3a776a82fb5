"""A notebook that JupyterLab has saved stops the build, which says what to do."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest
from sphinx.errors import ExtensionError

from site_builder.saved_notebooks import refuse

PAGE = Path("book/numbers/rounding_and_clipping.ipynb")


@pytest.fixture
def course(tmp_path: Path) -> SimpleNamespace:
    (tmp_path / PAGE).parent.mkdir(parents=True)
    shutil.copy(PAGE, tmp_path / PAGE)
    return SimpleNamespace(srcdir=str(tmp_path))


def test_a_notebook_as_it_is_written_passes(course: SimpleNamespace) -> None:
    refuse(course)


def test_one_that_jupyterlab_has_saved_is_named(course: SimpleNamespace, tmp_path: Path) -> None:
    """It keeps the old state, and gives each view that it has drawn another model."""
    saved = json.loads((tmp_path / PAGE).read_text(encoding="utf-8"))
    views = (
        output["data"]["application/vnd.jupyter.widget-view+json"]
        for cell in saved["cells"]
        for output in cell.get("outputs", [])
        if "application/vnd.jupyter.widget-view+json" in output.get("data", {})
    )
    next(views)["model_id"] = "another"
    (tmp_path / PAGE).write_text(json.dumps(saved), encoding="utf-8")
    said = f'make outputs NOTEBOOKS="{PAGE}".*git restore {PAGE}'
    with pytest.raises(ExtensionError, match=said):
        refuse(course)
