"""Checks of what the model puts out."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterator

from torch import Tensor
from torch.utils import _pytree as pytree

from qlearn.models.diagnosis import symptoms
from qlearn.models.diagnosis.case import VOTES, Case
from qlearn.models.diagnosis.finding import ENOUGH, Finding, whole
from qlearn.models.diagnosis.roundings import LOST, MANY
from qlearn.models.diagnosis.runs import Inputs, answers

Run = Callable[[Inputs], list[Tensor]]
SAME = 25.0  # dB: eight bits that round a row otherwise leave some 40


def not_finite(case: Case) -> Iterator[Finding]:
    """Find NaN, and infinities that the float model does not put out."""
    nan = any(bool(x.isnan().any()) for x in case.outputs)
    infinite = case.exact is not None and any(bool(x.isinf().any()) for x in case.outputs)
    exact = case.exact or []
    nan = nan and not any(bool(x.isnan().any()) for x in exact)
    infinite = infinite and not any(bool(x.isinf().any()) for x in exact)
    if nan or infinite:
        place = f' NaN first comes out of "{case.seen.nan}".' if case.seen.nan else ""
        yield Finding(symptoms.NAN, f"The outputs hold NaN or infinity.{place}")


def other_in_batch(case: Case) -> Iterator[Finding]:
    """Find rows whose outputs depend on what else is in the batch, though not in float."""
    if not (case.outputs and case.steady):
        return
    last = len(case.outputs[0]) - 1 if case.outputs[0].ndim else 0
    rows = sorted({0, last // 3, last} if last > 0 else ())

    def ours(inputs: Inputs) -> list[Tensor]:
        return answers(case.quantized, inputs)

    apart, exact = (
        statistics.median([_alone(case, row, run, batch) for row in rows] or [math.inf])
        for run, batch in ((ours, case.outputs), (case.in_float, case.exact or []))
    )
    if apart < SAME <= exact:
        yield Finding(
            symptoms.BATCH,
            f"Rows by themselves and in their batch: {whole(apart)} dB between the two answers.",
            is_note=case.model is None or case.is_right,  # it may be so in float, too
        )


def all_equal(case: Case) -> Iterator[Finding]:
    """Find outputs that are the same for all inputs, though the inputs are not."""
    if case.is_right or case.rows(0, 1) is None or _same_rows(*_tensors(case.inputs)):
        return
    if case.exact is None:
        outputs = [y for y in case.outputs if _has_rows(y)]
        if outputs and all(map(_same_rows, outputs)):
            yield Finding(symptoms.EQUAL, f"All {len(outputs[0])} rows of the output are equal.")
        return
    for y, exact in zip(case.outputs, case.exact, strict=False):
        if not (_has_rows(y) and _has_rows(exact)):
            continue
        if _same_rows(y) and not _same_rows(exact):
            yield Finding(symptoms.EQUAL, f"All {len(y)} rows of the output are equal.")
        elif _winners(y) == 1 < _winners(exact):
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


def _has_rows(x: Tensor) -> bool:
    return x.ndim > 1 and len(x) > 1


def _same_rows(*tensors: Tensor) -> bool:
    return all(bool((x == x[:1]).all()) for x in tensors)


def _winners(y: Tensor) -> int:
    """Return how many classes win rows; 0 where the outputs are not those of a classifier."""
    classifies = y.ndim == 2 and y.shape[1] > 1 and len(y) >= VOTES and bool(y.isfinite().all())
    return y.argmax(1).unique().numel() if classifies else 0


def _alone(case: Case, row: int, run: Run, batch: list[Tensor]) -> float:
    """Return how far a row in its batch is from the row alone, in dB; infinity if unknown.

    The reference is the power of the median row, since that of one row may be near 0.
    """
    inputs = case.rows(row)
    if inputs is None or not batch:
        return math.inf
    try:
        alone = run(inputs)
    except Exception:  # a graph of one size, or a model that takes no single row
        return math.inf
    if not alone or batch[0].ndim < 2 or batch[0][row : row + 1].shape != alone[0].shape:
        return math.inf
    noise = (alone[0].double() - batch[0][row : row + 1].double()).square().mean().item()
    power = batch[0].double().square().flatten(1).mean(1).median().item()
    if not math.isfinite(noise + power) or not noise or not power:
        return math.inf
    return 10 * math.log10(power / noise)
