"""What an exercise is made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy
import torch

Parts = Mapping[str, Any]  # the parts of a result by their names, as in {"codes": a tensor}
Place = Callable[[tuple[Any, ...], tuple[int, ...]], str]


class WrongError(Exception):
    """What the reader wrote is wrong; the message is the sentence that says how."""


class UnhintedError(WrongError):
    """Nothing is written yet, or an earlier step is wrong: no hint would help, and none is used."""


@dataclass(frozen=True)
class Case:
    """Arguments to try, and what is special about them, as in "numbers between two codes"."""

    about: str
    args: tuple[Any, ...]


@dataclass(frozen=True)
class Exercise:
    """A function or a class that the reader writes, and all that is needed to judge it.

    Attributes:
        name: of the exercise, and of what the reader writes.
        call: how it is called, as in ``"quantize(x, ruler)"``.
        task: what it should return, as the end of the sentence "Let it return …".
        drive: calls what the reader wrote with the arguments of a case, and returns the parts.
        right: a function or class that is right.
        cases: from the plainest to the most special: the first that fails is spoken of. A function
            where they take time to make.
        mistakes: for each known mistake the sentence it gets, and a function that makes it.
        hints: one for each wrong call after the first.
        praise: what is known of an answer that is right.
        place: names the place of a difference by the arguments of the case, as in "x = 0.25"; or
            "" where a case has one place only.
        any_integer: parts that may have any integer dtype.
        last_bits: whether floats must be equal to the last bit.
        note: says, of an answer that is right, what concerns this machine alone.
    """

    name: str
    call: str
    task: str
    drive: Callable[..., Parts]
    right: Any
    cases: Sequence[Case] | Callable[[], Sequence[Case]]
    mistakes: Mapping[str, Any]
    hints: Sequence[str]
    praise: str
    place: Place = lambda args, index: f"place {list(index)}" if index else ""
    any_integer: frozenset[str] = field(default_factory=frozenset)
    last_bits: bool = True
    note: Callable[[Any], str] = lambda subject: ""

    def tried(self) -> Sequence[Case]:
        """Return the cases."""
        return self.cases() if callable(self.cases) else self.cases


def nowhere(args: tuple[Any, ...], index: tuple[int, ...]) -> str:
    """Name no place, where a case has one alone."""
    return ""


def one(part: str) -> Callable[..., Parts]:
    """Return the drive of a function that returns one tensor.

    >>> one("codes")(abs, -3)
    {'codes': 3}
    """
    return lambda subject, *args: {part: subject(*args)}


def one_number(part: str) -> Callable[..., Parts]:
    """Return the drive of a function that returns a number, in whatever type.

    >>> one_number("bits")(len, "0101")
    {'bits': tensor(4., dtype=torch.float64)}
    """

    def drive(subject: Any, *args: Any) -> Parts:
        found = subject(*args)
        if isinstance(found, torch.Tensor) and found.numel() == 1:
            found = found.item()
        found = number(found)
        if found is not None and found is not Ellipsis and not isinstance(found, torch.Tensor):
            raise WrongError(f"Your {part} should be a number, not {a(type(found).__name__)}.")
        return {part: found}

    return drive


def several(*parts: str) -> Callable[..., Parts]:
    """Return the drive of a function that returns several numbers or tensors.

    >>> several("low", "high")(lambda x: (min(x), max(x)), [3, 1, 2])
    {'low': tensor(1., dtype=torch.float64), 'high': tensor(3., dtype=torch.float64)}
    """

    def drive(subject: Any, *args: Any) -> Parts:
        found = subject(*args)
        if found is None or found is Ellipsis:
            return dict.fromkeys(parts, found)
        if isinstance(found, torch.Tensor | numpy.ndarray) and found.ndim:
            found = tuple(found)
        if not isinstance(found, tuple | list) or len(found) != len(parts):
            raise WrongError(f"Return {len(parts)} results: the {' and the '.join(parts)}.")
        return dict(zip(parts, map(number, found), strict=True))

    return drive


def number(value: Any) -> Any:
    """Return a number as a tensor of float64, in whatever type it is, and all else as it is."""
    if isinstance(value, numpy.generic | numpy.ndarray | torch.Tensor) and not value.ndim:
        value = value.item()
    if isinstance(value, int | float):
        return torch.tensor(float(value), dtype=torch.float64)
    return value


def a(noun: str) -> str:
    """Return a noun with its article.

    >>> a("list"), a("int")
    ('a list', 'an int')
    """
    return f"{'an' if noun[:1].lower() in 'aeio' else 'a'} {noun}"


def at(name: str) -> Place:
    """Name a place by the number that stands there in the first argument.

    >>> import torch
    >>> at("x")((torch.tensor([0.25, 0.5]),), (1,))
    'x = 0.5'
    """
    return lambda args, index: f"{name} = {args[0][index].item():.7g}"


def at_row_and_column(args: tuple[Any, ...], index: tuple[int, ...]) -> str:
    """Name a place in a matrix.

    >>> at_row_and_column((), (2, 0))
    'row 2, column 0'
    """
    return f"row {index[0]}, column {index[-1]}"
