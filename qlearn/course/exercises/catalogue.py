"""All exercises by their names. A new one is added here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from qlearn.course.exercises.exercise import Exercise
from qlearn.course.exercises.tinyquant import STEPS

# Exercises that build on each other, in one file or notebook.
THREADS: Mapping[str, Sequence[Exercise]] = {"tinyquant": STEPS}
EXERCISES: Mapping[str, Exercise] = {
    exercise.name: exercise for steps in THREADS.values() for exercise in steps
}
