"""The first import of qlearn: the doctor where it is called, a sentence where torch is missing."""

from __future__ import annotations

import sys
from importlib import import_module

NEEDED = {"torch": "Tensor", "numpy": "ndarray", "jaxtyping": "Float"}  # with a name in each
SENTENCE = (
    "qlearn needs {name}, but {python} cannot import it ({error}). In the folder of the course "
    "run `make book`, which installs all that is needed in .venv, and use .venv/bin/python; "
    "elsewhere run `pip install {name}`. `{python} -m qlearn doctor` says what else is missing."
)


def doctor_is_called(argv: list[str], orig_argv: list[str]) -> bool:
    """Tell whether Python is on its way to ``python -m qlearn doctor``.

    While Python looks for the module that -m names, ``sys.argv[0]`` is "-m"; ``sys.orig_argv``
    still has the module's name.

    >>> doctor_is_called(["-m", "doctor"], ["python", "-m", "qlearn", "doctor"])
    True
    """
    return argv[:2] == ["-m", "doctor"] and orig_argv[-len(argv)].endswith("qlearn")


def check_imports() -> None:
    """Raise unless what qlearn is made with can be imported.

    Raises:
        ImportError: a package is missing, or broken, as after an installation that was cut short.
    """
    for name, attribute in NEEDED.items():
        try:
            getattr(import_module(name), attribute)
        except (ImportError, AttributeError, OSError) as error:  # OSError: a library won't load
            message = SENTENCE.format(name=name, python=sys.executable, error=error)
            raise ImportError(message, name=name) from error


def meet() -> None:
    """Run the doctor if it is called, before anything can fail; else check the imports."""
    if doctor_is_called(sys.argv, getattr(sys, "orig_argv", ["qlearn"] * len(sys.argv))):
        from qlearn.doctor import main

        sys.exit(main(sys.argv[1:]))
    check_imports()


meet()
