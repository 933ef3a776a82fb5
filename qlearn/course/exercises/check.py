"""``check("name", what_you_wrote)``: the one function that a reader calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

from qlearn.course.exercises.attempt import codes_of, empty
from qlearn.course.exercises.exercise import Exercise, UnhintedError, WrongError
from qlearn.course.exercises.hints import forget, next_hint
from qlearn.course.exercises.judge import judge
from qlearn.course.exercises.subject import names_beside
from qlearn.course.exercises.verdict import Verdict

NAMED = "The exercise's own page calls check with its name."


def check(name: str, written: Any) -> Verdict:
    """Try what the reader wrote, and say in a sentence what is right or wrong with it.

    Each further wrong call for an exercise adds the next hint.

    Args:
        name: of the exercise, which is also that of the function; or ``"tinyquant"`` for all
            steps of a file, up to the first that is not right.
        written: the function or class; or the file that it is in, as a path or a module.

    Returns:
        A verdict, which is shown as a sentence and is truthy where the answer is right.

    >>> def dequantize(q, ruler):
    ...     return ruler.scale * q
    >>> print(check("dequantize", dequantize).lines[0])
    Not yet. You forgot the zero point: subtract it before you multiply. With a zero point of 10, \
first at q = 5: your numbers should be -2.5, not 2.5.
    """
    try:
        if isinstance(name, str) and name in catalogue().THREADS:
            return checked_thread(name, names_beside(written))
        exercise = exercise_called(name)
    except WrongError as wrong:
        return Verdict(False, str(wrong))
    return checked(exercise, written)


def catalogue() -> Any:
    """Return the module of all exercises, which is imported when the first one is checked."""
    return import_module("qlearn.course.exercises.catalogue")


def exercise_called(name: str) -> Exercise:
    """Return the exercise of a name."""
    exercises: Mapping[str, Exercise] = catalogue().EXERCISES
    if not isinstance(name, str):
        raise WrongError('First comes the name of the exercise: check("quantize", quantize).')
    if name not in exercises:
        near = catalogue().nearest(name)
        meant = f"Do you mean {' or '.join(map(repr, near))}?" if near else NAMED
        raise WrongError(f"There is no exercise {name!r}. {meant}")
    return exercises[name]


def checked(exercise: Exercise, written: Any) -> Verdict:
    """Return the verdict on one exercise."""
    try:
        names = names_beside(written)
        subject = subject_of(exercise, written, names)
        judge_all(exercise, subject, names)
    except UnhintedError as wrong:
        return Verdict(False, str(wrong))
    except WrongError as wrong:
        return Verdict(False, str(wrong), next_hint(exercise))
    forget(exercise)
    return Verdict(True, exercise.praise, note=exercise.note(subject))


def subject_of(exercise: Exercise, written: Any, names: Mapping[str, Any]) -> Any:
    """Return the function or class, which may have been given by its file."""
    if callable(written):
        return written
    if not names:
        raise WrongError(
            f"Pass what you wrote, not its result: check({exercise.name!r}, {exercise.name})."
        )
    if exercise.name not in names:
        raise UnhintedError(
            f"There is no `{exercise.name}` yet. Let `{exercise.call}` return {exercise.task}."
        )
    return names[exercise.name]


def judge_all(exercise: Exercise, subject: Any, names: Mapping[str, Any]) -> None:
    """Judge one exercise; where it fails, an earlier step that it uses may be the reason."""
    try:
        judge(exercise, subject)
    except WrongError as wrong:
        if str(wrong) != empty(exercise):
            used = names_used(subject, names)
            for earlier in steps_before(exercise):
                if earlier.name in used:
                    judge_earlier(earlier, exercise, names)
        raise


def names_used(subject: Any, beside: Mapping[str, Any]) -> set[str]:
    """Return the names that a function or class uses, and that those beside it use which it calls.

    >>> def choose(x): ...
    >>> def fake(x): return choose(x)
    >>> names_used(fake, {"choose": choose})
    {'choose'}
    """
    found: set[str] = set()
    waiting = [subject]
    while waiting:
        new = {name for code in codes_of(waiting.pop()) for name in code.co_names} - found
        found |= new
        waiting += [beside[name] for name in new & beside.keys()]
    return found


def steps_before(exercise: Exercise) -> list[Exercise]:
    """Return the exercises of the same thread that come before."""
    for steps in catalogue().THREADS.values():
        if exercise in steps:
            return list(steps[: steps.index(exercise)])
    return []


def judge_earlier(earlier: Exercise, later: Exercise, names: Mapping[str, Any]) -> None:
    """Say that an earlier step is wrong, if it stands beside the later one and is."""
    if not callable(names.get(earlier.name)):
        return
    try:
        judge(earlier, names[earlier.name])
    except WrongError as wrong:
        raise UnhintedError(
            f"Before `{later.name}` look at your `{earlier.name}`, which is not right yet. {wrong}"
        ) from None


def checked_thread(name: str, written: Mapping[str, Any]) -> Verdict:
    """Return the verdict on all steps of a thread, up to the first that is not right."""
    done: list[Exercise] = []
    note = ""
    for exercise in catalogue().THREADS[name]:
        try:
            subject = subject_of(exercise, None, written or {"": None})
            judge(exercise, subject)
        except WrongError as wrong:
            if isinstance(wrong, UnhintedError):
                return next_step(exercise, done, str(wrong))
            so_far = f"Right so far: {names(done)}. Now `{exercise.name}`. " if done else ""
            return Verdict(False, f"{so_far}{wrong}", next_hint(exercise))
        forget(exercise)
        note = exercise.note(subject)
        done.append(exercise)
    return Verdict(True, f"All of {name}: {names(done)}. {done[-1].praise}", note=note)


def next_step(exercise: Exercise, done: Sequence[Exercise], missing: str) -> Verdict:
    """Return the verdict where the next step is not begun: what the last one proved, if any."""
    if not done:
        return Verdict(False, missing)
    sentence = f"{done[-1].praise} Next: let `{exercise.call}` return {exercise.task}."
    return Verdict(False, sentence, opening=f"Right so far: {names(done)}.")


def names(exercises: Sequence[Exercise]) -> str:
    """Return the names of exercises as a sentence holds them."""
    return ", ".join(exercise.name for exercise in exercises)
