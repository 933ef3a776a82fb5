"""The journey of one image through the digits network, in real numbers and in integers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from traitlets import Dict, Float, Int, List, TraitError, Tuple, validate

from qlearn.course.digits.journey import STEPS, Step, journey
from qlearn.course.digits.layers import activation_qparams
from qlearn.course.digits.net import DigitsNet
from qlearn.course.widgets.shared.digits_figure import DigitsFigure, Images, Labels


class Journey(DigitsFigure):
    """Show each number of one image on its way to a digit, and what the number was made of.

    All codes have eight bits, those of weights are symmetric with a scale for each output, and
    sums are requantized as fbgemm does it.

    Args:
        net: the float network; its batch norms are folded.
        images, labels: at most twenty, and the digits that they show.
        ranges: of each tensor in ``OBSERVED``, by a calibration.
        start: ``image`` (its number, from 0), or a ``drawing``, 64 numbers from 0 to 16; ``step``
            (its number in ``STEPS``); ``at``, the place of a number there, and for a sum
            ``rank``: 0 is its largest product.

    >>> ranges = {"input": (0, 1), "conv1": (0, 4), "conv2": (0, 4), "fc": (-4, 4)}
    >>> image, label = torch.full((1, 1, 8, 8), 0.25), torch.tensor([0])
    >>> Journey(DigitsNet().eval(), image, label, ranges, step=0, at=9)
    Journey(image 0 of 1): pixels 9 is 0.2500 and 64
    """

    ranges = Dict(Tuple(Float(), Float())).tag(sync=True)
    drawing = List(Int(min=0, max=16), None, minlen=64, maxlen=64, allow_none=True).tag(sync=True)
    step = Int(1, min=0, max=len(STEPS) - 1).tag(sync=True)
    at = Int(0, min=0).tag(sync=True)
    rank = Int(0, min=0).tag(sync=True)

    def __init__(
        self,
        net: DigitsNet,
        images: Images,
        labels: Labels,
        ranges: Mapping[str, tuple[float, float]],
        **start: Any,
    ) -> None:
        activation_qparams(ranges)  # says if one is none
        super().__init__(net, images, labels, ranges=dict(ranges), **start)

    @validate("step", "at")
    def _there(self, proposal: dict[str, Any]) -> int:
        both = {"step": self.step, "at": self.at} | {proposal["trait"].name: proposal["value"]}
        name, count = list(STEPS.items())[both["step"]]
        if both["at"] >= count:
            raise TraitError(f"at is {both['at']}, but {name!r} has {count} numbers")
        return int(proposal["value"])

    @property
    def shown(self) -> Images:
        """The image: one of those that were given, or what was drawn."""
        if self.drawing:
            return torch.tensor(self.drawing).reshape(1, 1, 8, 8) / 16
        return self._images[self.image, None]

    @property
    def numbers(self) -> dict[str, Step]:
        """All numbers of each step."""
        return journey(self._layers, self.shown, self.ranges)

    def __repr__(self) -> str:
        """Say in one line what the widget shows; a notebook's re-run compares it."""
        image = "a drawing" if self.drawing else f"image {self.image} of {len(self.labels)}"
        step = list(STEPS)[self.step]
        real, integer = (numbers[self.at].item() for numbers in self.numbers[step])
        return f"Journey({image}): {step} {self.at} is {real:.4f} and {integer:,}"
