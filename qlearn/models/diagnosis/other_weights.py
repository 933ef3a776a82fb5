"""Checks of the weights against those of the float model."""

from __future__ import annotations

import statistics
from collections.abc import Iterator

from qlearn.models.diagnosis import symptoms
from qlearn.models.diagnosis.case import Case
from qlearn.models.diagnosis.finding import Finding
from qlearn.models.diagnosis.folded import folded, folded_norms
from qlearn.models.diagnosis.names import listed
from qlearn.models.diagnosis.roundings import LOST
from qlearn.models.diagnosis.weight_error import compared, turned
from qlearn.models.diagnosis.weights import ALIKE, empty_parts, has_row_scales

REPAIRS = {
    "rows": "Give each channel its own.",
    "columns": "Keep that layer in float, or make its inputs equally large.",
}
TIMES = 4.0  # as large: what AWQ seldom does, and a norm that is folded may
NEARER = 0.05  # cosine: than the median weight
MOVED = 0.95  # cosine: rows of weights that were rounded to four bits are nearer than that


def rows_of_zeros(case: Case) -> Iterator[Finding]:
    """Find weights of which many rows, or many columns, became 0."""
    for name, kinds in emptied(case).items():
        for what, (empty, count) in kinds.items():
            yield Finding(
                symptoms.WORSE,
                f'{empty} of {count} {what} of "{name}" became 0, since larger ones share their '
                f"scale. {REPAIRS[what]}",
            )


def emptied(case: Case) -> dict[str, dict[str, tuple[int, int]]]:
    """Return how many rows and columns became 0, and of how many, by weights that lost some."""
    if case.model is None or case.is_right:
        return {}
    ours, theirs, found = case.weights.known, case.float_weights, {}
    for name in [name for name in ours if name in theirs]:
        kinds = [what for what in REPAIRS if what == "columns" or not has_row_scales(ours[name])]
        counts = {
            what: empty_parts(ours[name], theirs[name], are_columns=what == "columns")
            for what in kinds
        }
        if lost := {what: each for what, each in counts.items() if each[0] > each[1] / 20}:
            found[name] = lost
    return found


def other_multiples(case: Case) -> Iterator[Finding]:
    """Find weights that are many times as large as the float model's, or as small."""
    if case.model is None or case.is_right:
        return
    if inflated := _inflated(case):
        yield Finding(
            symptoms.WORSE,
            f"Weights are {inflated[0][1]:.3g} times as large as in float: "
            f"{listed(name for name, _ in inflated)}. Were their scales applied? Or was another "
            "layer's norm folded?",
        )


def other_weights(case: Case) -> Iterator[Finding]:
    """Find weights that are not those of the float model, or are rotated."""
    if case.model is None or case.is_right:
        return
    theirs = case.float_weights
    names = {name: turned(case.weights.all[name], theirs[name]) for name in strange(case)}
    if others := [name for name, is_turned in names.items() if not is_turned]:
        yield Finding(
            symptoms.WORSE,
            f"The weights are not those of the float model: {listed(others)}. Were they loaded? "
            "Or was the model trained since, perhaps with too large a learning rate?",
        )
    if same := [name for name, is_turned in names.items() if is_turned]:
        yield Finding(
            symptoms.LANGUAGE,
            f"Weights hold those of the float model, rotated or in another order: {listed(same)}. "
            "Is all that meets them turned, too? Were they read in the order in which they were "
            "written?",
            is_note=case.sqnr is None or case.sqnr >= LOST,  # as weights of a rotated model are
        )


def strange(case: Case) -> list[str]:
    """Return the names of the weights that point elsewhere than the float model's.

    Where one of them is none of its, those that moved less were not rounded alone, either.
    """
    near = case.cosines
    bound = ALIKE
    if min(near.values(), default=1.0) < ALIKE:
        bound = max(ALIKE, min(MOVED, statistics.median(near.values()) - NEARER))
    return [name for name, cosine in near.items() if cosine < bound]


def _inflated(case: Case) -> list[tuple[str, float]]:
    """Return the names of weights that are other multiples of the float model's, and which."""
    ours, theirs = case.weights.known, case.float_weights
    both = [name for name in ours if name in theirs and ours[name].shape == theirs[name].shape]
    norms, found = folded_norms(case), []
    for name in both:
        exact = [theirs[name]]
        exact += [folded(theirs[name], norms[name])] if name in norms else []
        factors = [compared(ours[name].detach().dequantize(), each).factor for each in exact]
        if not any(1 / TIMES < abs(factor) < TIMES for factor in factors):
            found.append((name, factors[0]))
    return found
