"""What a committed notebook must satisfy beyond nbval, which cannot see all of it.

Each rule takes a notebook and yields a sentence for each place that breaks it.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from nbformat import NotebookNode

from notebook_pipeline.canonical_notebook import (
    CELL_METADATA,
    KERNELSPEC,
    LANGUAGE_INFO,
    NOTEBOOK_METADATA,
    RANDOM_ID,
)
from notebook_pipeline.canonical_widgets import (
    WIDGET_VIEW,
    model_id,
    shown_models,
    stored_models,
    stores_source_in_vain,
)

Rule = Callable[[NotebookNode], Iterator[str]]

LONGEST_CELL = 16
QUESTION = "qlearn.course.question.Question"
KNOWN_WRONG = 3
OFFER = r"\b(guess|predict|without a kernel|on this page you)\b"  # something to answer at once

# What must not be in an output, since it differs from machine to machine or run to run
UNSTABLE = {
    "an absolute path": r"(?<![^\s\"'(=<])(?:~?/|[A-Z]:\\)(?:[\w.+-]+[/\\])+[\w.+-]+",
    "a memory address": r"\b0x[0-9a-f]{6,}",
    "a time": r"\d ?(?:ns|µs|us|ms|secs?|seconds)\b|\b(?:Wall time|CPU times)\b|per loop\b",
    "a host name": r"\blocalhost\b|\b127\.0\.0\.1\b|\b[\w-]+\.(?:local|internal|lan)\b",
    "a temporary file": r"\bipykernel_\d+",
}

# What must not be in code: set-up rituals, what nbval cannot compare, and its ways out
FORBIDDEN = {
    "sys.path": r"\bsys\.path\b",
    "sys's path": r"\bfrom sys import\b",
    "a shell command or magic": r"^\s*(?:!|%)",
    "IPython itself": r"\bget_ipython\b",
    "interact(": r"\binteract(?:ive|_manual|ive_output)?\(",
    "clear_output": r"\bclear_output\b",
    "a display that changes": r"\bdisplay_id\b",
    "Output(": r"\bOutput\(",
    "silence for the whole notebook": r"^warnings\.(?:filterwarnings|simplefilter)\(",
    "an nbval marker": r"(?i)#\s*(?:NBVAL_|PYTEST_VALIDATE_)",
}
NBVAL_TAGS = re.compile(r"nbval-.*")


def code_cells(notebook: NotebookNode) -> list[tuple[int, NotebookNode]]:
    """Return the code cells that have code, with their places in the notebook."""
    cells = enumerate(notebook.cells)
    return [(i, c) for i, c in cells if c.cell_type == "code" and c.source.strip()]


def tags(cell: NotebookNode) -> list[str]:
    """Return a cell's tags."""
    return cell.metadata.get("tags", [])


def texts(output: NotebookNode) -> Iterator[str]:
    """Yield the text of an output, in every text format that it has."""
    if output.output_type == "stream":
        yield output.text
    elif output.output_type == "error":
        yield output.evalue
        yield from (re.sub(r"\x1b\[[\d;]*m", "", line) for line in output.traceback)
    else:
        yield from (v for k, v in output.data.items() if k.startswith("text/"))


def was_run_in_order(notebook: NotebookNode) -> Iterator[str]:
    """Each code cell was run, once, from top to bottom: nbval passes one that never was."""
    for count, (index, cell) in enumerate(code_cells(notebook), start=1):
        if cell.execution_count != count:
            yield f"cell {index} has execution count {cell.execution_count}, not {count}"


def errors_are_announced(notebook: NotebookNode) -> Iterator[str]:
    """An error is stored where the tag raises-exception stands, and nowhere else."""
    for index, cell in code_cells(notebook):
        stored = any(output.output_type == "error" for output in cell.outputs)
        tagged = "raises-exception" in tags(cell)
        if stored and not tagged:
            yield f"cell {index} stores an error but is not tagged raises-exception"
        if tagged and not stored:
            yield f"cell {index} is tagged raises-exception but stores no error"


