"""The tables on the page of API status, made from the record.

The build stops when the record has no run of the installed torch and torchao, or not of these
entry points.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from api_status.entries import NEW, OLD, Entry
from api_status.record import installed, load
from site_builder.markdown import escaped, table


def parts(_: Sphinx | None = None) -> dict[str, str]:
    """Return the two tables, the versions and the sentences, by their marks.

    Raises:
        ExtensionError: the record is not of what is installed here, or of other entries.
    """
    runs = load()
    if missing := what_is_missing(runs):
        raise ExtensionError(f"the page of API status would not be true: {missing}")
    notes = numbered(runs)
    return {
        "table: OLD": statuses(OLD, runs, notes),
        "table: NEW": statuses(NEW, runs, notes),
        "versions": versions(runs),
        "what they say": "\n".join(f"{n}. {plain(note)}" for note, n in notes.items()),
    }


def what_is_missing(runs: Sequence[dict[str, Any]]) -> str:
    """Return why the record does not describe what is installed, or an empty string."""
    here = installed("torch"), installed("torchao")
    if here not in {(run["torch"], run["torchao"]) for run in runs}:
        return "nothing was tried with torch {} and torchao {}: run `make api-status`".format(*here)
    names = [entry.name for entry in OLD + NEW]
    for run in runs:
        if list(run["rows"]) != names:
            return f"with torch {run['torch']} other entry points were tried: run it there again"
    return ""


def numbered(runs: Sequence[dict[str, Any]]) -> dict[str, int]:
    """Return a number for each sentence, in the order in which the tables show them."""
    rows = [run["rows"][entry.name] for entry in OLD + NEW for run in runs]
    sentences = dict.fromkeys(sentence for row in rows for sentence in row["says"])
    return {sentence: number for number, sentence in enumerate(sentences, start=1)}


def statuses(
    entries: Sequence[Entry], runs: Sequence[dict[str, Any]], notes: dict[str, int]
) -> str:
    """Return a Markdown table: a row for each entry point, a column for each torch."""
    heads, lines = ["entry point", *(run["torch"] for run in runs)], []
    for entry in entries:
        name = f"`{entry.name}`" if entry.name == entry.code else code(entry.name)
        if entry.replaced_by:
            name += f"<br>→\N{NO-BREAK SPACE}{code(entry.replaced_by)}"
        lines.append([name, *(cell(run["rows"][entry.name], notes) for run in runs)])
    return table(heads, lines, align="l" * len(heads), look="api-status")


def cell(row: dict[str, Any], notes: dict[str, int]) -> str:
    """Return a status with the numbers of what was said, as in `warns 1, 3`."""
    numbers = ", ".join(str(number) for number in sorted(notes[say] for say in row["says"]))
    return f"{row['status']} {numbers}".strip()


def code(words: str) -> str:
    """Return words with the names in them set as code: those with a dot, `_`, `(` or capitals."""

    def is_name(word: str) -> bool:
        bare = word.strip(",;")
        return any(c in bare for c in "._()*") or bare[1:] != bare[1:].lower()

    shown = [
        f"`{w.rstrip(',;')}`{w[len(w.rstrip(',;')) :]}" if is_name(w) and w != "LSTM" else w
        for w in words.split(" ")
    ]
    return " ".join(shown)


def plain(sentence: str) -> str:
    """Return a sentence that Markdown shows as it is, and without marks of code."""
    return escaped(sentence.replace("`", ""))


def versions(runs: Sequence[dict[str, Any]]) -> str:
    """Return the runs as a list."""
    lines = [
        f"- torch {run['torch']} with torchao {run['torchao']}, Python {run['python']}, "
        f"{run['system']}, on {run['date']}"
        for run in runs
    ]
    return "\n".join(lines)
