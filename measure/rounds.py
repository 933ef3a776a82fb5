"""Times of calls that take random turns, so that a slow moment of the machine meets all.

On a processor it is the process's processor time: with one thread that is the time on the clock,
without the moments in which the system lets other processes run. A graphics card works beside the
processor, so there it is the time on the clock.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import median, quantiles

import torch

ROUNDS = 15
ROUND_SECONDS = 0.02  # a call that is shorter is repeated until the round takes so long
SLOW_SECONDS, SLOW_ROUNDS = 0.25, 3  # a call that is longer takes part in the first rounds only


@dataclass(frozen=True)
class Timing:
    """The median time of a call, and how it compares with the baseline of the same round.

    ``speed`` is the baseline's time divided by this one's, the median over the rounds; half of
    the rounds lie between ``low`` and ``high``.
    """

    ms: float
    speed: float
    low: float
    high: float


def seconds(call: Callable[[], object], repeats: int = 1, device: str = "cpu") -> float:
    """Return the mean time of a call on a device."""
    on_card = device == "cuda"
    clock = time.perf_counter if on_card else time.process_time
    wait = torch.cuda.synchronize if on_card else (lambda: None)  # until the card has done its work
    wait()
    start = clock()
    for _ in range(repeats):
        call()
    wait()
    return (clock() - start) / repeats


def take_turns(
    calls: Mapping[str, Callable[[], object]],
    baseline: str,
    *,
    rounds: int = ROUNDS,
    device: str = "cpu",
) -> dict[str, Timing]:
    """Return the timing of each call; in each round all of them run, in random order.

    >>> found = take_turns({"a": lambda: sum(range(9999)), "b": lambda: None}, "a", rounds=3)
    >>> found["a"].speed, found["b"].speed > 1
    (1.0, True)
    """
    once = {name: seconds(call, 1, device) for name, call in calls.items()}
    slow = {name for name, long in once.items() if long > SLOW_SECONDS and name != baseline}
    repeats = {name: max(1, round(ROUND_SECONDS / max(long, 1e-7))) for name, long in once.items()}
    order, shuffle = list(calls), random.Random(0).shuffle
    times: dict[str, list[float]] = {name: [] for name in calls}
    for number in range(rounds):
        shuffle(order)
        for name in order:
            if number < SLOW_ROUNDS or name not in slow:
                times[name].append(seconds(calls[name], repeats[name], device))
    return {name: timing(mine, times[baseline]) for name, mine in times.items()}


def timing(mine: list[float], baseline: list[float]) -> Timing:
    """Return the timing of a call whose rounds took ``mine`` seconds."""
    ratios = [b / m for m, b in zip(mine, baseline, strict=False)]  # in few rounds, if slow
    low, _, high = quantiles(ratios, n=4, method="inclusive")
    return Timing(*(round(x, 4) for x in (median(mine) * 1e3, median(ratios), low, high)))
