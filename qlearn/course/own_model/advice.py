"""Which of the trials to take, and why, in two or three sentences."""

from __future__ import annotations

from typing import NamedTuple

from qlearn.course.own_model.trials import Trial, Trials, kilo, short

SMALLER = 0.9  # a file that is not smaller than this share of the float one gains nothing
ALIKE = 1.05  # files whose sizes differ by less are taken as equal, and the error decides
LOUD = 15.0  # dB: below it, a sixth of the outputs' size is error


class Advice(NamedTuple):
    """The name of the method to take, and the reason."""

    method: str
    reason: str

    def __str__(self) -> str:
        """Say both."""
        return f"Take {self.method}. {self.reason}"


def advice(found: Trials, may_lose: float) -> Advice:
    """Return the smallest file among the methods that keep the metric; float32 if none does.

    Of files that are about equally small, it is the one with the smallest error.

    Args:
        found: the float model's row first, as :func:`qlearn.course.own_model.trials` returns them.
        may_lose: how much smaller than the float model's the metric may be.

    Raises:
        ValueError: ``may_lose`` is negative or NaN.

    >>> rows = Trial("float32", 0, 4000, 4000, 0, 90), Trial("int8", 3, 1000, 1000, 40.2, 89)
    >>> print(advice(Trials(rows), may_lose=1))
    Take int8. The file has 1.0 kB and not 4.0, the metric is 89 and not 90, where you \
allow a loss of 1, and the outputs have 40 dB.
    """
    if not may_lose >= 0:
        raise ValueError(f"may_lose is {may_lose}: pass what may be lost of the metric, 0 or more")
    plain, *others = found
    ran = [trial for trial in others if not trial.error]
    small = [trial for trial in ran if trial.size <= SMALLER * plain.size]
    good = [trial for trial in small if plain.value - trial.value <= may_lose]
    if not good:
        return Advice("float32", _why_none(plain, ran, small, may_lose))
    least = min(trial.size for trial in good)
    best = max((t for t in good if t.size <= ALIKE * least), key=lambda trial: trial.sqnr)
    return Advice(best.name, _why(best, plain, may_lose))


def _why(best: Trial, plain: Trial, may_lose: float) -> str:
    """Return the reason for the method that was chosen."""
    metric = f"is {short(best.value)} and not {short(plain.value)}"
    if best.value == plain.value:
        metric = f"stays {short(plain.value)}"
    reason = (
        f"The file has {kilo(best.size)} kB and not {kilo(plain.size)}, the metric {metric}, "
        f"where you allow a loss of {short(may_lose)}, and the outputs have {best.sqnr:.0f} dB."
    )
    if best.sqnr < LOUD:
        reason += " So few decibels are a warning: measure on more data before you trust it."
    return reason


def _why_none(plain: Trial, ran: list[Trial], small: list[Trial], may_lose: float) -> str:
    """Return the reason for leaving the model as it is."""
    if not ran:
        return "No method took a layer of this model and ran."
    if not small:
        least = min(ran, key=lambda trial: trial.size)
        return (
            f"The smallest file, by {least.name}, still has {kilo(least.size)} of "
            f"{kilo(plain.size)} kB, because most of the bytes are in layers that no method takes."
        )
    nearest = max(small, key=lambda trial: trial.value)
    return (
        f"No method keeps the metric: {nearest.name} comes nearest with {short(nearest.value)}, "
        f"where float has {short(plain.value)} and you allow a loss of {short(may_lose)}."
    )
