"""Execute a notebook in this process, and compare the text of each output with the stored one.

No Jupyter kernel is needed, so that it runs under an emulator too. What is compared is what
nbval compares: streams, the texts of results and displays, names and messages of errors.

    python -m machines.notebook book/numbers/quantized_tensors.ipynb
    python -m machines.notebook --margins 1e-6 book/numbers/quantized_tensors.ipynb
"""

from __future__ import annotations

import argparse
import contextlib
import difflib
import io
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import nbformat
from IPython.core.displayhook import DisplayHook
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from machines.margins import NOTE, Notes
from machines.marks import allows, mark_of
from notebook_pipeline.cells import code_cells, tags

TEMPORARY = (
    (r"<ipython-input-\S+>|<cell>|\S*[/\\]ipykernel_\d+[/\\]\d+\.py", "<cell>"),
    (r"\S*[/\\](site-packages|dist-packages|lib[/\\]python3\.\d+)[/\\]", "<python>/"),
    (r" at 0x[0-9a-f]+", " at <address>"),
)


@dataclass
class Cell:
    """One code cell: what is stored, what came out here, and the mark that allows another."""

    name: str
    mark: str
    stored: str
    found: str

    @property
    def verdict(self) -> str:
        """Return "same", "marked" or "red"."""
        if self.stored == self.found:
            return "same"
        return "marked" if allows(self.mark) and not self.found.startswith("!") else "red"


class PlainResults(DisplayHook):
    """Keep the texts of a cell's result apart from what it prints, as a kernel sends them."""

    def write_output_prompt(self) -> None:
        """Write nothing."""

    def write_format_data(self, format_dict: dict[str, str], md_dict: Any = None) -> None:
        """Keep its texts."""
        if isinstance(self.shell, Shell):
            self.shell.results.append(text_formats(format_dict))

    def finish_displayhook(self) -> None:
        """Write no further line."""
        sys.stdout.flush()


class Shell(InteractiveShell):
    """A session without prompts, history or a terminal's event loop."""

    displayhook_class = PlainResults
    results: list[str]

    def init_history(self) -> None:
        """Keep none: there is no file to write it to."""
        super().init_history()
        if self.history_manager is not None:
            self.history_manager.enabled = False

    def enable_gui(self, gui: str | None = None) -> None:
        """Join no event loop: there is none."""


def execute(path: Path, notes: Notes | None = None) -> Iterator[Cell]:
    """Yield each code cell of a notebook, run in order in a new session; note printed numbers."""
    notebook = nbformat.read(path, as_version=4)
    with contextlib.chdir(path.parent):
        shell = new_shell()
        if notes is not None:
            shell.ast_transformers.append(notes)
            shell.user_ns[NOTE] = notes.note
        for _, cell in code_cells(notebook):
            found = text_of(run_cell(shell, cell.source))
            if found.startswith("!") and "raises-exception" in tags(cell):
                found = found[1:]
            stored = text_of(map(stored_text, cell.outputs))
            yield Cell(cell.id, mark_of(tags(cell)), stored, found)


def new_shell() -> Shell:
    """Return a session as a notebook's kernel gives it, with pictures inline."""
    Shell.clear_instance()
    shell = Shell.instance(user_ns={"__name__": "__main__"})
    with contextlib.redirect_stdout(io.StringIO()):
        shell.run_line_magic("matplotlib", "inline")
    return shell


def run_cell(shell: Shell, source: str) -> Iterator[str]:
    """Run one cell and yield the text of its outputs; an error's begins with "!"."""
    shell.results = []
    with capture_output() as captured:
        result = shell.run_cell(source, store_history=True, silent=False)
    error = result.error_before_exec or result.error_in_exec
    if error is not None:
        yield f"!{type(error).__name__}: {error}\n"
    yield captured.stderr
    yield "" if error is not None else captured.stdout
    yield from shell.results
    for output in captured.outputs:
        yield text_formats(output.data)


def stored_text(output: nbformat.NotebookNode) -> str:
    """Return the text of one stored output."""
    if output.output_type == "stream":
        return str(output.text)
    if output.output_type == "error":
        return f"{output.ename}: {output.evalue}\n"
    return text_formats(output.data)


def text_formats(data: dict[str, Any]) -> str:
    """Return an output's texts: plain, Markdown, HTML."""
    return "".join(f"{data[kind]}\n" for kind in sorted(data) if kind.startswith("text/"))


def text_of(parts: Iterator[str]) -> str:
    """Join outputs, sorted, since streams and displays interleave differently; no addresses."""
    text = "".join(sorted(part for part in parts if part))
    for pattern, replacement in TEMPORARY:
        text = re.sub(pattern, replacement, text)
    return text


def report(cell: Cell) -> str:
    """Return what differs in a cell, for a person."""
    lines = difflib.unified_diff(
        cell.stored.splitlines(), cell.found.splitlines(), "stored", "here", lineterm="", n=0
    )
    return f"{cell.name} is {cell.verdict}\n  " + "\n  ".join(lines)


def run_and_report(path: Path, margins: float = 0.0) -> list[Cell]:
    """Execute one notebook, say what differs, and return its cells.

    With margins, numbers are named that are printed closer to a boundary than that.
    """
    notes = Notes() if margins else None
    cells = []
    for cell in execute(path.resolve(), notes):
        cells.append(cell)
        if cell.verdict != "same":
            print(report(cell), flush=True)
        for number, spec, share in notes.taken() if notes else ():
            if share < margins:
                print(f"{cell.name}: {number!r} as {spec} has a margin of {share:.1e}", flush=True)
    counts = {v: sum(cell.verdict == v for cell in cells) for v in ("same", "marked", "red")}
    print(f"{path}: " + ", ".join(f"{n} {verdict}" for verdict, n in counts.items()))
    return cells


def main() -> int:
    """Execute one notebook; say what differs, or which printed numbers are close to a boundary."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("notebook", type=Path)
    parser.add_argument("--json", type=Path, help="write the cells there")
    parser.add_argument(
        "--margins", type=float, default=0.0, help="name numbers with a smaller margin"
    )
    arguments = parser.parse_args()
    cells = run_and_report(arguments.notebook, arguments.margins)
    if arguments.json:
        rows = [asdict(cell) | {"verdict": cell.verdict} for cell in cells]
        arguments.json.write_text(json.dumps(rows, ensure_ascii=False), "utf-8")
    return int(any(cell.verdict == "red" for cell in cells))


if __name__ == "__main__":
    sys.exit(main())
