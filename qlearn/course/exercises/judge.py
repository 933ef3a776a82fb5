"""Judge what the reader wrote: try each case, and name the mistake behind the first difference."""

from __future__ import annotations

from typing import Any

from qlearn.course.exercises.attempt import attempt, fresh
from qlearn.course.exercises.compare import (
    check_form,
    difference_told,
    first_difference,
    same,
)
from qlearn.course.exercises.exercise import Case, Exercise, Parts, WrongError


def judge(exercise: Exercise, subject: Any) -> None:
    """Return where all cases are right.

    Raises:
        WrongError: in a sentence, what is wrong with the first case that is not.
    """
    for case in exercise.tried():
        found, right = attempt(exercise, subject, case), expected(exercise, case)
        check_form(exercise, found, right)
        where = first_difference(found, right, exercise.last_bits)
        if where is not None:
            # A mistake in the last bits alone is known by these bits.
            bits = bool(same(found[where[0]], right[where[0]]).all())
            named = named_mistake(exercise, subject, case, where[0], found, bits)
            told = difference_told(exercise, case, found, right, where)
            raise WrongError(f"{named} {told}" if named else told)


def expected(exercise: Exercise, case: Case, by: Any = None) -> Parts:
    """Return the parts that a case should have, or those that another function makes of it."""
    return exercise.drive(exercise.right if by is None else by, *fresh(case.args))


def mistaken(exercise: Exercise, case: Case, maker: Any) -> Parts:
    """Return the parts that a known mistake makes of a case; none where it stops."""
    try:
        return expected(exercise, case, maker)
    except (RuntimeError, ValueError):  # shapes that do not fit
        return {}


def named_mistake(
    exercise: Exercise, subject: Any, case: Case, part: str, found: Parts, bits: bool
) -> str | None:
    """Return the sentence of the mistake that makes the same of this part of this case.

    The reader's cases before were right, so a mistake that shows in one of them is another one.
    Where several remain, it is the one that agrees with the reader in most other cases.
    """
    tried_cases = exercise.tried()
    before = tried_cases[: next(i for i, one in enumerate(tried_cases) if one.about == case.about)]
    right = expected(exercise, case)
    ahead = list(right)[: list(right).index(part)]  # which the reader has right

    def could_be(maker: Any) -> bool:
        made = mistaken(exercise, case, maker)
        return (
            agrees(made, found, part, bits)
            and all(agrees(made, right, name) for name in ahead)
            and all(is_right(exercise, earlier, maker) for earlier in before)
        )

    makers = {sentence: made for sentence, made in exercise.mistakes.items() if could_be(made)}
    if len(makers) < 2:
        return next(iter(makers), None)
    tried = [(other, tried_parts(exercise, subject, other)) for other in tried_cases]

    def agreements(sentence: str) -> int:
        made = [(mistaken(exercise, other, makers[sentence]), parts) for other, parts in tried]
        return sum(agrees(ours, theirs, name) for ours, theirs in made for name in ours)

    return max(makers, key=agreements)


def is_right(exercise: Exercise, case: Case, maker: Any) -> bool:
    """Return whether a known mistake does not show in a case."""
    made, right = mistaken(exercise, case, maker), expected(exercise, case)
    return all(agrees(made, right, part) for part in right)


def tried_parts(exercise: Exercise, subject: Any, case: Case) -> Parts:
    """Return the parts of the reader's result, none where there is no result."""
    try:
        return attempt(exercise, subject, case)
    except WrongError:
        return {}


def agrees(made: Parts, found: Parts, part: str, bits: bool = False) -> bool:
    """Return whether a part is the same in two results."""
    ours, theirs = made.get(part), found.get(part)
    if ours is None or theirs is None or ours.shape != theirs.shape:
        return False
    return bool(same(theirs, ours, bits).all())
