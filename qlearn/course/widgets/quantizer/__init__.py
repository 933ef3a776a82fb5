"""The quantizer to play with: one tensor, one set of qparams, and the error they make."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch
from jaxtyping import Float32
from traitlets import Bool, Bytes, Float, Int, List, validate

from qlearn.course.widgets.shared.figure import Figure
from qlearn.course.widgets.shared.fitting import fitted
from qlearn.course.widgets.shared.print import noise
from qlearn.course.widgets.shared.traits import Number
from qlearn.course.widgets.shared.values import LARGEST, MOST, loaded, stored
from qlearn.numbers.metrics import clipped_share, max_error, mse, sqnr
from qlearn.numbers.qparams import QParams
from qlearn.numbers.quantize import dequantize, quantize


class Quantizer(Figure):
    """Show how ``x`` is quantized while scale, zero point, bits and scheme are moved.

    Args:
        x: float32 values, at most 10,000 (they are stored in the page), all finite.
        bits: 2 to 8.
        signed: codes of a signed integer type.
        symmetric: the zero point stays in the middle of the codes.
        scale, zero_point: None for what torch's observer chooses.
        simple: show the picture to drag and two results, and no other controls.
        goal: the task is to make the largest error smaller than this; None for no task.
        own: numbers that are shown in the place of x; a reader may paste them.

    >>> Quantizer(torch.tensor([-1.0, 0.0, 1.0, 20.0]), symmetric=False)
    Quantizer(4 values, 8 bits, signed, affine): scale 0.08235, zero point -116, SQNR 59.86 dB
    """

    values = Bytes().tag(sync=True)
    own = List(Number(min=-LARGEST, max=LARGEST), maxlen=MOST).tag(sync=True)
    bits = Int(8, min=2, max=8).tag(sync=True)
    signed = Bool(True).tag(sync=True)
    symmetric = Bool(True).tag(sync=True)
    scale = Float(None, allow_none=True).tag(sync=True)
    zero_point = Int(None, allow_none=True).tag(sync=True)
    simple = Bool(False).tag(sync=True)
    goal = Float(None, allow_none=True).tag(sync=True)

    def __init__(self, x: Float32[torch.Tensor, "..."], **traits: Any) -> None:
        super().__init__(values=stored(x=x), **traits)

    @validate("own", "bits", "signed", "symmetric", "scale", "zero_point")
    def _check(self, proposal: dict[str, Any]) -> Any:
        shown(**self.state() | {proposal["trait"].name: proposal["value"]})
        return proposal["value"]

    @property
    def x(self) -> Float32[torch.Tensor, " values"]:
        """The values that the widget shows now."""
        return torch.tensor(self.own) if self.own else loaded(self.values)

    @property
    def qparams(self) -> QParams:
        """The qparams that the widget shows now."""
        return shown(**self.state())

    @property
    def errors(self) -> dict[str, float]:
        """What :mod:`qlearn.numbers.metrics` says of the result; the SQNR is in dB."""
        x, qparams = self.x, self.qparams
        restored = dequantize(quantize(x, qparams), qparams)
        found = {each.__name__: each(x, restored) for each in (mse, max_error, sqnr)}
        return found | {"clipped_share": clipped_share(x, qparams)}

    def __repr__(self) -> str:
        """Say in one line what the widget shows; a notebook's re-run compares it."""
        codes = "signed" if self.signed else "unsigned"
        scheme = "symmetric" if self.symmetric else "affine"
        noisy = noise(self.errors["sqnr"])
        return (
            f"Quantizer({len(self.x)} values, {self.bits} bits, {codes}, {scheme}): "
            f"scale {self.qparams.scale:.4g}, zero point {self.qparams.zero_point}, {noisy}"
        )


def shown(values: bytes, own: list[float], simple: bool, goal: object, **kind: Any) -> QParams:
    """Return the qparams of a state of the widget, or raise ValueError where there are none."""
    moved = {name: kind.pop(name) for name in ("scale", "zero_point")}
    fit = fitted(*(torch.tensor(own) if own else loaded(values)).aminmax(), **kind)
    if kind["symmetric"] and moved["zero_point"] not in (None, int(fit.zero_point)):
        raise ValueError(
            f"zero_point is {moved['zero_point']}, but symmetric codes of this kind have the zero "
            f"point {fit.zero_point}: set symmetric=False to move it"
        )
    return replace(fit, **{name: value for name, value in moved.items() if value is not None})
