"""Checks of what the model puts out."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator

from torch import Tensor, nn
from torch.utils import _pytree as pytree

from qlearn.models.diagnosis import symptoms
from qlearn.models.diagnosis.case import Case
from qlearn.models.diagnosis.finding import ENOUGH, Finding, whole
from qlearn.models.diagnosis.roundings import LOST, MANY
from qlearn.models.diagnosis.runs import answers

SAME = 25.0  # dB: eight bits that round a row otherwise leave some 40
VOTES = 16  # rows: of so many, one class should not win all


def not_finite(case: Case) -> Iterator[Finding]:
    """Find NaN, and infinities that the float model does not put out."""
    nan = any(bool(x.isnan().any()) for x in case.outputs)
    infinite = case.exact is not None and any(bool(x.isinf().any()) for x in case.outputs)
    known = any(not bool(x.isfinite().all()) for x in case.exact or [])
    if (nan or infinite) and not known:
        place = f' NaN first comes out of "{case.seen.nan}".' if case.seen.nan else ""
        yield Finding(symptoms.NAN, f"The outputs hold NaN or infinity.{place}")


def other_in_batch(case: Case) -> Iterator[Finding]:
    """Find rows whose outputs depend on what else is in the batch, though not in float."""
    if not (case.model and case.exact and case.outputs and case.steady):
        return
    last = len(case.outputs[0]) - 1 if case.outputs[0].ndim else 0
    rows = sorted({0, last // 3, last} if last > 0 else ())
    apart, exact = (
        statistics.median([_alone(case, row, model, batch) for row in rows] or [math.inf])
        for model, batch in ((case.quantized, case.outputs), (case.model, case.exact))
    )
    if apart < SAME <= exact:
        yield Finding(
            symptoms.BATCH,
            f"Rows by themselves and in their batch: {whole(apart)} dB between the two answers.",
        )


def all_equal(case: Case) -> Iterator[Finding]:
    """Find outputs that are the same for all inputs, though the inputs are not."""
    if case.is_right or not case.outputs or case.rows(0, 1) is None or case.outputs[0].ndim < 2:
        return
    y, exact = case.outputs[0], case.exact[0] if case.exact else None
    if _same_rows(*_tensors(case.inputs)) or (exact is not None and _same_rows(exact)):
        return
    if len(y) > 1 and _same_rows(y):
        text = f"All {len(y)} rows of the output are equal."
        yield Finding(symptoms.EQUAL, text)
    elif _winners(y) == 1 and exact is not None and _winners(exact) > 1:
        text = f"One class wins all {len(y)} rows; in float {_winners(exact)} win."
        yield Finding(symptoms.EQUAL, text)


def lost_columns(case: Case) -> Iterator[Finding]:
    """Find outputs of which some columns are lost beside larger ones."""
    if case.lost_columns >= MANY and case.sqnr is not None and case.sqnr >= ENOUGH:
        yield Finding(
            symptoms.BRANCH,
            f"{case.lost_columns:.0%} of the columns of an output have less than {LOST:.0f} dB, "
            "though the whole has more: larger columns share their ruler.",
        )


def _tensors(inputs: object) -> list[Tensor]:
    return [x for x in pytree.tree_leaves(inputs) if isinstance(x, Tensor) and x.ndim]


def _same_rows(*tensors: Tensor) -> bool:
    return all(bool((x == x[:1]).all()) for x in tensors)


def _winners(y: Tensor) -> int:
    """Return how many classes win rows; 0 where the outputs are not those of a classifier."""
    return y.argmax(1).unique().numel() if y.ndim == 2 and y.shape[1] > 1 and len(y) >= VOTES else 0


def _alone(case: Case, row: int, model: nn.Module, batch: list[Tensor]) -> float:
    """Return how far a row in its batch is from the row alone, in dB; infinity if unknown.

    The reference is the power of the median row, since that of one row may be near 0.
    """
    inputs = case.rows(row)
    if inputs is None or not batch:
        return math.inf
    try:
        alone = answers(model, inputs)
    except Exception:  # a graph of one size, or a model that takes no single row
        return math.inf
    if not alone or batch[0].ndim < 2 or batch[0][row : row + 1].shape != alone[0].shape:
        return math.inf
    noise = (alone[0].double() - batch[0][row : row + 1].double()).square().mean().item()
    power = batch[0].double().square().flatten(1).mean(1).median().item()
    if not math.isfinite(noise + power) or not noise or not power:
        return math.inf
    return 10 * math.log10(power / noise)
