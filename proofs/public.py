"""The registry of qlearn's public functions: a good call of each, and one on a large input.

An entry stands in the module of ``proofs`` that proves the function. The fuzzing changes one
argument of the good call or two, the benchmark measures the large one, and a test asks for a proof.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Large:
    """A call on as many values as one likes.

    Attributes:
        how: which of the function's ways is taken, in words.
        inputs: returns what goes in, for a number of values: tensors and QTensors.
        call: the call, on these inputs.
        between: so many times as large as its input and its result is what has to be between them,
            as the gates of an LSTM are.
    """

    how: str
    inputs: Callable[[int], tuple[Any, ...]]
    call: Callable[..., object]
    between: int = 1


@dataclass(frozen=True)
class Public:
    """A name that qlearn exports.

    Attributes:
        name: as in ``qlearn.__all__``.
        chapter: the notebook that teaches it, from ``book`` on and without suffix.
        good: arguments of a good call, by name.
        large: calls that the benchmark measures.
        not_large: why there is none.
        not_proven: why it has no proof of its own.
        keeps_nan: NaN in its input is NaN in its result; elsewhere a code stands for it.
    """

    name: str
    chapter: str
    good: dict[str, Any]
    large: Sequence[Large] = ()
    not_large: str = ""
    not_proven: str = ""
    keeps_nan: bool = False


_PUBLIC: dict[str, Public] = {}


def public(name: str, chapter: str, good: dict[str, Any], *large: Large, **options: Any) -> None:
    """Register a public name; the options are the other fields of Public.

    Raises:
        ValueError: the name has an entry, or neither a large call nor a reason for having none.
    """
    entry = Public(name, chapter, good, large, **options)
    if name in _PUBLIC:
        raise ValueError(f"{name} has two entries: leave one out")
    if bool(large) == bool(entry.not_large):
        raise ValueError(f"{name} needs a large call, or else a reason for having none: not_large")
    _PUBLIC[name] = entry


def registered_names() -> dict[str, Public]:
    """Return the entries of the modules imported so far, by name."""
    return dict(_PUBLIC)
