"""torch's quantized engines, and its quantized tensors made from ours: the oracles' side."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor

from qlearn import QTensor
from qlearn.checks.layers import Engine
from qlearn.machine import working_engines
from qlearn.machine.engines import engine_set

ENGINES: tuple[Engine, ...] = ("fbgemm", "x86", "onednn", "qnnpack")


class NoSuchEngineError(RuntimeError):
    """An engine that this machine's torch lists or not, and whose layers it cannot run."""


@contextmanager
def torch_engine(name: str) -> Iterator[None]:
    """Make ``name`` torch's quantized engine for a while.

    Raises:
        NoSuchEngineError: no layer of this engine runs on this machine.
    """
    working = working_engines()
    if name not in working:
        raise NoSuchEngineError(f"{name} runs no layer here; {', '.join(working)} do")
    with engine_set(name):
        yield


def to_torch(q: QTensor) -> Tensor:
    """Return torch's quantized tensor with the codes and the qparams of ours."""
    qparams = q.qparams
    if qparams.axis is None:
        return torch._make_per_tensor_quantized_tensor(
            q.values, qparams.scale.item(), int(qparams.zero_point.item())
        )
    return torch._make_per_channel_quantized_tensor(
        q.values, qparams.scale.double(), qparams.zero_point.long(), qparams.axis
    )
