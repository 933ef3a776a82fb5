"""A training that was recorded, played again: where the weights lie between the codes."""

from __future__ import annotations

from typing import Any

import torch
from jaxtyping import Float32
from torch import Tensor
from traitlets import Bytes, Float, Int, List, validate

from qlearn.course.widgets.shared.figure import Figure
from qlearn.course.widgets.shared.values import loaded, matrix_shape, stored

NEAR = 0.1  # steps
NEEDED = {"steps", "losses", "right", "images", "quant_min", "quant_max", "frozen"}


class TrainingReplay(Figure):
    """Replay how weights moved between the codes of their grid while a network was trained.

    The reader moves through the records; the picture shows the weights as a histogram over their
    grid and the path that each has taken.

    Args:
        positions: weights divided by their scale, one row for each record: rounding and clamping
            gives the codes. At most 10,000 numbers.
        record: for each of these frames how many ``steps`` had been taken, the ``losses``, and how
            many of the ``images`` were ``right``; the first and the last code, ``quant_min`` and
            ``quant_max``; the first frame after the grid was ``frozen``; the ``frame`` to show.

    Raises:
        TypeError: ``positions`` is not a float32 tensor, or a part of the record is missing.
        ValueError: its shape is another, it has too many numbers, the lists have another length,
            or there is no such frame.

    >>> positions = torch.tensor([[0.2, 0.6, -2.0], [0.3, 0.45, -1.2]])
    >>> TrainingReplay(positions, steps=[0, 10], losses=[1.0, 0.5], right=[3, 5], images=9,
    ...                quant_min=-2, quant_max=1, frozen=1, frame=1)
    TrainingReplay(frame 1 of 2, step 10): 2 codes changed, 1 of 3 weights near a boundary
    """

    positions = Bytes().tag(sync=True)
    weights = Int(1, min=1).tag(sync=True)
    steps = List(Int()).tag(sync=True)
    losses = List(Float()).tag(sync=True)
    right = List(Int(min=0)).tag(sync=True)
    images = Int(min=0).tag(sync=True)
    quant_min = Int().tag(sync=True)
    quant_max = Int().tag(sync=True)
    frozen = Int(min=0).tag(sync=True)
    frame = Int(min=0).tag(sync=True)

    def __init__(self, positions: Float32[Tensor, "frames weights"], **record: Any) -> None:
        """Store the positions, a row for each frame."""
        if missing := NEEDED - record.keys():
            raise TypeError(f"a replay also needs {', '.join(sorted(missing))}")
        _, weights = matrix_shape(positions, "positions", "a frame")
        super().__init__(positions=stored(positions=positions), weights=weights, **record)

    @property
    def rows(self) -> Float32[Tensor, "frames weights"]:
        """The positions."""
        return loaded(self.positions).reshape(-1, self.weights)

    @property
    def codes(self) -> Float32[Tensor, "frames weights"]:
        """The codes that the positions round to."""
        return self.rows.round().clamp(self.quant_min, self.quant_max)

    @property
    def changed(self) -> int:
        """How many codes differ from those of the frame before; 0 at the first."""
        now, before = self.codes[[self.frame, max(self.frame - 1, 0)]]
        return int((now != before).sum())

    @property
    def near_boundary(self) -> float:
        """The share of weights within 0.1 steps of a place where the code changes."""
        return self._share_near(torch.arange(self.quant_min, self.quant_max) + 0.5)

    @property
    def near_code(self) -> float:
        """The share of weights within 0.1 steps of a code."""
        return self._share_near(torch.arange(self.quant_min, self.quant_max + 1.0))

    def _share_near(self, places: Tensor) -> float:
        distance = (self.rows[self.frame][:, None] - places).abs().amin(dim=1)
        return (distance < NEAR).double().mean().item()

    @validate("steps", "losses", "right", "frozen", "frame")
    def _check(self, proposal: dict[str, Any]) -> Any:
        """Refuse a list that has not one entry for each frame, and a frame that there is not."""
        name, value, count = proposal["trait"].name, proposal["value"], len(self.rows)
        if isinstance(value, list) and len(value) != count:
            raise ValueError(
                f"{name} has {len(value)} entries, but positions {count} frames: pass one for each"
            )
        if isinstance(value, int) and value >= count:
            raise ValueError(f"{name} is {value}, but the {count} frames count from 0")
        return value

    def __repr__(self) -> str:
        """Say in one line what the widget shows; a notebook's re-run compares it."""
        near = round(self.near_boundary * self.weights)
        return (
            f"TrainingReplay(frame {self.frame} of {len(self.steps)}, step "
            f"{self.steps[self.frame]}): {self.changed} codes changed, "
            f"{near} of {self.weights} weights near a boundary"
        )
