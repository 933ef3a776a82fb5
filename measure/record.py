"""The record: a column for each machine; a new run replaces its own column and no other."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

RECORD = Path(__file__).resolve().parent.parent / "qlearn" / "course" / "measured.json"


def load(path: Path = RECORD) -> dict[str, Any]:
    """Return the record, empty where there is none."""
    return json.loads(path.read_text("utf-8")) if path.exists() else {"columns": [], "runs": []}


def with_column(record: dict[str, Any], column: dict[str, Any]) -> dict[str, Any]:
    """Return the record with a machine's column in the place of its last one, or at the end.

    >>> record = {"columns": [{"machine": "a", "device": "cpu", "date": "1"}], "runs": []}
    >>> column = {"machine": "a", "device": "cpu", "date": "2"}
    >>> [one["date"] for one in with_column(record, column)["columns"]]
    ['2']
    """
    columns = list(record["columns"])
    places = [i for i, one in enumerate(columns) if key(one) == key(column)]
    if places:
        columns[places[0]] = column
    else:
        columns.append(column)
    return record | {"columns": columns}


def key(column: dict[str, Any]) -> tuple[str, str]:
    """Return what tells a column from others: the machine and the device."""
    return column["machine"], column["device"]


def save(record: dict[str, Any], path: Path = RECORD) -> None:
    """Write the record."""
    path.write_text(as_text(record) + "\n", "utf-8")


def as_text(value: Any, indent: str = "") -> str:
    """Return JSON in which what holds no objects is on one line, so that a change shows as one.

    >>> print(as_text({"rows": [{"ms": 1, "how": "eager"}]}))
    {
     "rows": [
      {"ms": 1, "how": "eager"}
     ]
    }
    """
    inner = indent + " "
    if isinstance(value, dict) and any(isinstance(one, dict | list) for one in value.values()):
        parts = [f"{json.dumps(name)}: {as_text(one, inner)}" for name, one in value.items()]
        return "{\n" + ",\n".join(inner + part for part in parts) + f"\n{indent}}}"
    if isinstance(value, list) and any(isinstance(one, dict) for one in value):
        return "[\n" + ",\n".join(inner + as_text(one, inner) for one in value) + f"\n{indent}]"
    return json.dumps(value, ensure_ascii=False)
