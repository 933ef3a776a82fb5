"""Call what the reader wrote, whatever it does, and return the parts of its result."""

from __future__ import annotations

import copy
import dis
import os
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import CodeType
from typing import Any

import torch
from torch import Tensor, nn

import qlearn
from qlearn.course.exercises.advice import advice_on
from qlearn.course.exercises.exercise import Case, Exercise, Parts, WrongError, a
from qlearn.numbers.qtensor import QTensor

# Where code lies that is not the reader's: this package, Python's library, and what is installed
QLEARN, PYTHON, TORCH = (str(Path(str(module.__file__)).parent) for module in (qlearn, os, torch))


def attempt(exercise: Exercise, subject: Any, case: Case) -> Parts:
    """Return the parts of the reader's result for one case.

    Raises:
        WrongError: in a sentence, whatever kept it from returning tensors.
    """
    given = fresh(case.args)
    try:
        parts = exercise.drive(subject, *given)
    except WrongError:
        raise
    except KeyboardInterrupt as stop:
        raise WrongError(
            f"You stopped `{exercise.name}` while it ran{line_of(stop)}. Is there a loop that "
            "never ends?"
        ) from None
    except (Exception, SystemExit) as error:
        if is_unwritten(subject, error):
            raise WrongError(empty(exercise)) from None
        raise WrongError(failed(exercise, case, error)) from None
    for part, value in parts.items():
        check_kind(exercise, subject, part, value)
    if changed(given, case.args):
        raise WrongError(
            f"`{exercise.name}` changes the tensor that it is given. Functions that end with _, "
            "and += on a tensor, work in place: compute a new tensor instead."
        )
    return parts


def check_kind(exercise: Exercise, subject: Any, part: str, value: Any) -> None:
    """Check that a part is a tensor."""
    if value is None or value is Ellipsis:
        if is_stub(subject):
            raise WrongError(empty(exercise))
        raise WrongError(f"`{exercise.name}` returns nothing: is its `return` missing?")
    if not isinstance(value, Tensor):
        raise WrongError(f"Your {part} should be a tensor, not {a(type(value).__name__)}.")


def empty(exercise: Exercise) -> str:
    """Return what is said of a stub."""
    return f"`{exercise.name}` is still empty. Let `{exercise.call}` return {exercise.task}."


def failed(exercise: Exercise, case: Case, error: BaseException) -> str:
    """Return what is said of an exception: the reader's own line, and the message."""
    said = f"{type(error).__name__}: {error}".rstrip(": ")
    where = line_of(error)
    if not where:
        return f"It could not be called as `{exercise.call}`. Python says: {said}"
    advice = advice_on(error)
    told = f"With {case.about}, it stops{where}. Python says: {said}"
    return f"{told}. {advice}" if advice else told


def line_of(error: BaseException) -> str:
    """Return the reader's own line that led to an error, and the one that called it, or "".

    These are the deepest and the outermost line outside of this package and of libraries.
    """
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if is_readers(frame.filename)]
    if not own:
        return ""
    if not own[-1].line:
        return " in your code"
    first, last = own[0], own[-1]
    where = f" in line {last.lineno}, `{last.line}`"
    same = (first.filename, first.lineno) == (last.filename, last.lineno)
    return where if same else f"{where}, called from line {first.lineno}, `{first.line}`"


def is_readers(filename: str) -> bool:
    """Return whether code in a file is the reader's."""
    installed = "site-packages" in filename or "dist-packages" in filename
    return not (installed or filename.startswith((QLEARN, PYTHON, TORCH, "<frozen", "<string>")))


def is_unwritten(subject: Any, error: BaseException) -> bool:
    """Return whether an error says that a function is not written yet: torch raises it, too."""
    if not isinstance(error, NotImplementedError):
        return False
    last = traceback.extract_tb(error.__traceback__)[-1]
    raised = is_readers(last.filename) and (last.line or "").startswith("raise NotImplementedError")
    return raised or is_stub(subject)


def is_stub(subject: Any) -> bool:
    """Return whether a function, or each method of a class, does nothing.

    >>> def stub(x): ...
    >>> is_stub(stub), is_stub(fresh)
    (True, False)
    """
    codes = list(codes_of(subject))
    return bool(codes) and not any(map(does_something, codes))


def does_something(code: CodeType) -> bool:
    """Return whether code reads or keeps anything: a global, an attribute, an argument."""
    used = any("FAST" in instruction.opname for instruction in dis.get_instructions(code))
    return used or bool(set(code.co_names) - {"NotImplementedError"})


def codes_of(subject: Any) -> Iterator[CodeType]:
    """Yield the code of a function, or of the methods of a class, and of functions inside."""
    members = vars(subject).values() if isinstance(subject, type) else (subject,)
    waiting = [getattr(member, "__code__", None) for member in members]
    while waiting:
        code = waiting.pop()
        if isinstance(code, CodeType):
            yield code
            waiting += code.co_consts


def fresh(given: Any) -> Any:
    """Return a copy of arguments, in which tensors and models are copied too."""
    if isinstance(given, nn.Module):
        return copy.deepcopy(given)
    if isinstance(given, Tensor):
        return given.clone()
    if isinstance(given, QTensor):
        return QTensor(given.values.clone(), given.qparams)
    if isinstance(given, dict):
        return {key: fresh(value) for key, value in given.items()}
    if isinstance(given, tuple) and hasattr(given, "_fields"):
        return type(given)(*map(fresh, given))
    if isinstance(given, list | tuple):
        return type(given)(map(fresh, given))
    return given


def changed(given: Any, before: Any) -> bool:
    """Return whether a tensor among arguments is no longer what it was."""
    if isinstance(before, Tensor):
        return given.dtype != before.dtype or not torch.equal(given, before)
    if isinstance(before, QTensor):
        return changed(given.values, before.values)
    if isinstance(before, dict):
        return any(changed(given.get(key), value) for key, value in before.items())
    if isinstance(before, list | tuple):
        return any(map(changed, given, before))
    return False
