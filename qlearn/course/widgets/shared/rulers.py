"""Rulers of a format: integers, or the levels of a float or of NF4; in JavaScript rulers.js."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch
from jaxtyping import Float32
from torch import Tensor

from qlearn.course.widgets.shared.fitting import fitted
from qlearn.course.widgets.shared.values import loaded
from qlearn.formats.float_format import E2M1FN, E4M3FN, E5M2
from qlearn.formats.float_rounding import round_to_float
from qlearn.formats.nf4 import nf4_levels
from qlearn.numbers.metrics import max_error, mse, sqnr
from qlearn.numbers.qparams import QParams
from qlearn.numbers.quantize import dequantize

FLOATS = {"E4M3FN": E4M3FN, "E5M2": E5M2, "E2M1FN": E2M1FN}
BITS = {**{name: each.bits for name, each in FLOATS.items()}, "NF4": 4}
FORMATS = ("integer", *BITS)
SMALLEST = 2.0**-126  # the smallest normal number, so that a division by a scale is finite


def _halves_away(steps: Tensor) -> Tensor:
    return (steps.double().abs() + 0.5).floor().copysign(steps).to(steps.dtype)


ROUNDINGS: dict[str, Callable[[Tensor], Tensor]] = {
    "nearest": torch.round,
    "away": _halves_away,
    "down": torch.floor,
}


def levels_of(format: str) -> Float32[Tensor, " levels"]:
    """Return the levels of a format, from the least to the largest.

    >>> levels_of("E2M1FN")[7:]
    tensor([0.0000, 0.5000, 1.0000, 1.5000, 2.0000, 3.0000, 4.0000, 6.0000])
    """
    if format == "NF4":
        return nf4_levels()
    numbers = torch.tensor([FLOATS[format].value(code) for code in range(2 ** BITS[format])])
    return (numbers[numbers.isfinite()] + 0.0).unique()  # −0 becomes 0


def fitted_ruler(low: Tensor, high: Tensor, *, format: str, bits: int, **kind: Any) -> QParams:
    """Return the ruler for values from low to high; the ends of one with levels are its own.

    Raises:
        ValueError: a code of the format has another number of bits.

    >>> ends = torch.tensor(-3.0), torch.tensor(12.0)
    >>> fitted_ruler(*ends, format="E2M1FN", bits=4).scale
    tensor(2.)
    """
    if format == "integer":
        return fitted(low, high, bits=bits, **kind)
    if bits != BITS[format]:
        raise ValueError(f"{format} has {BITS[format]} bits, but bits is {bits}: make them equal")
    first, last = levels_of(format)[[0, -1]]
    scale = (torch.maximum(-low, high) / last).clamp_min(SMALLEST)
    return QParams(scale, 0, int(first), int(last), torch.int32)


def rows_of(state: dict[str, Any]) -> Float32[Tensor, "rows columns"]:
    """Return the values of a quantizer's state: its channels, or its only row."""
    own = state["own"]
    return torch.tensor([own]) if own else loaded(state["values"]).view(-1, state["columns"])


def ruler_of(state: dict[str, Any]) -> QParams:
    """Return the ruler of the row that is shown: the one that fits, or as far as it was moved.

    Raises:
        ValueError: the codes cannot have that zero point, or there is no such ruler.
    """
    rows, own = rows_of(state), bool(state["own"])
    ends = (rows[state["channel"]] if state["per_channel"] and not own else rows).aminmax()
    kind = {name: state[name] for name in ("format", "bits", "signed", "symmetric")}
    fit = fitted_ruler(*ends, **kind)
    moved = {name: state[name] for name in ("scale", "zero_point") if state[name] is not None}
    fixed = state["symmetric"] or state["format"] != "integer"
    if fixed and moved.get("zero_point", int(fit.zero_point)) != int(fit.zero_point):
        raise ValueError(
            f"zero_point is {moved['zero_point']}, but symmetric codes of this kind have the zero "
            f"point {fit.zero_point}: set symmetric=False to move it"
        )
    return replace(fit, **moved)


def measured(
    x: Float32[Tensor, " n"], ruler: QParams, *, format: str, rounding: str
) -> dict[str, float]:
    """Return what :mod:`qlearn.numbers.metrics` says of the result, and the mean error.

    >>> x = torch.tensor([0.5, 1.5, 9.0])
    >>> ruler = QParams(1.0, 0, -8, 7, torch.int8)
    >>> found = measured(x, ruler, format="integer", rounding="away")
    >>> found["max_error"], found["mean_error"], found["clipped_share"]
    (2.0, -0.3333333333333333, 0.3333333333333333)
    """
    if format == "integer":
        steps = ROUNDINGS[rounding](x * (1.0 / ruler.scale)) + ruler.zero_point
        codes = steps.clamp(ruler.quant_min, ruler.quant_max)
        restored, beyond = dequantize(codes.to(ruler.dtype), ruler), codes != steps
    else:
        restored, beyond = _in_levels(x, ruler.scale, format)
    found = {each.__name__: each(x, restored) for each in (mse, max_error, sqnr)}
    mean = (restored.double() - x.double()).mean().item()
    return found | {"mean_error": mean, "clipped_share": beyond.double().mean().item()}


def _in_levels(x: Tensor, scale: Tensor, format: str) -> tuple[Tensor, Tensor]:
    """Return what comes back, and where it is clipped: half the last step beyond the end."""
    levels, scaled = levels_of(format), x / scale
    low, high = 1.5 * levels[[0, -1]].double() - 0.5 * levels[[1, -2]].double()
    beyond = (scaled.double() < low) | (scaled.double() > high)
    if format in FLOATS:
        return round_to_float(scaled, FLOATS[format]) * scale, beyond
    places = torch.bucketize(scaled, (levels[1:] + levels[:-1]) / 2)
    return levels[places] * scale, beyond
