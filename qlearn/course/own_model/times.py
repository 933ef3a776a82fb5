"""How long a batch takes, said together with the machine, because another one has other times."""

from __future__ import annotations

import platform
import re
from collections.abc import Mapping
from functools import partial
from pathlib import Path

import torch
from torch import nn

from qlearn.course.own_model.own import OwnModel
from qlearn.course.timing import shortest


def timed(own: OwnModel, models: Mapping[str, nn.Module], runs: int = 8) -> str:
    """Return a sentence with the shortest time of each model for the first batch.

    The models take turns. They run as they are given: to learn what a compiler gains, pass
    ``torch.compile(model)``, called once before.

    >>> own = OwnModel(nn.Linear(4, 2).eval(), [torch.ones(3, 4)], lambda model: 1.0)
    >>> timed(own, {"float32": own.model}).endswith("ms.")
    True
    """
    with torch.no_grad():
        calls = [partial(own.call, model) for model in models.values()]
        seconds = shortest(calls, own.batches[0], runs)
    times = (f"{name} {1000 * s:.2f} ms" for name, s in zip(models, seconds, strict=True))
    threads = torch.get_num_threads()
    return (
        f"One batch on {processor()}, {threads} thread{'s' if threads > 1 else ''}, takes: "
        f"{', '.join(times)}."
    )


def processor() -> str:
    """Return the name of the machine's processor."""
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text("utf-8") if cpuinfo.exists() else ""
    found = re.search(r"^model name\s*: (.+)$", lines, re.M)
    return found[1] if found else platform.processor() or platform.machine()