def outputs_are_stable(notebook: NotebookNode) -> Iterator[str]:
    """No output holds a path, an address, a time or a host name."""
    for index, cell in code_cells(notebook):
        for text in (text for output in cell.outputs for text in texts(output)):
            for what, pattern in UNSTABLE.items():
                if found := re.search(pattern, text):
                    yield f"cell {index} prints {what}: {found.group()}"


def code_is_plain(notebook: NotebookNode) -> Iterator[str]:
    """No cell installs, patches the path, or hides its output from nbval."""
    for index, cell in code_cells(notebook):
        for what, pattern in FORBIDDEN.items():
            if re.search(pattern, cell.source, re.MULTILINE):
                yield f"cell {index} uses {what}"
        for tag in filter(NBVAL_TAGS.fullmatch, tags(cell)):
            yield f"cell {index} has the tag {tag}, which hides it from nbval"


def opens_with_imports(notebook: NotebookNode) -> Iterator[str]:
    """The first code cell is imports only, and can be seen, unless the page shows no code."""
    cells = code_cells(notebook)
    if all("remove-input" in tags(cell) for _, cell in cells):
        return
    for index, cell in cells[:1]:
        try:
            statements = ast.parse(cell.source).body
        except SyntaxError:
            yield f"cell {index}, the first with code, holds more than plain Python"
            return
        for statement in statements:
            if not isinstance(statement, ast.Import | ast.ImportFrom):
                yield f"cell {index}, the first with code, holds `{ast.unparse(statement)}`"
        for tag in {"hide-input", "remove-input", "hide-cell", "remove-cell"} & set(tags(cell)):
            yield f"cell {index}, the first with code, is hidden by the tag {tag}"


def cells_are_short(notebook: NotebookNode) -> Iterator[str]:
    """A cell that is shown has few lines."""
    for index, cell in code_cells(notebook):
        lines = len(cell.source.splitlines())
        folded = {"hide-input", "remove-input", "hide-cell"} & set(tags(cell))
        if lines > LONGEST_CELL and not folded:
            yield f"cell {index} has {lines} lines, more than {LONGEST_CELL}, and is not hide-input"


def metadata_is_minimal(notebook: NotebookNode) -> Iterator[str]:
    """Metadata and ids are as `make outputs` writes them."""
    for key in sorted(set(notebook.metadata) - NOTEBOOK_METADATA):
        yield f"the notebook has metadata {key!r}"
    for key, value in {"kernelspec": KERNELSPEC, "language_info": LANGUAGE_INFO}.items():
        if notebook.metadata.get(key) != value:
            yield f"the notebook's {key} is not {json.dumps(value)}"
    for index, cell in enumerate(notebook.cells):
        for key in sorted(set(cell.metadata) - CELL_METADATA):
            yield f"cell {index} has metadata {key!r}"
        if RANDOM_ID.fullmatch(cell.get("id", "00000000")):
            yield f"cell {index} has a random id or none"


def widgets_are_canonical(notebook: NotebookNode) -> Iterator[str]:
    """Each widget shown has its state stored, and none is stored that is not shown."""
    state = stored_models(notebook)
    shown = shown_models(notebook)
    for model in sorted(set(state) - set(shown)):
        yield f"widget model {model} is stored but not shown"
    for index, model in views_without_state(notebook):
        yield f"cell {index} shows widget model {model}, whose state is missing"


def views_without_state(notebook: NotebookNode) -> Iterator[tuple[int, str]]:
    """Yield the place of each cell that shows a widget whose state is not stored, and its model."""
    state = stored_models(notebook)
    for index, cell in code_cells(notebook):
        for output in cell.outputs:
            view = output.get("data", {}).get(WIDGET_VIEW)
            if view and view["model_id"] not in state:
                yield index, view["model_id"]


def widget_ids_are_canonical(notebook: NotebookNode, name: str) -> Iterator[str]:
    """The ids of widget models are those of the notebook `name`, in order of appearance."""
    for index, model in enumerate(shown_models(notebook)):
        if model != model_id(name, index):
            yield f"widget model {model} is not named by its order, as {model_id(name, index)}"


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
                yield f"cell {index} draws a figure without mystnb {key} in its metadata"


