"""What a committed notebook must satisfy beyond nbval, which cannot see all of it.

Each rule takes a notebook and yields a sentence for each place that breaks it. Those for questions
and exercises are in :mod:`notebook_pipeline.question_rules`.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

from nbformat import NotebookNode

from notebook_pipeline.canonical_notebook import (
    CELL_METADATA,
    KERNELSPEC,
    LANGUAGE_INFO,
    NOTEBOOK_METADATA,
    RANDOM_ID,
)
from notebook_pipeline.canonical_widgets import (
    model_id,
    shown_models,
    stored_models,
    stores_source_in_vain,
)
from notebook_pipeline.cells import code_cells, tags, views_without_state
from notebook_pipeline.outputs import texts
from notebook_pipeline.question_rules import answers_are_out_of_sight, wrong_answers_are_known

Rule = Callable[[NotebookNode], Iterator[str]]

LONGEST_CELL = 16
BIBLIOGRAPHY = Path(__file__).parent.parent / "book" / "references.bib"

# What must not be in an output, since it differs from machine to machine or run to run
UNSTABLE = {
    "an absolute path": r"(?<![^\s\"'(=<])(?:~?/|[A-Z]:\\)(?:[\w.+-]+[/\\])+[\w.+-]+",
    # as `make outputs` stores it
    "the path of a library's file": r"<python>/[\w./+-]*",
    "a memory address": r"\b0x[0-9a-f]{6,}",
    "a time": r"\d ?(?:ns|µs|us|ms|secs?|seconds)\b|\b(?:Wall time|CPU times)\b|per loop\b",
    "a host name": r"\blocalhost\b|\b127\.0\.0\.1\b|\b[\w-]+\.(?:local|internal|lan)\b",
    "a temporary file": r"\bipykernel_\d+",
}

# What must not be in code (set-up rituals, what nbval cannot compare, its ways out), and instead
INSTALLED = "qlearn is installed, so import from it"
KEPT = "a widget of qlearn.course.widgets keeps its state on the page"
LOUD = "print what the reader should see"
FORBIDDEN = {
    "sys.path": (r"\bsys\.path\b", INSTALLED),
    "sys's path": (r"\bfrom sys import\b", INSTALLED),
    "a shell command or magic": (r"^\s*(?:!|%)", "write Python; requirements.txt installs"),
    "IPython itself": (r"\bget_ipython\b", LOUD),
    "interact(": (r"\binteract(?:ive|_manual|ive_output)?\(", KEPT),
    "clear_output": (r"\bclear_output\b", LOUD),
    "a display that changes": (r"\bdisplay_id\b", KEPT),
    "Output(": (r"\bOutput\(", LOUD),
    "silence for the whole notebook": (
        r"^warnings\.(?:filterwarnings|simplefilter)\(",
        "call the function that warns by qlearn.course.quietly",
    ),
    "an nbval marker": (
        r"(?i)#\s*(?:NBVAL_|PYTEST_VALIDATE_)",
        "mend the output until each run gives the same",
    ),
}
NBVAL_TAGS = re.compile(r"nbval-.*")


def was_run_in_order(notebook: NotebookNode) -> Iterator[str]:
    """Each code cell was run, once, from top to bottom: nbval passes one that never was."""
    for count, (index, cell) in enumerate(code_cells(notebook), start=1):
        if cell.execution_count != count:
            yield (
                f"cell {index} has execution count {cell.execution_count}, not {count}: "
                "run `make outputs`"
            )


def errors_are_announced(notebook: NotebookNode) -> Iterator[str]:
    """An error is stored where the tag raises-exception stands, and nowhere else."""
    for index, cell in code_cells(notebook):
        stored = any(output.output_type == "error" for output in cell.outputs)
        tagged = "raises-exception" in tags(cell)
        if stored and not tagged:
            yield (
                f"cell {index} stores an error but is not tagged raises-exception: mend the cell, "
                "or tag it if the error is its point"
            )
        if tagged and not stored:
            yield (
                f"cell {index} is tagged raises-exception but stores no error: take the tag off, "
                "or make the cell fail again"
            )


def outputs_are_stable(notebook: NotebookNode) -> Iterator[str]:
    """No output holds a path, an address, a time or a host name."""
    for index, cell in code_cells(notebook):
        for text in (text for output in cell.outputs for text in texts(output)):
            for what, pattern in UNSTABLE.items():
                if found := re.search(pattern, text):
                    yield (
                        f"cell {index} prints {what}, which other runs do not repeat: "
                        f"{found.group()}; leave it out"
                    )


def code_is_plain(notebook: NotebookNode) -> Iterator[str]:
    """No cell installs, patches the path, or hides its output from nbval."""
    for index, cell in code_cells(notebook):
        for what, (pattern, instead) in FORBIDDEN.items():
            if re.search(pattern, cell.source, re.MULTILINE):
                yield f"cell {index} uses {what}: {instead}"
        for tag in filter(NBVAL_TAGS.fullmatch, tags(cell)):
            yield f"cell {index} has the tag {tag}, which hides it from nbval: take the tag off"


def opens_with_imports(notebook: NotebookNode) -> Iterator[str]:
    """The first code cell is imports only, and can be seen, unless the page shows no code."""
    cells = code_cells(notebook)
    if all("remove-input" in tags(cell) for _, cell in cells):
        return
    for index, cell in cells[:1]:
        try:
            statements = ast.parse(cell.source).body
        except SyntaxError:
            yield f"cell {index}, the first with code, holds more than Python: begin with imports"
            return
        for statement in statements:
            if not isinstance(statement, ast.Import | ast.ImportFrom):
                yield (
                    f"cell {index}, the first with code, holds `{ast.unparse(statement)}`, which "
                    "is no import: move it to the next cell"
                )
        for tag in {"hide-input", "remove-input", "hide-cell", "remove-cell"} & set(tags(cell)):
            yield (
                f"cell {index}, the first with code, is hidden by the tag {tag}: readers need the "
                "imports, so take the tag off"
            )


def cells_are_short(notebook: NotebookNode) -> Iterator[str]:
    """A cell that is shown has few lines."""
    for index, cell in code_cells(notebook):
        lines = len(cell.source.splitlines())
        folded = {"hide-input", "remove-input", "hide-cell"} & set(tags(cell))
        if lines > LONGEST_CELL and not folded:
            yield (
                f"cell {index} has {lines} lines, and a cell that is shown at most {LONGEST_CELL}: "
                "cut it in two, or tag it hide-input"
            )


def metadata_is_minimal(notebook: NotebookNode) -> Iterator[str]:
    """Metadata and ids are as `make outputs` writes them."""
    for key in sorted(set(notebook.metadata) - NOTEBOOK_METADATA):
        yield f"the notebook has metadata {key!r}: run `make outputs`, which leaves it out"
    for key, value in {"kernelspec": KERNELSPEC, "language_info": LANGUAGE_INFO}.items():
        if notebook.metadata.get(key) != value:
            yield f"the notebook's {key} is not {json.dumps(value)}: run `make outputs`"
    for index, cell in enumerate(notebook.cells, start=1):
        for key in sorted(set(cell.metadata) - CELL_METADATA):
            yield f"cell {index} has metadata {key!r}: run `make outputs`, which leaves it out"
        if RANDOM_ID.fullmatch(cell.get("id", "00000000")):
            yield f"cell {index} has a random id or none: run `make outputs`, which names it"


def widgets_are_canonical(notebook: NotebookNode) -> Iterator[str]:
    """Each widget shown has its state stored, and none is stored that is not shown."""
    state = stored_models(notebook)
    shown = shown_models(notebook)
    for model in sorted(set(state) - set(shown)):
        yield f"widget model {model} is stored but not shown: run `make outputs`"
    for index, model in views_without_state(notebook):
        yield f"cell {index} shows widget model {model}, whose state is missing: run `make outputs`"


def widget_ids_are_canonical(notebook: NotebookNode, name: str) -> Iterator[str]:
    """The ids of widget models are those of the notebook `name`, in order of appearance."""
    for index, model in enumerate(shown_models(notebook)):
        if model != model_id(name, index):
            yield (
                f"widget model {model} is not named by its order, as {model_id(name, index)}: "
                "run `make outputs`"
            )


def widget_sources_are_in_the_package(notebook: NotebookNode) -> Iterator[str]:
    """JavaScript and CSS of a widget are the package's: none is stored with its state."""
    state = stored_models(notebook)
    for model in state.values():
        if stores_source_in_vain(model.state):
            yield (
                f"the JavaScript or CSS of {model.state['_anywidget_id']} is stored, and would "
                "grow old: run `make outputs`, which leaves it out"
            )


