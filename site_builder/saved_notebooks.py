"""A notebook that JupyterLab has saved is refused, with a way out.

JupyterLab stores the views of widgets and not their state, from which the site draws them.
"""

from __future__ import annotations

from pathlib import Path

import nbformat
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from notebook_pipeline.cells import views_without_state
from notebook_pipeline.find_notebooks import find_notebooks


def setup(app: Sphinx) -> None:
    """Look at the notebooks before a page is made of them."""
    app.connect("builder-inited", refuse)


def refuse(app: Sphinx) -> None:
    """Stop the build if a notebook lacks the state of its widgets.

    Raises:
        ExtensionError: it names them, and what to do.
    """
    folder = Path(app.srcdir)
    lacking = [
        str(path.relative_to(folder))
        for path in find_notebooks([folder / "book"])
        if any(views_without_state(nbformat.read(path, as_version=4)))
    ]
    if lacking:
        raise ExtensionError(sentence(lacking))


def sentence(notebooks: list[str]) -> str:
    """Say which notebooks lack it, and the two ways out.

    >>> print(sentence(["book/a.ipynb"]))  # doctest: +ELLIPSIS
    Figures and questions lack their state in book/a.ipynb: JupyterLab stores none when...
    """
    names = " ".join(notebooks)
    return (
        f"Figures and questions lack their state in {names}: JupyterLab stores none when it saves "
        "a notebook whose cells it has run. To keep what you wrote, let the course run them: make "
        f'outputs NOTEBOOKS="{names}". To take your changes back: git restore {names}'
    )
