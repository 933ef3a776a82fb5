"""How long models take, measured side by side."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from torch import Tensor


def shortest(models: Sequence[Callable[[Tensor], Any]], x: Tensor, runs: int = 8) -> list[float]:
    """Return for each model the seconds of its shortest call with ``x``; others were disturbed.

    The models take turns, so that a slow moment of the machine meets all of them.

    Raises:
        ValueError: ``runs`` is less than 1.

    >>> import torch
    >>> fast, slow = shortest([torch.relu, lambda x: time.sleep(0.01)], torch.ones(1))
    >>> fast < slow
    True
    """
    if runs < 1:
        raise ValueError(f"runs is {runs}: pass at least 1")
    times = [float("inf")] * len(models)
    for _ in range(runs):
        for place, model in enumerate(models):
            start = time.perf_counter()
            model(x)
            times[place] = min(times[place], time.perf_counter() - start)
    return times
