"""reduce_range: sums of pairs in sixteen bits, and the last safe code."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from qlearn.course.exercises.exercise import Case, Exercise, nowhere, one_number

FIRST, LAST = -(2**15), 2**15 - 1  # of sixteen bits


def pairwise(a: Tensor, w: Tensor, kept: Callable[[Tensor], Tensor]) -> Tensor:
    """Return the sum of all pairs of products, each as it is kept."""
    return kept((a.int() * w.int()).reshape(-1, 2).sum(dim=1)).sum()


def saturated(pairs: Tensor) -> Tensor:
    """Return what sixteen bits keep where they saturate."""
    return pairs.clamp(FIRST, LAST)


def sum_of_pairs(a: Tensor, w: Tensor) -> Tensor:
    """Return the sum as the instruction has it."""
    return pairwise(a, w, saturated)


def at_the_end(a: Tensor, w: Tensor) -> Tensor:
    """Saturate the whole sum."""
    return saturated((a.int() * w.int()).sum())


def far_apart(a: Tensor, w: Tensor) -> Tensor:
    """Pair the first half with the second one."""
    halves = (a.int() * w.int()).reshape(2, -1)
    return saturated(halves.sum(dim=0)).sum()


def codes(activations: list[int], weights: list[int]) -> tuple[Tensor, Tensor]:
    """Return codes of activations and weights."""
    return torch.tensor(activations, dtype=torch.uint8), torch.tensor(weights, dtype=torch.int8)


SUM_OF_PAIRS = Exercise(
    name="sum_of_pairs",
    call="sum_of_pairs(a, w)",
    task="the sum of the products, of which each two neighbours were added up in sixteen bits that "
    "saturate",
    drive=one_number("sum"),
    right=sum_of_pairs,
    cases=(
        Case("small codes", codes([1, 2, 3, 4], [5, -6, 7, 8])),
        Case("a pair that is too large", codes([200, 180, 1, 1], [120, 100, 2, -3])),
        Case("a pair that is too small", codes([255, 255, 1, 1], [-128, -128, 2, 3])),
        Case("a product that its neighbour makes small", codes([255, 255], [127, -127])),
        Case("two large pairs", codes([255, 255, 255, 255], [127, 127, 127, 127])),
        Case("large codes that are no neighbours", codes([255, 0, 255, 0], [127, 127, 127, 127])),
    ),
    mistakes={
        "Nothing saturates, because a single product always fits: clamp the sum of each pair.": (
            lambda a, w: pairwise(a, w, lambda pairs: pairs)
        ),
        "Your sixteen bits wrap around, where the instruction keeps the nearest end.": (
            lambda a, w: pairwise(a, w, lambda pairs: pairs.to(torch.int16).int())
        ),
        "You clamp the whole sum, which has 32 bits: clamp the sum of each pair.": at_the_end,
        "You pair codes that are no neighbours: 0 with 1, 2 with 3.": far_apart,
        "Your sixteen bits end at -32767: there is one code more below 0.": lambda a, w: pairwise(
            a, w, lambda pairs: pairs.clamp(-LAST, LAST)
        ),
    },
    hints=(
        "How many products are added up before sixteen bits must hold them, and what holds the sum "
        "of all pairs?",
        "reshape(-1, 2) puts neighbours into rows, and clamp keeps each of their sums in range.",
    ),
    praise="Your sums are those of `saturating_matmul`.",
    place=nowhere,
)


def last_safe(low: int, high: int) -> int:
    """Return the largest code that is safe with all weights."""
    return next(a for a in range(255, -1, -1) if 2 * a * low >= FIRST and 2 * a * high <= LAST)


LAST_SAFE_CODE = Exercise(
    name="last_safe_code",
    call="last_safe_code(low, high)",
    task="the largest code of an activation, at most 255, with which no pair saturates, whatever "
    "weights from low to high it meets",
    drive=one_number("code"),
    right=last_safe,
    cases=(
        Case("weights from -128 to 127", (-128, 127)),
        Case("weights from -127 to 127", (-127, 127)),
        Case("weights from -100 to 120", (-100, 120)),
        Case("weights from -64 to 63", (-64, 63)),
    ),
    mistakes={
        "You look at the largest weight, but the smallest one has the larger size.": (
            lambda low, high: min(255, LAST // (2 * high))
        ),
        "You look at the smallest weight alone: which end does the largest one reach?": (
            lambda low, high: min(255, FIRST // (2 * low))
        ),
        "Two products are added up, so each may take half of the sixteen bits.": lambda low, high: (
            min(255, FIRST // low, LAST // high)
        ),
        "You let sixteen bits end at -32767: below 0 they reach one farther.": lambda low, high: (
            min(255, LAST // (2 * max(-low, high)))
        ),
        "There is no code above 255.": lambda low, high: min(
            FIRST // (2 * low), LAST // (2 * high)
        ),
        "That is the first code that is not safe.": lambda low, high: last_safe(low, high) + 1,
    },
    hints=(
        "A pair is a · w + a · w, and it must lie in -32768 … 32767. What must hold at each end?",
        "-32768 // (2 * low) says how often 2 * low fits. Do the same at the other end.",
    ),
    praise="With weights of eight bits 128 is the last safe code, and reduce_range ends at 127.",
    place=nowhere,
)

EXERCISES = (SUM_OF_PAIRS, LAST_SAFE_CODE)
