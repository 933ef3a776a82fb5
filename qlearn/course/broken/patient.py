"""A network in service that answers worse than it should, and all that can be asked of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from jaxtyping import Float32
from torch import Tensor, nn

from qlearn.course.digits.net import count_right, split_digits

TOGETHER = 30  # test images in a batch


@dataclass(frozen=True)
class Patient:
    """A quantized network, the float network that it was made from, and what both are given.

    Attributes:
        net: the float network, its batch norms folded.
        quantized: the network in service, with the layers' names.
        calibration: the batch that the ranges come from.
        trained_on: the 1,437 images of the float network's training.
        images: the 360 test images as they reach the network in service.
        promised: right answers of ``net`` after its training.
        mate: an image of somebody else that is in each batch of 30 as well; None for none.
        choice: what :func:`qlearn.simulate` was called with, beside the net and the calibration.
    """

    net: nn.Module
    quantized: nn.Module
    calibration: Float32[Tensor, "n 1 8 8"]
    trained_on: Float32[Tensor, "1437 1 8 8"]
    images: Float32[Tensor, "360 1 8 8"]
    promised: int
    mate: Float32[Tensor, "1 1 8 8"] | None = None
    choice: Mapping[str, Any] = field(default_factory=dict)

    def answers(self, model: nn.Module, *, alone: bool = False) -> Float32[Tensor, "360 10"]:
        """Return a model's logits for the images, in batches of 30, or each image alone."""
        logits = []
        with torch.no_grad():
            for batch in self.images.split(1 if alone else TOGETHER):
                mates = [] if alone or self.mate is None else [self.mate]
                logits.append(model(torch.cat([batch, *mates]))[: len(batch)])
        return torch.cat(logits)

    def right(self, model: nn.Module | None = None, *, alone: bool = False) -> int:
        """Return how many of the 360 answers are right, by the network in service or by a model."""
        logits = self.answers(self.quantized if model is None else model, alone=alone)
        return count_right(logits, split_digits().test_labels)
