"""Compare the parts of a result with those that are right."""

from __future__ import annotations

import torch
from torch import Tensor

from qlearn.course.exercises.exercise import Case, Exercise, Parts, WrongError

# Sums of floats may be taken in another order.
RELATIVE, ABSOLUTE = 1e-6, 1e-9


def first_difference(
    found: Parts, right: Parts, last_bits: bool = True
) -> tuple[str, tuple[int, ...]] | None:
    """Return the first part that is wrong and the first place in it, or None where all is right.

    Args:
        found: what the reader's code made.
        right: what is right.
        last_bits: whether floats must be equal to the last bit.

    >>> pair = {"codes": torch.tensor([1, 2])}, {"codes": torch.tensor([1, 3])}
    >>> first_difference(*pair)
    ('codes', (1,))
    """
    for part in right:
        differs = ~same(found[part], right[part], last_bits)
        if differs.any():
            return part, tuple(differs.nonzero()[0].tolist())
    return None


def same(found: Tensor, right: Tensor, last_bits: bool = False) -> Tensor:
    """Return where two tensors of one shape are the same; floats at least but for the last bits."""
    if right.is_floating_point() and not last_bits:
        # The last bits of a sum go with its terms, and so with what its neighbours come to.
        sizes = right[right.isfinite()].abs()
        room = max(ABSOLUTE, RELATIVE * sizes.median().item()) if sizes.numel() else ABSOLUTE
        return torch.isclose(found, right, rtol=RELATIVE, atol=room, equal_nan=True)
    return found == right


def check_form(exercise: Exercise, found: Parts, right: Parts) -> None:
    """Check device, shape and dtype of each part, and that nothing is NaN.

    Raises:
        WrongError: in a sentence, naming what was expected.
    """
    for part, expected in right.items():
        given = found[part]
        if given.device != expected.device:
            tell(part, f"lie on {expected.device}", f"on {given.device}")
        if given.shape != expected.shape:
            tell(part, f"have the shape {tuple(expected.shape)}", f"{tuple(given.shape)}")
        if given.dtype != expected.dtype and not loose(exercise, part, given):
            kind = "hold integers" if part in exercise.any_integer else f"be {expected.dtype}"
            tell(part, kind, str(given.dtype))
        if given.is_floating_point() and given.isnan().any():
            bad, numbers = int(given.isnan().sum()), given.numel()
            raise WrongError(f"Your {part} should hold no NaN, but {bad} of {numbers} are NaN.")


def loose(exercise: Exercise, part: str, given: Tensor) -> bool:
    """Return whether a part may have another integer dtype, and has one."""
    integer = not (given.is_floating_point() or given.is_complex() or given.dtype == torch.bool)
    return part in exercise.any_integer and integer


def tell(part: str, expected: str, given: str) -> None:
    """Raise the sentence for a part that is not as expected."""
    raise WrongError(f"Your {part} should {expected}, not {given}.")


def difference_told(
    exercise: Exercise, case: Case, found: Parts, right: Parts, where: tuple[str, tuple[int, ...]]
) -> str:
    """Return the case and the place of a difference, and the two numbers there."""
    part, index = where
    pair = found[part][index], right[part][index]
    have, want = (shown(number) for number in pair)
    if have == want:
        have, want = (shown(number, 9) for number in pair)
    place = exercise.place(case.args, index)
    first = f", first at {place}:" if place else ","
    return f"With {case.about}{first} your {part} should be {want}, not {have}."


def shown(number: Tensor, digits: int = 6) -> str:
    """Return a number as a sentence holds it; nine digits tell each float32 from its neighbours.

    >>> shown(torch.tensor(0.1)), shown(torch.tensor(3)), shown(torch.tensor(-0.0))
    ('0.1', '3', '0')
    """
    value = number.item()
    return f"{value + 0.0:.{digits}g}" if isinstance(value, float) else str(value)
