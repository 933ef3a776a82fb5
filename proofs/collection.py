"""All proofs, and which public functions they cover."""

from __future__ import annotations

import pkgutil
import time
from importlib import import_module

import torch

import proofs
from proofs.proof import DisproofError, Outcome, Proof, registered, run


def all_proofs() -> dict[str, Proof]:
    """Import every module of this folder, and return the proofs that they register, by name."""
    for module in pkgutil.iter_modules(proofs.__path__):
        if module.name not in ("__main__", "page"):
            import_module(f"proofs.{module.name}")
    return registered()


def run_by_name(name: str, cases: int | None) -> tuple[str, Outcome | str, float]:
    """Run a proof in a process of its own: return its name, what came out, and the seconds.

    What disproves it is returned as a sentence, since exceptions do not travel well.
    """
    torch.set_num_threads(1)
    start = time.perf_counter()
    try:
        outcome: Outcome | str = run(all_proofs()[name], cases)
    except DisproofError as error:
        outcome = str(error)
    return name, outcome, time.perf_counter() - start
