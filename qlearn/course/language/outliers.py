"""Channels that are far larger than the others, made without changing the model's function."""

from __future__ import annotations

import copy
import math
from typing import Any

import torch

from qlearn.course.language.net import WIDTH, LanguageModel
from qlearn.language.norms import norms_and_readers

CHANNELS = (5, 38, 71, 104)  # one in each quarter of the 128; any others would do


def with_outliers(
    model: LanguageModel, factor: float, *, channels: tuple[int, ...] = CHANNELS
) -> LanguageModel:
    """Return a copy in which a few channels behind each norm are ``factor`` times as large.

    The gains of the norm are multiplied in these channels, and the columns of the layers that read
    them are divided: in float the outputs stay the same, with a power of two in every bit. Large
    models grow such channels by themselves; this small one does not.

    Raises:
        ValueError: the factor is not above 0, or infinite; there is no such channel.
    """
    if not 0 < factor < math.inf:
        raise ValueError(f"factor is {factor}, but must be above 0 and finite: weights are divided")
    if not set(channels) <= set(range(WIDTH)):
        raise ValueError(f"channels are {channels}, but a state has the channels 0 to {WIDTH - 1}")
    changed: Any = copy.deepcopy(model)
    chosen = list(channels)
    with torch.no_grad():
        for layer in changed.layers:
            for norm, readers in norms_and_readers(layer):
                norm.weight[chosen] *= factor
                for reader in readers:
                    reader.weight[:, chosen] /= factor
    return changed
