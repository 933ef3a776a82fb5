"""All proofs, and which public functions they cover."""

from __future__ import annotations

import pkgutil
import time
from importlib import import_module
from typing import NamedTuple

import torch

import proofs
from proofs.proof import DisproofError, Outcome, Proof, registered, run
from proofs.public import Public, registered_names
from proofs.torch_engine import NoSuchEngineError


def all_proofs() -> dict[str, Proof]:
    """Return the proofs that the modules of this folder register, by name."""
    _import_all()
    return registered()


def all_public() -> dict[str, Public]:
    """Return the entries of public functions that they register, by name."""
    _import_all()
    return registered_names()


def _import_all() -> None:
    """Import the modules of this folder, which register what they prove.

    Raises:
        ImportError: one of them imports a name that qlearn does not export.
    """
    for module in pkgutil.iter_modules(proofs.__path__):
        if module.name in ("__main__", "torchao_quietly"):
            continue
        try:
            import_module(f"proofs.{module.name}")
        except ImportError as error:
            if error.name != "qlearn":
                raise
            raise ImportError(
                f"proofs/{module.name}.py: {error}. Import that name in qlearn/__init__.py, and "
                "add it to __all__"
            ) from error


class NotRun(NamedTuple):
    """Why this machine cannot run a proof."""

    why: str


def run_by_name(name: str, cases: int | None) -> tuple[str, Outcome | NotRun | str, float]:
    """Run a proof, in a process of a pool: return its name, what came out, and the seconds.

    What disproves it is returned as a sentence, since exceptions do not travel well, and so is
    that this machine runs no layer of its engine.
    """
    torch.set_num_threads(1)
    start = time.perf_counter()
    try:
        outcome: Outcome | NotRun | str = run(all_proofs()[name], cases)
    except NoSuchEngineError as error:
        outcome = NotRun(str(error))
    except DisproofError as error:
        outcome = str(error)
    return name, outcome, time.perf_counter() - start
