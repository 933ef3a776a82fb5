"""Where to clip: the rounding error and the clipping error of every threshold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import anywidget
import torch
import traitlets
from jaxtyping import Float32
from torch import Tensor

from qlearn.checks import check_float32
from qlearn.course.widgets.bundle import bundle, styles
from qlearn.course.widgets.shared.values import LARGEST, check_values
from qlearn.numbers.metrics import clipped_share, split_mse
from qlearn.numbers.qparams import QParams
from qlearn.numbers.ranges import quant_range
from qlearn.numbers.rules.observer import choose_qparams


class ClippingThreshold(anywidget.AnyWidget):
    """Show what a symmetric range −threshold … threshold costs, in rounding and in clipping.

    The reader chooses one of the tensors, the bits and the threshold; the qparams are those of
    :func:`qlearn.choose_qparams` for that range, signed and symmetric. The browser computes
    everything, so the widget lives on a static page too; in a live notebook each move arrives in
    the traits below, and setting one moves the picture. With other data, the threshold goes to
    their largest absolute value, where nothing is clipped but to half a step.

    Args:
        tensors: float32 values to choose from, by name; at most 10,000 in all (they are stored
            in the page), all finite.
        data: the name to start with; the first one when None.
        bits: 2 to 8.
        threshold: where to start; at the largest absolute value when None.

    Attributes:
        data, bits, threshold: as above.
        rounding_error, clipping_error: the two parts of the mean squared error, as
            :func:`qlearn.split_mse` has them.
        clipped_share: as :func:`qlearn.clipped_share` has it.

    Raises:
        TypeError: one of ``tensors`` is not a float32 tensor.
        ValueError: there are none, or too many values for a page, or infinities, NaN or numbers
            beyond 1e36 among them; one holds nothing but zeros; ``data`` is not one of the names;
            the threshold is not positive. Assignments raise likewise.

    >>> ClippingThreshold({"four": torch.tensor([-1.0, 0.0, 1.0, 20.0])}, threshold=2.0)
    ClippingThreshold('four', 4 values, 4 bits): threshold 2, rounding 0.002222, clipping 82.2
    """

    _esm = bundle("clipping_threshold.js")
    _css = styles("clipping_threshold.css")

    values = traitlets.Bytes().tag(sync=True)
    names = traitlets.List(traitlets.Unicode()).tag(sync=True)
    lengths = traitlets.List(traitlets.Int()).tag(sync=True)
    data = traitlets.Unicode().tag(sync=True)
    bits = traitlets.Int(4, min=2, max=8).tag(sync=True)
    threshold = traitlets.Float(1.0).tag(sync=True)
    rounding_error = traitlets.Float(0.0).tag(sync=True)
    clipping_error = traitlets.Float(0.0).tag(sync=True)
    clipped_share = traitlets.Float(0.0).tag(sync=True)

    def __init__(
        self,
        tensors: Mapping[str, Float32[Tensor, "..."]],
        *,
        data: str | None = None,
        bits: int = 4,
        threshold: float | None = None,
    ) -> None:
        """Store the tensors one after the other, and measure the first threshold."""
        flat = _checked_tensors(tensors)
        super().__init__(
            values=torch.cat(list(flat.values())).numpy().astype("<f4").tobytes(),
            names=list(flat),
            lengths=[x.numel() for x in flat.values()],
            bits=bits,
            data=next(iter(flat)) if data is None else data,
        )
        if threshold is not None:
            self.threshold = threshold

    @property
    def qparams(self) -> QParams:
        """The qparams of the threshold that the widget shows now."""
        low, high = quant_range(torch.int8, bits=self.bits)
        return choose_qparams(
            -self.threshold, self.threshold, symmetric=True, quant_min=low, quant_max=high
        )

    @traitlets.observe("data")
    def _clip_nothing(self, _: object = None) -> None:
        """Start other data at their largest absolute value."""
        self.threshold = self._x().abs().max().item()
        self._measure()  # the threshold may have been the same

    @traitlets.observe("bits", "threshold")
    def _measure(self, _: object = None) -> None:
        """Measure the two errors."""
        x, qparams = self._x(), self.qparams
        self.rounding_error, self.clipping_error = split_mse(x, qparams)
        self.clipped_share = clipped_share(x, qparams)

    @traitlets.validate("data")
    def _check_data(self, proposal: dict[str, Any]) -> str:
        """Refuse a name that there is no tensor for."""
        name: str = proposal["value"]
        if name not in self.names:
            choices = ", ".join(repr(known) for known in self.names)
            raise ValueError(f"data is {name!r}, but the tensors are {choices}: choose one of them")
        return name

    @traitlets.validate("threshold")
    def _check_threshold(self, proposal: dict[str, Any]) -> float:
        """Refuse what is no distance from 0, and what no float32 scale can express."""
        threshold: float = proposal["value"]
        if not 0 < threshold <= LARGEST:
            raise ValueError(
                f"threshold is {threshold}, but it is a distance from 0: pass a positive number, "
                f"at most {LARGEST:g}"
            )
        return threshold

    def _x(self) -> Tensor:
        """Return the tensor that is shown."""
        index = self.names.index(self.data)
        start = 4 * sum(self.lengths[:index])
        stored = bytearray(self.values[start : start + 4 * self.lengths[index]])
        return torch.frombuffer(stored, dtype=torch.float32)

    def __repr__(self) -> str:
        """Say in one line what the widget shows; a notebook's re-run compares it."""
        return (
            f"ClippingThreshold({self.data!r}, {self._x().numel()} values, {self.bits} bits): "
            f"threshold {self.threshold:.4g}, rounding {self.rounding_error:.4g}, "
            f"clipping {self.clipping_error:.4g}"
        )


def _checked_tensors(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return the tensors as flat copies, once their values have been checked."""
    if not tensors:
        raise ValueError("tensors is empty: pass at least one, for example {'weights': w}")
    for name, x in tensors.items():
        check_float32(x)
        if not x.any():
            raise ValueError(
                f"{name!r} holds no number but zero, and nothing to clip: leave it out"
            )
    flat = {name: x.detach().flatten() for name, x in tensors.items()}
    check_values(tensors=torch.cat(list(flat.values())))
    return flat
