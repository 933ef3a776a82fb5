"""Where to clip: the rounding error and the clipping error of every threshold."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate, pairwise
from typing import Any

import torch
from jaxtyping import Float32
from torch import Tensor
from traitlets import Bytes, Int, List, Tuple, Unicode, validate

from qlearn.checks import check_choice
from qlearn.course.widgets.shared.figure import Figure
from qlearn.course.widgets.shared.fitting import fitted
from qlearn.course.widgets.shared.traits import Number
from qlearn.course.widgets.shared.values import LARGEST, LARGEST_STORED, MOST, loaded, stored
from qlearn.numbers.metrics import split_mse
from qlearn.numbers.qparams import QParams


class ClippingThreshold(Figure):
    """Show what a symmetric range −threshold … threshold costs, in rounding and in clipping.

    The qparams are those of :func:`qlearn.choose_qparams` for that range, signed and symmetric.

    Args:
        tensors: float32 values by name, all finite; at most 10,000 (they are stored in the page).
        start: ``data`` (a name; at first the first), ``bits`` (2 to 8) and ``threshold`` (None
            for the largest absolute value of the data); ``own``, numbers that are shown in the
            place of the data, and that a reader may paste.

    >>> from torch import tensor
    >>> ClippingThreshold({"four": tensor([-1.0, 0.0, 1.0, 20.0])}, threshold=2.0)
    ClippingThreshold('four', 4 values, 4 bits): threshold 2, rounding 0.002222, clipping 82.2
    """

    values = Bytes().tag(sync=True)
    places = List(Tuple(Unicode(), Int(), Int()), minlen=1).tag(sync=True)  # of data in values
    data = Unicode().tag(sync=True)
    own = List(Number(min=-LARGEST_STORED, max=LARGEST_STORED), maxlen=MOST).tag(sync=True)
    bits = Int(4, min=2, max=8).tag(sync=True)
    threshold = Number(None, allow_none=True, min=1e-60, max=2 * LARGEST).tag(sync=True)

    def __init__(self, tensors: Mapping[str, Float32[Tensor, "..."]], **start: Any) -> None:
        ends = pairwise(accumulate((x.numel() for x in tensors.values()), initial=0))
        super().__init__(
            values=stored(**tensors),
            places=[(name, *span) for name, span in zip(tensors, ends, strict=True)],
            **{"data": next(iter(tensors), "")} | start,
        )

    @property
    def x(self) -> Float32[Tensor, " values"]:
        """The values that are shown, in one dimension."""
        if self.own:
            return torch.tensor(self.own)
        (span,) = (slice(*ends) for name, *ends in self.places if name == self.data)
        return loaded(self.values)[span]

    @property
    def reach(self) -> float:
        """The threshold that is shown, a number also where the trait is None."""
        return float(self.threshold or self.x.abs().max() or 1)

    @property
    def qparams(self) -> QParams:
        """The qparams that the widget shows now."""
        return fitted(-self.reach, self.reach, bits=self.bits)

    @property
    def errors(self) -> tuple[float, float]:
        """The two parts of the mean squared error, of rounding and of clipping."""
        return split_mse(self.x, self.qparams)

    @validate("data")
    def _check_data(self, proposal: dict[str, Any]) -> str:
        check_choice(proposal["value"], "data", tuple(name for name, *_ in self.places))
        return str(proposal["value"])

    def __repr__(self) -> str:
        """Say in one line what the widget shows; a notebook's re-run compares it."""
        rounding, clipping = self.errors
        data = "own numbers" if self.own else repr(self.data)
        return (
            f"ClippingThreshold({data}, {self.x.numel()} values, {self.bits} bits): "
            f"threshold {self.reach:.4g}, rounding {rounding:.4g}, clipping {clipping:.4g}"
        )
