"""Try the first cases of the proofs that a change concerns.

It concerns those whose fingerprint it changes, and those that it registers in other words: with
another tolerance, say, which a fingerprint leaves out.

python -m changes.concerned_proofs COMMIT
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Mapping
from functools import cache

from changes.files import Checkout, module_at
from machines.workplace import ROOT
from proofs.bindings import Definition
from proofs.collection import all_proofs
from proofs.fingerprint import Read, fingerprint, source_of
from proofs.proof import Proof

TEST = "tests/proofs/test_proofs.py::test_the_first_cases"


def concerned(then: Mapping[str, str]) -> list[str]:
    """Return the proofs that the former texts of some modules compute or register otherwise."""

    def read(module: str) -> str:
        return then.get(module) or source_of(module)

    names = []
    for name, proof in all_proofs().items():
        try:
            before = fingerprint(proof, read)
        except (AssertionError, KeyError, ValueError):
            before = ""  # it did not exist, or did not reach anything that does
        if before != fingerprint(proof) or decorators(proof, read) != decorators(proof):
            names.append(name)
    return names


def decorators(proof: Proof, read: Read = source_of) -> list[str]:
    """Return what stands above a proof's case, as in ``@proof("mse", "numpy", tolerance=1e-12)``.

    Functions of the same name in one module share what stands above them.
    """
    return _decorators(read(proof.case.__module__)).get(proof.case.__name__, [])


@cache
def _decorators(source: str) -> dict[str, list[str]]:
    """Return the decorators of each function in a source, by its name."""
    found: dict[str, list[str]] = {}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, Definition):
            found.setdefault(node.name, []).extend(map(ast.unparse, node.decorator_list))
    return found


def node_of(name: str) -> str:
    """Return what pytest calls the test of a proof: beyond ASCII it writes a letter's number."""
    return f"{TEST}[{name.encode('unicode_escape').decode('ascii')}]"


def main(since: str) -> int:
    """Run what pytest has of them, and return its exit status."""
    changes = Checkout(ROOT).changes(since)
    then = {module_at(c.path): c.old for c in changes if c.path.endswith(".py") and c.old}
    names = concerned(then)
    print(f"{len(names)} of {len(all_proofs())} proofs compute with what has changed.", flush=True)
    # In a process of its own: pytest wants to see the modules before they are imported.
    command = [sys.executable, "-m", "pytest", "-q", "-p", "changes.deadline", *map(node_of, names)]
    return subprocess.run(command, cwd=ROOT, check=False).returncode if names else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
