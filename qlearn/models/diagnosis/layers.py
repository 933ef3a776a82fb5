"""Checks of single layers against what float arithmetic says."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator

from qlearn.machine import kernels_saturate
from qlearn.models.diagnosis import symptoms
from qlearn.models.diagnosis.case import Case
from qlearn.models.diagnosis.finding import Finding, whole
from qlearn.models.diagnosis.names import also
from qlearn.models.diagnosis.other_weights import emptied, strange
from qlearn.models.diagnosis.part_error import PartError
from qlearn.models.diagnosis.roundings import LOST, RIGHT
from qlearn.models.diagnosis.weight_error import WeightError

LOUD = 20.0  # times the median channel: healthy inputs stay below 6
WRONG = 1e-3  # share of the codes: fewer may lie between two codes and be rounded either way
POOR = 10.0  # dB: a third of the size is error; layers with eight bits keep some 40, with four 20
HALF = 3.0  # dB: half of the error's power
APART = 10.0  # dB below the median layer: three times as much error


def wrong_kernels(case: Case) -> Iterator[Finding]:
    """Find kernels whose codes are not those of the same operator on floats."""
    found = [each for each in case.seen.kernels if each.wrong > WRONG]
    if found:
        saturates = kernels_saturate()
        here = " Kernels saturate on this machine." if saturates else ""
        yield Finding(
            symptoms.MACHINE if saturates else symptoms.KERNEL,
            f'At "{found[0].place}", {found[0].operator} gives {found[0].wrong:.1%} of its codes '
            f"wrong, by up to {found[0].worst}, compared with the same on floats.{here}"
            f"{also(each.place for each in found)}",
        )


def poor_layers(case: Case) -> Iterator[Finding]:
    """Find layers that put out something else than the float layer does on the same input."""
    if case.is_right:
        return
    known = {each.place for each in case.seen.roundings if each.sqnr < RIGHT or each.loses_parts}
    known |= {each.place for each in case.seen.kernels if each.wrong > WRONG}
    known |= {name.removesuffix(".weight") for name in (*strange(case), *emptied(case))}
    finite = [each.sqnr for each in case.layers.values() if math.isfinite(each.sqnr)]
    usual = statistics.median(finite) if finite else 0.0
    bound = max(POOR, min(RIGHT, usual - APART))
    found = {
        name: each
        for name, each in case.layers.items()
        if each.sqnr < bound and name not in known and not (each.norm and each.with_norm >= bound)
    }
    if found:
        name, error = next(iter(found.items()))
        is_turned = error.weight is not None and error.weight.turned
        yield Finding(
            symptoms.LANGUAGE if _is_loud(error) or _was_misread(error) else symptoms.WORSE,
            f'On the same input, "{name}" has {whole(error.sqnr)} dB against the float layer. '
            f"{_reason(error)}{also(found)}",
            is_note=is_turned and (case.sqnr is None or case.sqnr >= LOST),  # as in rotated models
        )


def left_out_by_a_norm(case: Case) -> Iterator[Finding]:
    """Find norms that were changed, and layers behind them that were not changed with them."""
    if case.is_right:
        return
    found = {
        name: each
        for name, each in case.layers.items()
        if each.with_norm < POOR and each.sqnr >= RIGHT
    }
    if found:
        name, error = next(iter(found.items()))
        yield Finding(
            symptoms.LANGUAGE,
            f'"{error.norm}" was changed, and "{name}", which reads it, was not changed with it: '
            f"both together have {whole(error.with_norm)} dB.{also(found)}",
        )


def _was_misread(error: PartError) -> bool:
    """Say whether the weight was read otherwise than it was written, or changed before."""
    weight = error.weight
    return weight is not None and (weight.turned or weight.is_misread or weight.is_smoothed)


def _is_loud(error: PartError) -> bool:
    """Say whether the input has a loud channel, and the weight is not the reason."""
    return error.loudest > LOUD and (error.weight is None or error.weight.sqnr >= RIGHT)


def _reason(error: PartError) -> str:
    """Say where the error of a layer comes from, as far as it can be seen."""
    if error.weight is not None and error.weight.sqnr < RIGHT:
        return _of_weight(error.weight)
    if error.by_weight < error.sqnr + HALF:
        return (
            f"Its weight alone has {whole(error.by_weight)} dB there: what was rounded much meets "
            "large inputs. Keep that layer in float, or make its inputs equally large."
        )
    if _is_loud(error):
        return (
            f"A channel of its input is {error.loudest:.0f} times as large as the median one, and "
            "they share a scale."
        )
    if error.without_mean >= RIGHT:
        return "The error is one number for each channel: look at bias and zero point."
    if error.has_other_gates:
        return (
            "With its gates in another order the float layer puts out the same. Torch's LSTM has "
            "them as i, f, g, o, and its GRU as r, z, n."
        )
    if error.rescaled >= max(RIGHT, error.sqnr + APART):
        return (
            "Its rows point the same way, and are of another size: look at its scale, and at what "
            "it divides by."
        )
    if error.weight is None:
        return "Look at its weight, its kernel, and the range of its input."
    return "Its weight is not the reason: look at its kernel, and at the range of its input."


def _of_weight(weight: WeightError) -> str:
    """Say what is wrong with a weight."""
    if weight.flipped:
        return (
            f"Large inputs come out with the other sign, in {weight.flipped:.0%} of the columns of "
            "its weight: codes overflow. Clamp them before they are cast."
        )
    if weight.turned:
        return (
            "Its weight is the float one, rotated or in another order: is what meets it turned, "
            "too, and was it read in the order in which it was written?"
        )
    if weight.is_smoothed or weight.is_another_size:
        return _of_factors(weight)
    if weight.lost_rows:
        return f"{weight.empty:.0%} of the rows of its weight are 0: did any data reach it?"
    return _of_rounding(weight)


def _of_factors(weight: WeightError) -> str:
    """Say by what its rows were multiplied."""
    if weight.is_smoothed:
        return (
            "The rows of its weight are other multiples of the float ones, the largest "
            f"{weight.spread:.3g} times the smallest: has each row its own scale? After smoothing, "
            "what meets them is divided by the same factors, and two rows of a head that rotary "
            "positions mix need one."
        )
    return (
        f"Its weight is {weight.factor:.3g} times as large as the float one: was its scale "
        f"applied, and is it its own?{_of_float8(weight)}"
    )


def _of_rounding(weight: WeightError) -> str:
    """Say what its codes have lost."""
    if weight.sqnr < 0:
        return (
            f"Its weight has {whole(weight.sqnr)} dB, which is no rounding: was it read otherwise "
            "than it was written, or is it another layer's?"
        )
    kept = f"The channels of its weight have {whole(weight.sqnr)} dB"
    if weight.is_misread:
        return (
            f"{kept}, and as many values can keep {whole(weight.possible)}: was it read as it was "
            "written, with its zero point, its groups, and the order of its columns? Or was it "
            "trained since?"
        )
    return f"{kept}: too few bits, or one scale for channels of different sizes."


def _of_float8(weight: WeightError) -> str:
    """Name the two formats of float8 that differ by a factor of 2."""
    halves = 0.9 < weight.octaves < 1.1
    return " Float8 of the kinds FN and FNUZ, taken for each other, is off by 2." if halves else ""
