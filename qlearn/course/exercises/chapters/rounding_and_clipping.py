"""Rounding and clipping: tell the two errors apart, and find the best end of a ruler."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from qlearn.course.exercises.exercise import Case, Exercise, at, nowhere, one_number, several
from qlearn.course.normal import normal


def restored(x: Tensor, step: float, last: int) -> Tensor:
    """Return what comes back from a ruler with marks from -last to last steps."""
    return torch.round(x / step).clamp(-last, last) * step


def in_reach(x: Tensor, step: float, last: int) -> Tensor:
    """Return which numbers are nearer to a mark than half a step."""
    return torch.round(x / step).abs() <= last


def two_errors(x: Tensor, step: float, last: int) -> tuple[Tensor, Tensor]:
    """Return both errors, each 0 where the other one is."""
    error, near = restored(x, step, last) - x, in_reach(x, step, last)
    return error.where(near, 0.0), error.where(~near, 0.0)


def beyond_the_last_mark(x: Tensor, step: float, last: int) -> tuple[Tensor, Tensor]:
    """Call an error clipping wherever a number lies beyond the last mark."""
    error, near = restored(x, step, last) - x, x.abs() <= last * step
    return error.where(near, 0.0), error.where(~near, 0.0)


def on_the_right_alone(x: Tensor, step: float, last: int) -> tuple[Tensor, Tensor]:
    """Look for clipped numbers on the right alone."""
    error, near = restored(x, step, last) - x, torch.round(x / step) <= last
    return error.where(near, 0.0), error.where(~near, 0.0)


def unclipped(x: Tensor, step: float, last: int) -> tuple[Tensor, Tensor]:
    """Round all numbers, as if marks lay everywhere."""
    error, near = torch.round(x / step) * step - x, in_reach(x, step, last)
    return error.where(near, 0.0), error.where(~near, 0.0)


def in_place_of(x: Tensor, step: float, last: int) -> tuple[Tensor, Tensor]:
    """Return both errors with the other sign."""
    rounding, clipping = two_errors(x, step, last)
    return -rounding, -clipping


def cut_off(x: Tensor, step: float, last: int) -> tuple[Tensor, Tensor]:
    """Cut the fraction of a step off."""
    steps = torch.trunc(x / step)
    error, near = steps.clamp(-last, last) * step - x, steps.abs() <= last
    return error.where(near, 0.0), error.where(~near, 0.0)


def in_two_parts(x: Tensor, step: float, last: int) -> tuple[Tensor, Tensor]:
    """Go from a clipped number to where a mark would be, and from there to the last one."""
    nearest = torch.round(x / step)
    return nearest * step - x, (nearest.clamp(-last, last) - nearest) * step


TWO_ERRORS = Exercise(
    name="two_errors",
    call="two_errors(x, step, last)",
    task="two tensors in the shape of x, the rounding errors and the clipping errors, each 0 where "
    "the error is of the other kind",
    drive=several("rounding errors", "clipping errors"),
    right=two_errors,
    cases=(
        Case("numbers in reach", (torch.tensor([0.2, -0.35, 0.9]), 0.25, 4)),
        Case("one number far out", (torch.tensor([0.2, 2.5, -0.4]), 0.25, 4)),
        Case("one number far out on the left", (torch.tensor([0.2, -2.5, -0.4]), 0.25, 4)),
        Case("a number a little beyond the last mark", (torch.tensor([1.1, -1.05, 0.1]), 0.25, 4)),
        Case("1,000 numbers", (normal(1000, generator=torch.Generator().manual_seed(0)), 0.5, 3)),
    ),
    mistakes={
        "You call it clipping wherever a number lies beyond the last mark. The ruler reaches half "
        "a step farther.": beyond_the_last_mark,
        "You look for clipped numbers on the right alone.": on_the_right_alone,
        "You round without an end, as if there were marks everywhere: clamp to the last mark.": (
            unclipped
        ),
        "You cut the fraction off: the nearest mark may be the next one.": cut_off,
        "You divide the error of a clipped number into two parts. An error is of one kind, and the "
        "other is 0.": in_two_parts,
        "Your signs are turned around: an error is what comes back, minus the number.": in_place_of,
    },
    hints=(
        "Round x / step first. Which of the rounded numbers have a mark?",
        "torch.where(condition, a, b) takes from a where the condition holds, else from b.",
    ),
    praise="The means of their squares are those of `split_mse`.",
    place=at("x"),
    last_bits=False,
)


def clipped_at(x: Tensor, end: Tensor, bits: int) -> Tensor:
    """Return what comes back from a symmetric ruler that ends there."""
    last = 2 ** (bits - 1) - 1
    step = end / last
    return torch.round(x / step).clamp(-last, last) * step


def without_end(x: Tensor, end: Tensor, bits: int) -> Tensor:
    """Return the nearest mark, as if marks lay everywhere."""
    step = end / (2 ** (bits - 1) - 1)
    return torch.round(x / step) * step


def one_more_on_the_left(x: Tensor, end: Tensor, bits: int) -> Tensor:
    """Return what comes back if the codes are one more below 0."""
    last = 2 ** (bits - 1) - 1
    step = end / last
    return torch.round(x / step).clamp(-last - 1, last) * step


def search(
    measure: Callable[[Tensor], Tensor],
    largest: Callable[[Tensor], Tensor] = lambda x: x.abs().max(),
    back: Callable[[Tensor, Tensor, int], Tensor] = clipped_at,
) -> Callable[[Tensor, int], Tensor]:
    """Return the search by a measure of the errors, a largest number, and a way there and back."""

    def searched(x: Tensor, bits: int) -> Tensor:
        ends = torch.arange(1, 101) / 100 * largest(x)
        errors = [measure((back(x, end, bits) - x).double()) for end in ends]
        return ends[torch.stack(errors).argmin()]

    return searched


def mean_square(error: Tensor) -> Tensor:
    """Return the mean of the squares."""
    return error.square().mean()


best_end = search(mean_square)


def least_error(x: Tensor, bits: int) -> Tensor:
    """Return the error of the best end, and not the end."""
    error = clipped_at(x, best_end(x, bits), bits) - x
    return error.double().square().mean().float()


def place_of_the_best(x: Tensor, bits: int) -> Tensor:
    """Return which of the 100 is the best one, and not the end."""
    return best_end(x, bits) / x.abs().max()


def tailed(count: int, sign: int) -> Tensor:
    """Return normal numbers and a few far ones on one side."""
    numbers = normal(count, generator=torch.Generator().manual_seed(1))
    return torch.cat([numbers, sign * torch.tensor([4.0, 5.5, 7.0])])


BEST_END = Exercise(
    name="best_end_of",
    call="best_end_of(x, bits)",
    task="the end with the smallest mean squared error",
    drive=one_number("end"),
    right=best_end,
    cases=(
        Case("a number far out", (tailed(400, 1), 4)),
        Case("a number far out on the left", (tailed(400, -1), 4)),
        Case("2 bits", (tailed(400, 1), 2)),
        Case("8 bits", (tailed(400, 1), 8)),
    ),
    mistakes={
        "You compare the largest error of each end, which one number decides: take the mean of the "
        "squares.": search(lambda error: error.abs().max()),
        "You compare the mean sizes of errors, where one of 3 weighs as much as three of 1: square "
        "them.": search(lambda error: error.abs().mean()),
        "You compare the means of errors, where one below 0 makes up for one above: square them.": (
            search(lambda error: error.mean())
        ),
        "You look for the largest number, but the one farthest from 0 may lie on the left.": (
            search(mean_square, lambda x: x.max())
        ),
        "You round without an end: clamp to the last mark.": search(mean_square, back=without_end),
        "Your ruler has one mark more on the left: the codes are as many on both sides.": search(
            mean_square, back=one_more_on_the_left
        ),
        "You return the error of the best end, and not the end itself.": least_error,
        "You return the share: multiply by the largest size.": place_of_the_best,
    },
    hints=(
        "For each of the 100 ends: which step has the ruler, what comes back, and how large is the "
        "mean of the squared errors?",
        "torch.stack makes one tensor of a list, and argmin says where its smallest number is.",
    ),
    praise="Your end is the best of 100.",
    place=nowhere,
    last_bits=False,
)

EXERCISES = (TWO_ERRORS, BEST_END)
