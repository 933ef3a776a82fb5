"""A training that was recorded, played again: where the weights lie between the codes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import anywidget
import torch
import traitlets
from jaxtyping import Float32
from torch import Tensor

from qlearn.checks import check_float32
from qlearn.course.widgets.bundle import bundle, styles

MOST = 10_000  # numbers: they are stored in the page
NEAR = 0.1  # steps


class TrainingReplay(anywidget.AnyWidget):
    """Replay how weights moved between the codes of their grid while a network was trained.

    The reader moves through the records; the picture shows the weights as a histogram over their
    grid and the path that each has taken. The browser computes everything, so the widget lives on
    a static page too; in a live notebook each move arrives in ``frame``, and setting it moves
    the picture.

    Args:
        positions: weights divided by their scale, float32 of shape (frames, weights): rounding
            and clamping gives the codes. At most 10,000 numbers.
        steps: how many steps of training had been taken at each frame.
        losses: the training loss at each frame.
        right: how many of the ``images`` test images were right at each frame.
        images: of the test.
        quant_min: the first code.
        quant_max: the last code.
        frozen: the first frame after the grid was frozen.
        frame: the one to begin with.

    Attributes:
        frame: the record that is shown.
        changed: how many codes differ from the frame before; 0 at the first.
        near_boundary: the share of weights within 0.1 steps of where their code changes.
        near_code: the share of weights within 0.1 steps of a code.

    Raises:
        TypeError: ``positions`` is not a float32 tensor.
        ValueError: its shape is another, it has too many numbers, the lists have another length,
            or there is no such frame. Assignments raise likewise.

    >>> positions = torch.tensor([[0.2, 0.6, -2.0], [0.3, 0.45, -1.2]])
    >>> TrainingReplay(positions, steps=[0, 10], losses=[1.0, 0.5], right=[3, 5], images=9,
    ...                quant_min=-2, quant_max=1, frozen=1, frame=1)
    TrainingReplay(frame 1 of 2, step 10): 2 codes changed, 1 of 3 weights near a boundary
    """

    _esm = bundle("training_replay.js")
    _css = styles("training_replay.css")

    positions = traitlets.Bytes().tag(sync=True)
    weights = traitlets.Int().tag(sync=True)
    steps = traitlets.List(traitlets.Int()).tag(sync=True)
    losses = traitlets.List(traitlets.Float()).tag(sync=True)
    right = traitlets.List(traitlets.Int()).tag(sync=True)
    images = traitlets.Int().tag(sync=True)
    quant_min = traitlets.Int().tag(sync=True)
    quant_max = traitlets.Int().tag(sync=True)
    frozen = traitlets.Int().tag(sync=True)
    frame = traitlets.Int(0).tag(sync=True)

    def __init__(
        self,
        positions: Float32[Tensor, "frames weights"],
        *,
        steps: Sequence[int],
        losses: Sequence[float],
        right: Sequence[int],
        images: int,
        quant_min: int,
        quant_max: int,
        frozen: int,
        frame: int = 0,
    ) -> None:
        """Check that each frame has its numbers, and store them."""
        _check(positions, {"steps": steps, "losses": losses, "right": right})
        super().__init__(
            positions=positions.contiguous().numpy().astype("<f4").tobytes(),
            weights=positions.shape[1],
            steps=[int(step) for step in steps],
            losses=[float(loss) for loss in losses],
            right=[int(count) for count in right],
            images=images,
            quant_min=quant_min,
            quant_max=quant_max,
        )
        self.frozen = frozen
        self.frame = frame

    @property
    def changed(self) -> int:
        """How many codes differ from those of the frame before."""
        now, before = (self._codes(i) for i in (self.frame, max(self.frame - 1, 0)))
        return int((now != before).sum())

    @property
    def near_boundary(self) -> float:
        """The share of weights within 0.1 steps of a place where the code changes."""
        low, high = self.quant_min, self.quant_max
        boundaries = torch.arange(low, high, dtype=torch.float32) + 0.5
        return self._share_near(boundaries)

    @property
    def near_code(self) -> float:
        """The share of weights within 0.1 steps of a code."""
        return self._share_near(torch.arange(self.quant_min, self.quant_max + 1.0))

    @traitlets.validate("frame", "frozen")
    def _check_frame(self, proposal: dict[str, Any]) -> int:
        """Refuse a frame that there is no record of."""
        name, value = proposal["trait"].name, int(proposal["value"])
        if not 0 <= value < len(self.steps):
            raise ValueError(
                f"{name} is {value}, but the frames are 0 to {len(self.steps) - 1}: "
                "pass one of those"
            )
        return value

    def _share_near(self, places: Tensor) -> float:
        distance = (self._positions(self.frame)[:, None] - places).abs().amin(dim=1)
        return (distance < NEAR).double().mean().item()

    def _codes(self, frame: int) -> Tensor:
        return self._positions(frame).round().clamp(self.quant_min, self.quant_max)

    def _positions(self, frame: int) -> Tensor:
        size = 4 * self.weights
        part = bytearray(self.positions[frame * size : (frame + 1) * size])
        return torch.frombuffer(part, dtype=torch.float32)

    def __repr__(self) -> str:
        """Say in one line what the widget shows; a notebook's re-run compares it."""
        near = round(self.near_boundary * self.weights)
        return (
            f"TrainingReplay(frame {self.frame} of {len(self.steps)}, step "
            f"{self.steps[self.frame]}): {self.changed} codes changed, "
            f"{near} of {self.weights} weights near a boundary"
        )


def _check(positions: Tensor, lists: dict[str, Sequence]) -> None:
    """Raise unless there is a row of finite positions for each entry of the lists."""
    check_float32(positions, "positions")
    if positions.ndim != 2 or not positions.numel():
        raise ValueError(
            f"positions has shape {tuple(positions.shape)}: pass one row for each frame, with "
            "one entry for each weight"
        )
    if positions.numel() > MOST:
        raise ValueError(
            f"positions has {positions.numel()} numbers, more than the {MOST} that a page can "
            "carry: record fewer steps or weights"
        )
    if not positions.isfinite().all():
        raise ValueError("positions holds infinities or NaN: look for where the training diverged")
    for name, values in lists.items():
        if len(values) != len(positions):
            raise ValueError(
                f"{name} has {len(values)} entries and positions {len(positions)} frames: pass "
                "one entry for each frame"
            )
