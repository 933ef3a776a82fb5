"""All exercises by their names, which are unique."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from itertools import chain

from qlearn.course.exercises.chapters import PAGES
from qlearn.course.exercises.exercise import Exercise
from qlearn.course.exercises.tinyquant import STEPS

# Exercises that build on each other, in one file or notebook.
THREADS: Mapping[str, Sequence[Exercise]] = {"tinyquant": STEPS}
EXERCISES: Mapping[str, Exercise] = {
    exercise.name: exercise for exercise in chain(*THREADS.values(), *PAGES.values())
}


def nearest(name: str) -> list[str]:
    """Return the names that are spelled much like a wrong one, in capitals or not.

    >>> nearest("layer")
    ['Layer']
    """
    names = {known.lower(): known for known in (*EXERCISES, *THREADS)}
    return [names[near] for near in get_close_matches(name.lower(), names)]
