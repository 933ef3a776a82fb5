"""A notebook that JupyterLab has saved stops the build, which says what to do."""

from __future__ import annotations

import shutil
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest
from sphinx.errors import ExtensionError

from notebook_pipeline.outputs import WIDGET_VIEW, outputs
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
    saved = nbformat.read(tmp_path / PAGE, as_version=4)
    outputs(saved, WIDGET_VIEW)[0].data[WIDGET_VIEW]["model_id"] = "another"
    nbformat.write(saved, tmp_path / PAGE)
    said = f'make outputs NOTEBOOKS="{PAGE}".*git restore {PAGE}'
    with pytest.raises(ExtensionError, match=said):
        refuse(course)
