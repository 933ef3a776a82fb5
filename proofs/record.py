"""The record of the proofs: what was tried, what came out, where and on which code."""

from __future__ import annotations

import datetime
import json
import os
import platform
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path

from proofs.fingerprint import fingerprint
from proofs.proof import Outcome, Proof

RECORD = Path(__file__).parent / "record.json"


@dataclass(frozen=True)
class Row:
    """One proof as it was run last."""

    of: str
    oracle: str
    cases: int
    values: int
    differing: int
    largest: float
    tolerance: float
    why: str
    code: str
    run: str


def row_of(proof: Proof, outcome: Outcome, code: str) -> Row:
    """Return the row for an outcome found here and now, on code with that fingerprint."""
    return Row(
        proof.of,
        proof.oracle,
        outcome.cases,
        outcome.values,
        outcome.differing,
        outcome.largest,
        proof.tolerance,
        proof.why,
        code,
        f"{datetime.date.today().isoformat()}: {', '.join([*versions(proof), machine()])}",
    )


def versions(proof: Proof) -> list[str]:
    """Return the versions that a proof depends on: torch's, and its oracle's package."""
    packages = ["torch"] if proof.package is None else ["torch", proof.package]
    return [f"{package} {package_version(package)}" for package in packages]


def package_version(package: str) -> str:
    """Return a version without the local suffix, which names a build."""
    name = {"tensorflow": "tensorflow-cpu"}.get(package, package)
    return version(name).partition("+")[0]


def machine() -> str:
    """Return the processor and what runs on it, for the reader of the page."""
    model = platform.machine()
    if os.path.exists("/proc/cpuinfo"):
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
        model = f"{named[0]} ({model})" if named else model
    return f"{model}, {platform.system()}, Python {platform.python_version()}"


def load() -> dict[str, Row]:
    """Return the rows of the record, by the names of their proofs."""
    if not RECORD.exists():
        return {}
    rows = [Row(**row) for row in json.loads(RECORD.read_text(encoding="utf-8"))]
    return {f"{row.of}: {row.oracle}": row for row in rows}


def save(rows: dict[str, Row]) -> None:
    """Write the record, sorted, a line a field, so that a change reads well in a diff."""
    sorted_rows = [asdict(rows[name]) for name in sorted(rows)]
    RECORD.write_text(json.dumps(sorted_rows, indent=1, ensure_ascii=False) + "\n", "utf-8")


def what_is_missing(proofs: dict[str, Proof], rows: dict[str, Row], names: list[str]) -> list[str]:
    """Return a sentence for each public name without proof, and each proof without valid row."""
    proven = {proof.of for proof in proofs.values()}
    missing = [f"{name} has no proof" for name in names if name not in proven]
    missing += [f"{name} is recorded, but no such proof exists" for name in rows.keys() - proofs]
    for name, proof in proofs.items():
        if name not in rows:
            missing.append(f"{name} has never been run in full")
        elif why := outdated(proof, rows[name]):
            missing.append(f"{name} {why}")
    return missing


def outdated(proof: Proof, row: Row) -> str:
    """Return why a row no longer proves what it says, or an empty string."""
    if row.code != fingerprint(proof):
        return "was run on code that has changed since"
    if row.cases < proof.cases:
        return f"was run on {row.cases} cases only, of {proof.cases}"
    torch_version = f"torch {package_version('torch')}"
    if f"{torch_version}," not in row.run:
        return f"was not run with {torch_version}"
    return ""
