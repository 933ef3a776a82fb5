"""Checks of the weights against those of the float model."""

from __future__ import annotations

from collections.abc import Iterator

from qlearn.models.diagnosis import symptoms
from qlearn.models.diagnosis.case import Case
from qlearn.models.diagnosis.finding import Finding
from qlearn.models.diagnosis.names import listed
from qlearn.models.diagnosis.weight_error import compared, turned
from qlearn.models.diagnosis.weights import alike, empty_rows

TIMES = 4.0  # as large: what a norm that is folded, or AWQ, seldom does
ALIKE = 0.5  # cosine: rows of weights that were quantized, folded or scaled are nearer than that


def rows_of_zeros(case: Case) -> Iterator[Finding]:
    """Find weights of which many rows became 0."""
    if case.model is None or case.is_right:
        return
    ours, theirs = case.weights.known, case.float_weights
    for name in [name for name in ours if name in theirs]:
        empty, rows = empty_rows(ours[name], theirs[name])
        if empty > rows / 20:
            yield Finding(
                symptoms.WORSE,
                f'{empty} of {rows} rows of "{name}" became 0, since larger ones share their '
                "scale. Give each channel its own.",
            )


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
            "Or was the model trained since?",
        )
    if same := [name for name, is_turned in names.items() if is_turned]:
        yield Finding(
            symptoms.LANGUAGE,
            f"Weights hold those of the float model, rotated or in another order: {listed(same)}. "
            "Is all that meets them turned, too? Were they read in the order in which they were "
            "written?",
            is_note=True,
        )


def strange(case: Case) -> list[str]:
    """Return the names of the weights that point elsewhere than the float model's."""
    ours, theirs = case.weights.all, case.float_weights
    return [name for name in ours if name in theirs and alike(ours[name], theirs[name]) < ALIKE]


def _inflated(case: Case) -> list[tuple[str, float]]:
    """Return the names of weights that are other multiples of the float model's, and which."""
    ours, theirs = case.weights.known, case.float_weights
    both = [name for name in ours if name in theirs and ours[name].shape == theirs[name].shape]
    factors = [compared(ours[name].detach().dequantize(), theirs[name]).factor for name in both]
    pairs = zip(both, factors, strict=True)
    return [(name, factor) for name, factor in pairs if not 1 / TIMES < abs(factor) < TIMES]
