"""Observers: a moving average, and ends that clip a share of the numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from qlearn.course.exercises.exercise import Case, Exercise, nowhere, several
from qlearn.course.normal import normal

Ends = tuple[Tensor, Tensor]


def averaged(batches: Sequence[Tensor], c: float) -> Ends:
    """Return the ends that a moving average has after some batches."""
    low, high = batches[0].aminmax()
    for batch in batches[1:]:
        low, high = low + c * (batch.min() - low), high + c * (batch.max() - high)
    return low, high


def from_zero(batches: Sequence[Tensor], c: float) -> Ends:
    """Begin at 0, and not at the first batch."""
    return averaged([torch.zeros(1), *batches], c)


def turned_around(batches: Sequence[Tensor], c: float) -> Ends:
    """Take the share c of what was known, and the rest of the batch."""
    return averaged(batches, 1 - c)


def never_forgets(batches: Sequence[Tensor], c: float) -> Ends:
    """Keep the smallest and the largest number of all."""
    return torch.cat(tuple(batches)).aminmax()


def mean_of_ends(batches: Sequence[Tensor], c: float) -> Ends:
    """Take the mean of the batches' ends, each with the same weight."""
    ends = [batch.aminmax() for batch in batches]
    return torch.stack([e.min for e in ends]).mean(), torch.stack([e.max for e in ends]).mean()


def upwards_alone(batches: Sequence[Tensor], c: float) -> Ends:
    """Move an end outwards alone."""
    low, high = batches[0].aminmax()
    for batch in batches[1:]:
        low = low + c * (batch.min() - low).clamp(max=0)
        high = high + c * (batch.max() - high).clamp(min=0)
    return low, high


def stream(*ends: tuple[float, float]) -> list[Tensor]:
    """Return batches with these ends."""
    return [torch.tensor([(low + high) / 2, low, high]) for low, high in ends]


MOVING_AVERAGE = Exercise(
    name="moving_average",
    call="moving_average(batches, c)",
    task="the lower and the upper end that a moving average has after the batches",
    drive=several("lower end", "upper end"),
    right=averaged,
    cases=(
        Case("a single batch", (stream((-1, 4)), 0.1)),
        Case("two batches and c = 0.1", (stream((-1, 4), (-3, 6)), 0.1)),
        Case("a batch that is narrower", (stream((-4, 8), (-1, 3)), 0.25)),
        Case("an outlier in the third of four", (stream(*[(0, 8)] * 2, (0, 100), (0, 8)), 0.01)),
    ),
    mistakes={
        "You begin at 0: the first batch sets the ends, and the average moves from there.": (
            from_zero
        ),
        "You keep the share c of the old end: a step goes the share c of the way to the batch.": (
            turned_around
        ),
        "That is MinMax, which never forgets.": never_forgets,
        "You take the plain mean of all batches: here the newest ones count more.": mean_of_ends,
        "Your ends move outwards alone: a narrow batch draws them inwards.": upwards_alone,
    },
    hints=(
        "What are the ends after the first batch? Which part of the way do they go in each step?",
        "low + c * (batch.min() - low) is one step of the lower end.",
    ),
    praise="Your ends are those of `MovingAverageMinMaxObserver`.",
    place=nowhere,
    last_bits=False,
)


def percentile(x: Tensor, share: float) -> Ends:
    """Return the ends beyond which lies the share of the numbers, half of it on each side."""
    return x.quantile(share / 2), x.quantile(1 - share / 2)


def symmetric(x: Tensor, share: float) -> Ends:
    """Return the ends of a symmetric ruler that clips the share."""
    end = x.abs().quantile(1 - share)
    return -end, end


def of_the_width(x: Tensor, share: float) -> Ends:
    """Cut the share off the range, and not of the numbers."""
    cut = share / 2 * (x.max() - x.min())
    return x.min() + cut, x.max() - cut


def skewed(transform: Callable[[Tensor], Tensor], count: int) -> Tensor:
    """Return numbers of another shape than a bell, computed in float64: the same everywhere."""
    numbers = normal(count, generator=torch.Generator().manual_seed(5))
    return transform(numbers.double()).float()


def of_sorted(x: Tensor, share: float) -> Ends:
    """Take two of the numbers."""
    ordered, k = x.sort().values, int(len(x) * share / 2)
    return ordered[k], ordered[-1 - k]


PERCENTILE_ENDS = Exercise(
    name="percentile_ends",
    call="percentile_ends(x, share)",
    task="the ends beyond which the share of the numbers lies, half of it on each side",
    drive=several("lower end", "upper end"),
    right=percentile,
    cases=(
        Case("the numbers 0 to 100, and a tenth", (torch.arange(101.0), 0.1)),
        Case("numbers above 0", (skewed(torch.exp, 999), 0.02)),
        Case("numbers on both sides", (skewed(lambda x: x + 0.2 * x**3, 500), 0.01)),
        Case("the share 0", (skewed(torch.sin, 100), 0.0)),
    ),
    mistakes={
        "You clip the whole share on each side, so twice as many numbers: half of it on each.": (
            lambda x, share: percentile(x, 2 * share)
        ),
        "You clip on the right alone: half of the share lies on the left.": lambda x, share: (
            x.min(),
            x.quantile(1 - share),
        ),
        "Your ends lie at the same distance from 0, whatever the numbers are.": symmetric,
        "You cut a share of the range off, and not of the numbers.": of_the_width,
        "You return two of the numbers. `x.quantile` goes a part of the way between two "
        "neighbours.": of_sorted,
    },
    hints=(
        "Which share of all numbers lies below the lower end, and which below the upper end?",
        "x.quantile(0.25) is the number below which a quarter of the numbers lies.",
    ),
    praise="So a percentile observer clips about as many numbers as you allow it.",
    place=nowhere,
    last_bits=False,
)

EXERCISES = (MOVING_AVERAGE, PERCENTILE_ENDS)