def figures_are_described(notebook: NotebookNode) -> Iterator[str]:
    """Each picture has a caption, a name to refer to, and text for who cannot see it."""
    for index, cell in code_cells(notebook):
        if any("image/png" in output.get("data", {}) for output in cell.outputs):
            mystnb = cell.metadata.get("mystnb", {})
            figure, image = mystnb.get("figure", {}), mystnb.get("image", {})
            described = {
                "figure.caption": figure.get("caption"),
                "figure.name": figure.get("name"),
                "image.alt": image.get("alt"),
            }
            for key in (key for key, value in described.items() if not value):
                yield f"cell {index} draws a figure without mystnb {key}: add it to its metadata"


@cache
def bibliography() -> set[str]:
    """Return the names in the bibliography."""
    return set(re.findall(r"^@\w+\{([^,\s]+),", BIBLIOGRAPHY.read_text("utf-8"), re.MULTILINE))


def citations_are_known(notebook: NotebookNode) -> Iterator[str]:
    """What a page cites stands in the bibliography."""
    for index, cell in enumerate(notebook.cells, start=1):
        for keys in re.findall(r"\{cite(?::\w+)?\}`([^`]+)`", cell.source):
            for key in sorted({key.strip() for key in keys.split(",")} - bibliography()):
                yield f"cell {index} cites {key}: add it to book/references.bib, or mend the name"


def marks_have_checks(notebook: NotebookNode) -> Iterator[str]:
    """A cell that is marked as equal to torch is a folded check: asserts, and no output."""
    for index, cell in code_cells(notebook):
        if "equals" not in cell.metadata:
            continue
        if "hide-cell" not in tags(cell):
            yield (
                f"cell {index} has `equals` in its metadata, and is not folded by hide-cell: "
                "add the tag"
            )
        if not any(isinstance(part, ast.Assert) for part in ast.walk(ast.parse(cell.source))):
            yield (
                f"cell {index} has `equals` in its metadata, and asserts nothing: assert that the "
                "two are equal, or take `equals` out"
            )
        if cell.outputs:
            yield f"cell {index} has `equals` in its metadata, and prints: assert instead"


RULES: tuple[Rule, ...] = (
    was_run_in_order,
    errors_are_announced,
    outputs_are_stable,
    code_is_plain,
    opens_with_imports,
    cells_are_short,
    metadata_is_minimal,
    widgets_are_canonical,
    widget_sources_are_in_the_package,
    figures_are_described,
    citations_are_known,
    marks_have_checks,
    answers_are_out_of_sight,
    wrong_answers_are_known,
)
