"""Judge what the reader wrote: try each case, and name the mistake behind the first difference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from qlearn.course.exercises.attempt import attempt, fresh
from qlearn.course.exercises.compare import (
    check_form,
    difference_told,
    first_difference,
    same,
)
from qlearn.course.exercises.exercise import Case, Exercise, Parts, WrongError

Tried = tuple[Case, Parts]  # a case, and the parts that it should have


def judge(exercise: Exercise, subject: Any) -> None:
    """Return where all cases are right.

    Raises:
        WrongError: in a sentence, what is wrong with the first case that is not.
    """
    before: list[Tried] = []
    cases = exercise.tried()
    for case in cases:
        found, right = attempt(exercise, subject, case), expected(exercise, case)
        check_form(exercise, found, right)
        where = first_difference(found, right, exercise.last_bits)
        if where is not None:
            makers = known_mistakes(exercise, before, (case, right), where[0], found)
            named = likeliest(exercise, subject, makers, cases)
            told = difference_told(exercise, case, found, right, where)
            raise WrongError(f"{named} {told}" if named else told)
        before.append((case, right))


def expected(exercise: Exercise, case: Case, by: Any = None) -> Parts:
    """Return the parts that a case should have, or those that another function makes of it."""
    return exercise.drive(exercise.right if by is None else by, *fresh(case.args))


def mistaken(exercise: Exercise, case: Case, maker: Any) -> Parts:
    """Return the parts that a known mistake makes of a case; none where it stops."""
    try:
        return expected(exercise, case, maker)
    except (RuntimeError, ValueError):  # shapes that do not fit
        return {}


def known_mistakes(
    exercise: Exercise, before: Sequence[Tried], here: Tried, part: str, found: Parts
) -> dict[str, Any]:
    """Return the mistakes that make the same of this part of this case, by their sentences.

    The cases before were right, and of this one the parts before: a mistake that shows in one of
    them is another one.
    """
    case, right = here
    ahead = list(right)[: list(right).index(part)]
    # A mistake in the last bits alone is known by these bits.
    bits = bool(same(found[part], right[part]).all())

    def could_be(maker: Any) -> bool:
        made = mistaken(exercise, case, maker)
        return (
            agrees(made, found, part, bits)
            and all(agrees(made, right, name) for name in ahead)
            and all(is_right(mistaken(exercise, earlier, maker), its) for earlier, its in before)
        )

    return {sentence: made for sentence, made in exercise.mistakes.items() if could_be(made)}


def likeliest(
    exercise: Exercise, subject: Any, makers: Mapping[str, Any], cases: Sequence[Case]
) -> str | None:
    """Return the sentence of the mistake that agrees with the reader in most cases."""
    if len(makers) < 2:
        return next(iter(makers), None)
    tried = [(case, tried_parts(exercise, subject, case)) for case in cases]

    def agreements(sentence: str) -> int:
        made = [(mistaken(exercise, case, makers[sentence]), parts) for case, parts in tried]
        return sum(agrees(ours, theirs, name) for ours, theirs in made for name in ours)

    return max(makers, key=agreements)


def is_right(made: Parts, right: Parts) -> bool:
    """Return whether all parts are right."""
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
