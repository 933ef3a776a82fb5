"""Hints come one by one: the first wrong call gets none, each further one the next."""

from __future__ import annotations

from collections import Counter

from qlearn.course.exercises.exercise import Exercise

wrong_calls: Counter[str] = Counter()


def next_hint(exercise: Exercise) -> str:
    """Count a wrong call, and return the hint that it gets; after the last one, the last."""
    steps = wrong_calls[exercise.name]
    wrong_calls[exercise.name] += 1
    return hint_after(exercise, steps)


def hint_after(exercise: Exercise, steps: int) -> str:
    """Return the hint after some wrong calls."""
    if steps < 1 or not exercise.hints:
        return ""
    return exercise.hints[min(steps, len(exercise.hints)) - 1]


def forget(exercise: Exercise) -> None:
    """Start anew, because the answer was right."""
    wrong_calls.pop(exercise.name, None)
