"""Checks of the rulers: whether numbers fit between their ends, and on their marks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from qlearn.models.diagnosis import symptoms
from qlearn.models.diagnosis.case import Case
from qlearn.models.diagnosis.finding import Finding, whole
from qlearn.models.diagnosis.names import also, listed
from qlearn.models.diagnosis.roundings import LOST, Rounding

FAR, NEAR = -1000.0, 100.0  # the end of a ruler that a mask made, and what beside it is no mask


def misfits(case: Case) -> Iterator[Finding]:
    """Find rulers that do not fit: in the order of the run, since the first may be the cause."""
    seen = case.seen.roundings
    kinds: list[tuple[list[Rounding], Callable[[list[Rounding]], Finding]]] = [
        ([each for each in seen if each.is_default], _no_data),
        ([each for each in seen if each.loses_parts and not _is_fixed(each)], _lost_parts),
        ([each for each in seen if each.loses_parts and _is_fixed(each)], _lost_parts),
        ([each for each in seen if each.is_short], _too_short),
        ([each for each in seen if each.is_long and not _larger(each, seen)], _too_long),
        ([each for each in seen if each.is_long and _larger(each, seen)], partial(_small, seen)),
    ]
    found = [(seen.index(each[0]), describe(each)) for each, describe in kinds if each]
    for at, finding in sorted(found, key=lambda pair: pair[0]):
        yield finding._replace(is_note=case.is_right or _is_fixed(seen[at]))


def _larger(one: Rounding, seen: list[Rounding]) -> Rounding | None:
    """Return a much larger tensor that has the same ruler."""
    return next((other for other in seen if one.shares_ruler(other)), None)


def _is_fixed(one: Rounding) -> bool:
    """Say whether a ruler is the one that sigmoids and softmax have, whatever comes out of them."""
    return one.scale == 1 / 256 and one.code_count == 256 and one.loses_parts


def _no_data(found: list[Rounding]) -> Finding:
    """Describe scales that no calibration chose."""
    return Finding(
        symptoms.NO_DATA,
        "The scale is 1 and the zero point 0, as if no data had come: "
        f"{listed(dict.fromkeys(each.place for each in found))}. Whole numbers up to 255 look the "
        "same.",
    )


def _lost_parts(found: list[Rounding]) -> Finding:
    """Describe rulers that fit large numbers, and not the many small ones beside them."""
    first, (share, what) = found[0], found[0].lost
    how = "become 0" if what == "numbers" else f"have less than {LOST:.0f} dB"
    return Finding(
        symptoms.BATCH if what == "rows" and first.is_dynamic else symptoms.SMALL,
        f'At "{first.place}", {share:.0%} of the {what} {how} when they are rounded: a step is '
        f"{first.scale:.3g}, and the largest value {max(map(abs, first.reach)):.3g}."
        f"{also(each.place for each in found)}",
    )


def _too_short(found: list[Rounding]) -> Finding:
    """Describe rulers beyond whose ends much lies."""
    what = f"{found[0].clipped:.1%} of the values lie beyond the ruler"
    text = _misfit(found, what)
    return Finding(symptoms.WORSE, f"{text} Was it calibrated on data like these?")


def _too_long(found: list[Rounding]) -> Finding:
    """Describe rulers of whose marks few are used."""
    what = f"the values get {found[0].used} of {found[0].code_count} codes of the ruler"
    if found[0].ends[0] <= FAR and max(map(abs, found[0].reach)) <= NEAR:
        mask = " Was a mask there when it was calibrated, or a number for missing values?"
        return Finding(symptoms.SMALL, _misfit(found, what) + mask)
    return Finding(symptoms.EQUAL, _misfit(found, what))


def _small(seen: list[Rounding], found: list[Rounding]) -> Finding:
    """Describe rulers that a larger tensor made so long."""
    larger = _larger(found[0], seen)
    beside = f' The larger "{larger.place}" has the same ruler.' if larger else ""
    if larger and larger.place == found[0].place:
        beside = " It is called more than once, and a larger result set its ruler: make several."
    return Finding(symptoms.SMALL, _too_long(found).text + beside)


def _misfit(found: list[Rounding], what: str) -> str:
    """Describe the first of these, and name the others."""
    first = found[0]
    return (
        f'At "{first.place}", {what} {_range(first.ends)}: they reach {_range(first.reach)}. '
        f"Rounded, they have {whole(first.sqnr)} dB.{also(each.place for each in found)}"
    )


def _range(ends: tuple[float, float]) -> str:
    return f"from {ends[0]:.3g} to {ends[1]:.3g}"
