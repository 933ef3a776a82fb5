"""Checks of the rulers: whether numbers fit between their ends, and on their marks."""

from __future__ import annotations

from collections.abc import Iterator

from qlearn.models.diagnosis.case import Case
from qlearn.models.diagnosis.finding import Finding
from qlearn.models.diagnosis.roundings import LOST, Rounding
from qlearn.models.diagnosis.weights import listed


def no_data(case: Case) -> Iterator[Finding]:
    """Find scales that no calibration chose."""
    untouched = dict.fromkeys(each.place for each in case.seen.roundings if each.is_default)
    if untouched:
        yield Finding(
            "must run observer before calling calculate_qparams. Returning default values.",
            "The scale is 1 and the zero point 0, as if no data had come, or whole numbers up to "
            f"255: {listed(untouched)}.",
        )


def lost_parts(case: Case) -> Iterator[Finding]:
    """Find rulers that fit large numbers, and not the many small ones beside them."""
    found = [each for each in case.seen.roundings if each.loses_parts]
    if found and not case.is_right:
        first = found[0]
        share, what = first.lost
        how = "become 0" if what == "numbers" else f"have less than {LOST:.0f} dB"
        yield Finding(
            "A small input is lost beside a large one, or a mask makes all scores equal",
            f'At "{first.place}", {share:.0%} of the {what} {how} when they are rounded: a step is '
            f"{first.scale:.3g}, and the largest value {max(map(abs, first.reach)):.3g}."
            f"{_also(found)}",
        )


def too_short(case: Case) -> Iterator[Finding]:
    """Find rulers beyond whose ends much lies."""
    yield from _misfits(
        [each for each in case.seen.roundings if each.is_short],
        "Fewer right answers than in float",
        "{clipped:.1%} of the values lie beyond the ruler",
    )


def too_long(case: Case) -> Iterator[Finding]:
    """Find rulers of whose marks few are used."""
    yield from _misfits(
        [each for each in case.seen.roundings if each.is_long],
        "All outputs are equal, or one class always wins",
        "the values get {used} of {all} codes of the ruler",
    )


def _misfits(found: list[Rounding], symptom: str, what: str) -> Iterator[Finding]:
    """Describe the first of these in the order of the run, and name the others."""
    if found:
        first = found[0]
        seen = what.format(clipped=first.clipped, used=first.used, all=first.code_count)
        yield Finding(
            symptom,
            f'At "{first.place}", {seen} {_range(first.ends)}: they reach {_range(first.reach)}. '
            f"Rounded, they have {first.sqnr:.0f} dB.{_also(found)}",
        )


def _also(found: list[Rounding]) -> str:
    """Return the other places, each once."""
    others = dict.fromkeys(each.place for each in found if each.place != found[0].place)
    return f" The same at {listed(others)}." if others else ""


def _range(ends: tuple[float, float]) -> str:
    return f"from {ends[0]:.3g} to {ends[1]:.3g}"