def marks_have_checks(notebook: NotebookNode) -> Iterator[str]:
    """A cell that is marked as equal to torch is a folded check: asserts, and no output."""
    for index, cell in code_cells(notebook):
        if "equals" not in cell.metadata:
            continue
        if "hide-cell" not in tags(cell):
            yield f"cell {index} has `equals` in its metadata, and is not folded by hide-cell"
        if not any(isinstance(part, ast.Assert) for part in ast.walk(ast.parse(cell.source))):
            yield f"cell {index} has `equals` in its metadata, and asserts nothing"
        if cell.outputs:
            yield f"cell {index} has `equals` in its metadata, and prints: assert instead"


def questions(notebook: NotebookNode) -> Iterator[tuple[int, NotebookNode, dict[str, Any]]]:
    """Yield the place of each cell that asks a question, the cell, and the question's state."""
    state = stored_models(notebook)
    for index, cell in code_cells(notebook):
        for output in cell.outputs:
            view = output.get("data", {}).get(WIDGET_VIEW)
            stored = state.get(view["model_id"], {}).get("state", {}) if view else {}
            if stored.get("_anywidget_id") == QUESTION:
                yield index, cell, stored


def answers_are_out_of_sight(notebook: NotebookNode) -> Iterator[str]:
    """The code of a question holds its answer: neither page nor JupyterLab shows it."""
    for index, cell, _ in questions(notebook):
        if "remove-input" not in tags(cell):
            yield f"cell {index} asks a question, and the page shows its code: tag it remove-input"
        if not cell.metadata.get("jupyter", {}).get("source_hidden"):
            yield f"cell {index} asks a question: set source_hidden in its metadata, for JupyterLab"


def wrong_answers_are_known(notebook: NotebookNode) -> Iterator[str]:
    """A question has a sentence for each of three wrong answers at least."""
    for index, _, stored in questions(notebook):
        known = len(stored["asked"]["known"])
        if known < KNOWN_WRONG:
            yield (
                f"cell {index} knows {known} wrong answers to {stored['name']!r}, not "
                f"{KNOWN_WRONG}: which others will readers give?"
            )


def exercises_of(notebook: NotebookNode) -> Iterator[tuple[str, str]]:
    """Give the label of each exercise, and all that stands in it before its solution."""
    text = "\n".join(cell.source for cell in notebook.cells)
    for exercise in text.split("{exercise-start}")[1:]:
        [label] = re.findall(r":label: (\S+)", exercise)[:1]
        yield label, exercise.partition("{solution-start}")[0]


def exercises_are_checked(notebook: NotebookNode) -> Iterator[str]:
    """Before its solution an exercise asks a question, or `check` tries the reader's code.

    It is no rule of the template, whose exercise waits for a question of the chapter's own.
    """
    for label, asked in exercises_of(notebook):
        if not re.search(r"^(Question|check)\(", asked, re.MULTILINE):
            yield f"the exercise {label} has nothing that checks an answer: a Question, or `check`"


def guesses_are_checked(notebook: NotebookNode) -> Iterator[str]:
    """What an exercise lets readers do without a kernel has a Question, also beside `check`.

    A guess without a field has its answer in the folded solution alone, and `check` needs a kernel.
    """
    for label, asked in exercises_of(notebook):
        offer = re.search(OFFER, asked, re.IGNORECASE)
        if offer and not re.search(r"^Question\(", asked, re.MULTILINE):
            yield f"the exercise {label} says `{offer[0]}` and has no Question for the answer"


def question_names_are_unique(notebooks: Mapping[str, NotebookNode]) -> Iterator[str]:
    """No two questions of the book share a name: solving one would tick the other."""
    first: dict[str, str] = {}
    for page, notebook in notebooks.items():
        for index, _, stored in questions(notebook):
            place = f"cell {index} of {page}"
            if stored["name"] in first:
                yield f"{place} asks {stored['name']!r}, as does {first[stored['name']]}"
            first.setdefault(stored["name"], place)


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
    marks_have_checks,
    answers_are_out_of_sight,
    wrong_answers_are_known,
)
