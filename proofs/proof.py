"""What a proof is, how it is run, and what comes out of it."""

from __future__ import annotations

import shlex
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from proofs.draw import Draw

Case = Callable[[Draw], tuple[Any, Any]]

# How many random cases an operator is tried on, at least.
CASES = 10_000

_PROOFS: dict[str, Proof] = {}


@dataclass(frozen=True)
class Proof:
    """A public function of qlearn, its oracle, and how to draw one case for both.

    Attributes:
        of: the public name.
        oracle: what it is compared with, in words.
        case: draws a case and returns what qlearn gives and what the oracle gives: tensors,
            or equally nested tuples of tensors and numbers.
        cases: how many cases the full run tries.
        quick: how many of them the tests try.
        tolerance: how far apart floats may be; 0 means that every bit is equal.
        why: where the tolerance comes from.
        package: what must be installed beside torch; None for nothing.
    """

    of: str
    oracle: str
    case: Case
    cases: int = CASES
    quick: int = 100
    tolerance: float = 0.0
    why: str = ""
    package: str | None = None

    @property
    def name(self) -> str:
        """Return what identifies the proof: function and oracle."""
        return f"{self.of}: {self.oracle}"


@dataclass(frozen=True)
class Outcome:
    """What a run found: cases and values compared, how many differ, and by how much."""

    cases: int
    values: int
    differing: int
    largest: float


def proof(of: str, oracle: str, **options: Any) -> Callable[[Case], Case]:
    """Register the decorated function as a proof; the options are the fields of Proof."""

    def register(case: Case) -> Case:
        new = Proof(of, oracle, case, **options)
        assert new.name not in _PROOFS, new.name
        _PROOFS[new.name] = new
        return case

    return register


def registered() -> dict[str, Proof]:
    """Return the proofs of the modules imported so far, by name."""
    return dict(_PROOFS)


class DisproofError(AssertionError):
    """A case in which qlearn and the oracle are further apart than the proof allows."""

    def __init__(self, proof: Proof, number: int, found: str) -> None:
        """Say what was found in which case, and how to see it again."""
        super().__init__(
            f"{proof.name}, case {number}: {found}. To see it again: "
            f".venv/bin/python -m proofs --only {shlex.quote(proof.name)} --cases {number + 1}"
        )


def run(proof: Proof, cases: int | None = None) -> Outcome:
    """Try that many cases (all, at most and by default), and return what was compared.

    Raises:
        DisproofError: in one of the cases the two differ; the message says which case.
    """
    values = differing = 0
    largest = 0.0
    tried = range(proof.cases if cases is None else min(cases, proof.cases))
    for number in tried:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the deprecations of the oracles
            ours, theirs = proof.case(Draw(number))
        try:
            seen, unequal, distance = compare(ours, theirs)
        except TypeError as error:
            raise DisproofError(proof, number, str(error)) from error
        if (unequal and not proof.tolerance) or distance > proof.tolerance:
            raise DisproofError(
                proof,
                number,
                f"{unequal} of {seen} values differ, by up to {distance:g}; "
                f"{proof.tolerance:g} is allowed. {_first_pair(ours, theirs)}",
            )
        values, differing, largest = values + seen, differing + unequal, max(largest, distance)
    return Outcome(len(tried), values, differing, largest)


def compare(ours: Any, theirs: Any) -> tuple[int, int, float]:
    """Return how many values there are, how many differ in a bit, and the largest difference.

    Raises:
        TypeError: the two are not of one structure, shape and dtype.
    """
    if isinstance(ours, tuple) and isinstance(theirs, tuple):
        if len(ours) != len(theirs):
            raise TypeError(f"{len(ours)} results against {len(theirs)}")
        parts = [compare(a, b) for a, b in zip(ours, theirs, strict=True)]
        return (
            sum(seen for seen, _, _ in parts),
            sum(unequal for _, unequal, _ in parts),
            max((distance for _, _, distance in parts), default=0.0),
        )
    a, b = torch.as_tensor(ours).detach(), torch.as_tensor(theirs).detach()
    if a.shape != b.shape or a.dtype != b.dtype:
        raise TypeError(
            f"{a.dtype} of shape {tuple(a.shape)} against {b.dtype} of shape {tuple(b.shape)}"
        )
    unequal = _bits(a) != _bits(b)
    if not unequal.any():
        return a.numel(), 0, 0.0
    distance = (a[unequal].double() - b[unequal].double()).abs().nan_to_num(nan=torch.inf)
    return a.numel(), int(unequal.sum()), distance.max().item()


def _first_pair(ours: Any, theirs: Any) -> str:
    """Say which two values are the first that differ.

    >>> _first_pair((1, [2.0, 3.0]), (1, [2.0, 4.0]))
    'The first, at 1 of result 1: 3.0 of qlearn, 4.0 of the oracle'
    """
    for number, (one, other) in enumerate(zip(_leaves(ours), _leaves(theirs), strict=True)):
        a, b = one.flatten(), other.flatten()
        for place in (_bits(a) != _bits(b)).nonzero().flatten().tolist()[:1]:
            of = f" of result {number}" if isinstance(ours, tuple) else ""
            values = f"{a[place].item()!r} of qlearn, {b[place].item()!r} of the oracle"
            return f"The first, at {place}{of}: {values}"
    return ""


def _leaves(result: Any) -> list[Tensor]:
    """Return the tensors of a result, however deep its tuples are."""
    if isinstance(result, tuple):
        return [leaf for part in result for leaf in _leaves(part)]
    return [torch.as_tensor(result).detach()]


def _bits(x: Tensor) -> Tensor:
    """Return the bit patterns of floats as integers, and other tensors as they are."""
    if not x.dtype.is_floating_point:
        return x
    integers = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[x.element_size()]
    return x.contiguous().view(integers)
