"""Execute notebooks and write their outputs in canonical form.

    python -m notebook_pipeline.write_outputs [notebook or folder ...]      (make outputs)
    python -m notebook_pipeline.write_outputs --check                       (part of make check)

Canonical means that a second run changes no line: no times, no random ids, minimal metadata,
and a figure keeps its bytes while its pixels stay the same. nbval then compares what is
written here with a fresh run, by the same replacements (tests/nbval_sanitize.cfg). The module
still_pictures writes into outputs too: it draws the widgets' pictures anew, and executes nothing.
"""

from __future__ import annotations

import argparse
import asyncio
import copy
import os
import re
import sys
from pathlib import Path
from typing import Any

import nbformat
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbformat import NotebookNode

from environment.workers import workers_here
from notebook_pipeline.canonical_notebook import (
    SamePicture,
    canonical,
    nearly_same_picture,
    same_picture,
)
from notebook_pipeline.cells import tags
from notebook_pipeline.find_notebooks import NotebookError, find_notebooks
from notebook_pipeline.own_sockets import Kernels

ROOT = Path(__file__).resolve().parent.parent


async def execute(
    notebook: NotebookNode,
    path: Path,
    kernel_manager_class: type[AsyncKernelManager] = Kernels,
    **options: Any,
) -> NotebookNode:
    """Return `notebook` run in its folder by this environment's kernel, or as the options say.

    Raises:
        NotebookError: naming the notebook and the cell that failed.
    """
    fresh = copy.deepcopy(notebook)
    fresh.metadata.pop("widgets", None)
    client = NotebookClient(
        fresh,
        kernel_name="python3",
        record_timing=False,
        coalesce_streams=True,
        store_widget_state=True,
        extra_arguments=["--log-level=ERROR"],
        kernel_manager_class=kernel_manager_class,
        resources={"metadata": {"path": str(path.parent)}},
        **options,
    )
    try:
        await client.async_execute()
    except CellExecutionError as error:
        failed, cell = next((i, c) for i, c in enumerate(fresh.cells, 1) if has_unexpected_error(c))
        said = f"{error.ename}: {error.evalue}".removesuffix(": ")
        raise NotebookError(
            f"{path}: cell {failed} (`{stopped_at(cell, error)}`) raised {said}. "
            "Mend it, or tag it raises-exception if that is what it shows. Nothing was written."
        ) from error
    return fresh


def stopped_at(cell: NotebookNode, error: CellExecutionError) -> str:
    """Return the line at which a cell stopped; its first, where the error names none."""
    plain = re.sub(r"\x1b\[[\d;]*m", "", error.traceback)
    arrow = re.search(r"^-+> *\d+ +(.+)$", plain, re.MULTILINE)
    return arrow[1].strip() if arrow else str(cell.source).strip().partition("\n")[0]


def has_unexpected_error(cell: NotebookNode) -> bool:
    """Tell whether a cell stores an error without being tagged to raise one."""
    tagged = "raises-exception" in tags(cell)
    return not tagged and any(o.output_type == "error" for o in cell.get("outputs", []))


def load(path: Path) -> NotebookNode:
    """Read a notebook; nbformat gives missing cell ids random ones, which are replaced later."""
    return nbformat.read(path, as_version=4)


async def written(path: Path, same: SamePicture, **options: Any) -> str:
    """Return the text that `path` is to have, with the stored pictures that are the `same`."""
    stored = load(path)
    executed = await execute(stored, path.resolve(), **options)
    notebook = canonical(executed, stored, path.stem, same)
    nbformat.validate(notebook)
    return nbformat.writes(notebook) + "\n"


async def write_outputs(paths: list[Path], *, check: bool = False) -> list[Path]:
    """Execute all of `paths`, then write those whose text changed, and return these.

    With `check` none is written, and a picture may differ in a few shades, as it does where
    another processor drew it.

    Raises:
        NotebookError: if a cell of any fails; then none is written.
    """
    same = nearly_same_picture if check else same_picture
    workers = asyncio.Semaphore(workers_here())

    async def one(path: Path) -> str:
        async with workers:
            return await written(path, same)

    texts = await asyncio.gather(*map(one, paths), return_exceptions=True)
    errors = [text for text in texts if isinstance(text, BaseException)]
    for error in errors:
        if not isinstance(error, NotebookError):
            raise error
    if errors:
        raise NotebookError("\n".join(map(str, errors)))
    changed = []
    for path, text in zip(paths, map(str, texts), strict=True):
        if path.read_text(encoding="utf-8") != text:
            changed.append(path)
            if not check:
                path.write_text(text, encoding="utf-8", newline="\n")
    return changed


def main() -> None:
    """Write the outputs of the notebooks named on the command line, of book/ by default."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("places", nargs="*", type=Path, default=[ROOT / "book"])
    parser.add_argument("--check", action="store_true", help="write nothing; fail on a change")
    arguments = parser.parse_args()
    # The kernels inherit it: results of another number of threads differ in their last bits.
    os.environ["OMP_NUM_THREADS"] = "1"
    try:
        notebooks = find_notebooks(arguments.places)
        changed = asyncio.run(write_outputs(notebooks, check=arguments.check))
    except NotebookError as error:
        sys.exit(str(error))
    if changed and arguments.check:
        names = ", ".join(map(str, changed))
        sys.exit(
            f"{names}: not what a fresh run gives. See what `make outputs NOTEBOOKS={changed[0]}` "
            "changes."
        )
    for path in notebooks:
        print(f"{path}: {'written' if path in changed else 'unchanged'}")


if __name__ == "__main__":
    main()
