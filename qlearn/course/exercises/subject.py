"""What the reader passed to a check, and the other functions that stand beside it."""

from __future__ import annotations

import linecache
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from qlearn.course.exercises.attempt import is_readers, line_of
from qlearn.course.exercises.exercise import WrongError

# What the cell that loads the digits' network calls.
NOTEBOOKS = ("folded_layers", "float_outputs", "split_digits", "trained_digits_net")


def names_beside(given: Any) -> Mapping[str, Any]:
    """Return all names of the file or notebook that something comes from.

    Args:
        given: a path, a function, a class, or a module. One that is the reader's is read again
            from its file.

    Raises:
        WrongError: a file that is missing, or does not run.
    """
    if isinstance(given, ModuleType):
        file = getattr(given, "__file__", None)
        own = file and is_readers(file) and not hasattr(given, "__path__")
        return names_in_file(Path(str(file))) if own else vars(given)
    if isinstance(given, str | Path):
        return names_in_file(Path(given))
    for one in (given, *(vars(given).values() if isinstance(given, type) else ())):
        if hasattr(one, "__globals__"):
            names: Mapping[str, Any] = one.__globals__
            return names
    return {}


def names_in_file(path: Path) -> Mapping[str, Any]:
    """Run a file as a module of its own, as it is now, and return its names."""
    linecache.checkcache(str(path))
    try:
        source = path.read_text("utf-8")
    except OSError:
        raise WrongError(
            f"There is no file `{path}` to read here. Save your file under this name in the "
            "folder where you are, or give its path."
        ) from None
    except UnicodeDecodeError:
        raise WrongError(f"`{path}` is no text in UTF-8: save it as a Python file.") from None
    module = ModuleType(path.stem)
    module.__file__ = str(path)
    try:
        with known_as(path.stem, module):
            exec(compile(source, str(path), "exec"), vars(module))
    except SyntaxError as error:
        line = (error.text or "").strip()
        raise WrongError(
            f"Python cannot read line {error.lineno} of `{path.name}`, `{line}`: {error.msg}."
        ) from None
    except KeyboardInterrupt as stop:
        raise WrongError(f"You stopped `{path.name}` while it ran{line_of(stop)}.") from None
    except (Exception, SystemExit) as error:
        said = f"{type(error).__name__}: {error}".rstrip(": ")
        told = f"`{path.name}` stops{line_of(error)}. Python says: {said}{left_out(error)}"
        raise WrongError(told) from None
    return vars(module)


def left_out(error: BaseException) -> str:
    """Return what is said of lines that belong to the notebook alone, or "".

    >>> left_out(NameError(name="check"))
    '. Take the line `check(…)` out of the file: the command checks it.'
    """
    name = error.name if isinstance(error, NameError) else None
    if name == "check":
        return ". Take the line `check(…)` out of the file: the command checks it."
    if name in NOTEBOOKS:
        return f". Take the cell with `{name}` out of the file: it is for the notebook alone."
    return ""


@contextmanager
def known_as(name: str, module: ModuleType) -> Iterator[None]:
    """Let a module be found under a name while it runs: dataclasses look there."""
    before = sys.modules.get(name)
    sys.modules[name] = module
    try:
        yield
    finally:
        del sys.modules[name]
        if before is not None:
            sys.modules[name] = before
