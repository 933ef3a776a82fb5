"""The record of the proofs: what was tried, what came out, where and on which code."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from proofs.fingerprint import fingerprint
from proofs.proof import Outcome, Proof
from proofs.public import registered_names
from proofs.surroundings import Surroundings, installed_version

RECORD = Path(__file__).parent / "record.json"


@dataclass(frozen=True)
class Row:
    """One proof as it was run in full last; ``code`` is the fingerprint of what was run."""

    of: str
    oracle: str
    cases: int
    values: int
    differing: int
    largest: float
    code: str
    run: Surroundings


def row_of(proof: Proof, outcome: Outcome, code: str, run: Surroundings) -> Row:
    """Return the row for an outcome found there and then, on code with that fingerprint."""
    return Row(
        proof.of,
        proof.oracle,
        outcome.cases,
        outcome.values,
        outcome.differing,
        outcome.largest,
        code,
        run,
    )


def load() -> dict[str, Row]:
    """Return the rows of the record, by the names of their proofs."""
    if not RECORD.exists():
        return {}
    rows = [_row(**row) for row in json.loads(RECORD.read_text(encoding="utf-8"))]
    return {f"{row.of}: {row.oracle}": row for row in rows}


def _row(run: dict[str, Any], **fields: Any) -> Row:
    return Row(**fields, run=Surroundings(**run))


def save(rows: dict[str, Row]) -> None:
    """Write the record, sorted, a line a field, so that a change reads well in a diff."""
    sorted_rows = [asdict(rows[name]) for name in sorted(rows)]
    RECORD.write_text(json.dumps(sorted_rows, indent=1, ensure_ascii=False) + "\n", "utf-8")


def unproven(proofs: dict[str, Proof], names: list[str]) -> list[str]:
    """Return the public names that no proof is about, though no entry says why."""
    explained = {name for name, entry in registered_names().items() if entry.not_proven}
    return sorted(set(names) - explained - {proof.of for proof in proofs.values()})


def outdated(proof: Proof, row: Row | None) -> str:
    """Return why the full run is not one of today's proof, or an empty string if it is."""
    if row is None:
        return "not run yet"
    if row.code != fingerprint(proof):
        return "changed"
    if row.cases < proof.cases:
        return f"{proof.cases:,} cases today"
    if row.largest > proof.tolerance:
        return f"a difference of {proof.tolerance:g} is allowed today"
    oracles = {name: number for name, number in row.run.versions.items() if name != "qlearn"}
    now = {name: installed_version(name) or then for name, then in oracles.items()}
    others = [f"{name} {number}" for name, number in now.items() if number != oracles[name]]
    return f"{', '.join(others)} today" if others else ""
