"""What a proof depends on: the definitions that its case and the proven function reach.

From the case, the function that it proves and the program that runs both, every name is followed
to its definition in ``qlearn`` or ``proofs``, and from there on. A name is written as the number of
its definition in that walk, so that a function may be renamed, or moved to another file, and the
fingerprint stays; :mod:`proofs.computing` says which words do not count.

What the walk does not see: an attribute fetched by a computed name, what another module adds to
a table, an import made for its effect, a file that is read, and versions, which the record names.
A class counts whole, and a local variable named like a definition counts as a use of it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from proofs.bindings import Place
from proofs.computing import module_of
from proofs.proof import Proof, run

OURS = ("proofs", "qlearn")

Read = Callable[[str], str]


@cache
def source_of(module: str) -> str:
    """Return the text of a module's file."""
    spec = find_spec(module)
    assert spec is not None and spec.origin is not None, module
    return Path(spec.origin).read_text(encoding="utf-8")


def fingerprint(proof: Proof, read: Read = source_of) -> str:
    """Return a digest of what computes in the proof; ``read`` gives the text of a module."""
    digest = hashlib.sha256()
    for code in definitions(proof, read):
        digest.update(f"{code}\n".encode())
    return digest.hexdigest()[:16]


def definitions(proof: Proof, read: Read = source_of) -> list[str]:
    """Return all that the proof reaches, each definition as text, nearest first."""
    case = proof.case.__module__, proof.case.__qualname__.partition(".")[0]
    places = [
        _find(*start, read) for start in (case, ("qlearn", proof.of), (run.__module__, "run"))
    ]
    texts = []
    for place in places:  # which grows meanwhile
        assert isinstance(place, Place), f"{place} is not defined in {OURS}"

        def numbered(match: re.Match[str], module: str = place.module) -> str:
            found, attribute = _follow(module, match[1], read)
            if isinstance(found, Place):
                if found not in places:
                    places.append(found)
                found = f"#{places.index(found)}"
            return found + attribute

        text = module_of(read(place.module)).definitions[place.name]
        texts.append(re.sub("\0(.+?)\0", numbered, text))
    return texts


def _follow(module: str, dotted: str, read: Read) -> tuple[Place | str, str]:
    """Return what a name in a module is, and the attribute asked of it, with its dot."""
    name, dot, attribute = dotted.partition(".")
    found = _find(module, name, read)
    if isinstance(found, Place) and not found.name:
        return _of_module(found.module, attribute, read), ""
    return found, dot + attribute


def _find(module: str, name: str, read: Read) -> Place | str:
    """Return where a module's name is defined; the name itself, in full, if that is not here."""
    here = module_of(read(module))
    if name in here.definitions:
        return Place(module, name)
    if name not in here.imports:
        return name
    origin, original = here.imports[name]
    if origin.partition(".")[0] not in OURS:
        return f"{origin}.{original}" if original else origin
    if original is None:
        return Place(origin, "")
    there = module_of(read(origin))
    if original in there.definitions.keys() | there.imports.keys():
        return _find(origin, original, read)
    return Place(f"{origin}.{original}", "")


def _of_module(module: str, name: str, read: Read) -> Place | str:
    """Return where a name that is asked of a module of ours is defined.

    Raises:
        ValueError: the module is used as a whole, or for a part that is a module again.
    """
    found = _find(module, name, read)
    if not name or found in (name, Place(module, "")):
        raise ValueError(
            f"{module} is used as a whole, so that what it reaches cannot be followed: import the "
            "names from it"
        )
    return found
