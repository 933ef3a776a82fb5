"""The exercises of the chapters: a module for each page, with its ``EXERCISES``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from pkgutil import iter_modules

from qlearn.course.exercises.exercise import Exercise

PAGES: Mapping[str, Sequence[Exercise]] = {
    page.name: import_module(f"{__name__}.{page.name}").EXERCISES for page in iter_modules(__path__)
}
