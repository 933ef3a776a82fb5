"""The quantizer to play with: one tensor, one ruler, and the error that it makes."""

from __future__ import annotations

from typing import Any

import torch
from jaxtyping import Float32
from traitlets import Bool, Bytes, Enum, Float, Int, List, validate

from qlearn.course.widgets.shared import rulers
from qlearn.course.widgets.shared.figure import Figure
from qlearn.course.widgets.shared.print import noise
from qlearn.course.widgets.shared.traits import Number, present
from qlearn.course.widgets.shared.values import LARGEST_STORED, MOST, loaded, matrix_shape, stored
from qlearn.numbers.qparams import QParams


class Quantizer(Figure):
    """Show how ``x`` is quantized while its ruler is moved.

    Args:
        x: float32 values, at most 10,000 (they are stored in the page), all finite.
        bits, signed: of the codes: 2 to 8, and whether they have a sign.
        symmetric: the zero point stays in the middle of the codes.
        scale, zero_point: None for what torch's observer chooses.
        rounding: of integers, "nearest" (halves to even), "away" (halves away from 0) or "down".
        format: "integer", or of 8 bits "E4M3FN", "E5M2", or of 4 bits "E2M1FN", "NF4".
        channel, per_channel: the row of ``x`` that is shown; whether each row has its own ruler.
        parts: "rounding", "format", "channel": what the reader can choose of these three. With
            "channel", x is a matrix. The first decides what the hint and the task speak of.
        simple: show the picture to drag and two results, and no other controls.
        goal: of the task: below it the largest error; with parts above it the mean error's size,
            the SQNR, or that of every channel. None for no task.
        own: numbers that are shown in the place of x; a reader may paste them.

    >>> Quantizer(torch.tensor([-1.0, 0.0, 1.0, 20.0]), symmetric=False)
    Quantizer(4 values, 8 bits, signed, affine): scale 0.08235, zero point -116, SQNR 59.86 dB
    """

    values = Bytes().tag(sync=True)
    columns = Int(1, min=1).tag(sync=True)
    own = List(Number(min=-LARGEST_STORED, max=LARGEST_STORED), maxlen=MOST).tag(sync=True)
    bits = Int(8, min=2, max=8).tag(sync=True)
    signed = Bool(True).tag(sync=True)
    symmetric = Bool(True).tag(sync=True)
    scale = Float(None, allow_none=True).tag(sync=True)
    zero_point = Int(None, allow_none=True).tag(sync=True)
    rounding = Enum([*rulers.ROUNDINGS], "nearest").tag(sync=True)
    format = Enum(rulers.FORMATS, "integer").tag(sync=True)
    channel = Int(0).tag(sync=True)
    per_channel = Bool(False).tag(sync=True)
    parts = List(Enum(["rounding", "format", "channel"])).tag(sync=True)
    simple = Bool(False).tag(sync=True)
    goal = Float(None, allow_none=True).tag(sync=True)

    def __init__(self, x: Float32[torch.Tensor, "..."], **traits: Any) -> None:
        values, whole = stored(x=x), "channel" not in traits.get("parts", ())
        columns = x.numel() if whole else matrix_shape(x, "x", "a channel")[1]
        super().__init__(values=values, columns=columns, **traits)

    there = present("channel", lambda self: range(len(loaded(self.values)) // self.columns))

    @validate("own", "bits", "signed", "symmetric", "scale", "zero_point", "format")
    def _check(self, proposal: dict[str, Any]) -> Any:
        rulers.ruler_of(self.state() | {proposal["trait"].name: proposal["value"]})
        return proposal["value"]

    @property
    def x(self) -> Float32[torch.Tensor, " values"]:
        """The values that the widget shows now."""
        return rulers.rows_of(self.state())[0 if self.own else self.channel]

    @property
    def qparams(self) -> QParams:
        """The qparams that the widget shows now; those of a float end at its largest number."""
        return rulers.ruler_of(self.state())

    @property
    def errors(self) -> dict[str, float]:
        """What :mod:`qlearn.numbers.metrics` says of the result; the SQNR is in dB."""
        return rulers.measured(self.x, self.qparams, format=self.format, rounding=self.rounding)

    def __repr__(self) -> str:
        """Say in one line what the widget shows; a notebook's re-run compares it."""
        signs = "signed" if self.signed else "unsigned"
        scheme = "symmetric" if self.symmetric else "affine"
        kind = f"{signs}, {scheme}" if self.format == "integer" else self.format
        noisy = noise(self.errors["sqnr"])
        return (
            f"Quantizer({len(self.x)} values, {self.bits} bits, {kind}): "
            f"scale {self.qparams.scale:.4g}, zero point {self.qparams.zero_point}, {noisy}"
        )
