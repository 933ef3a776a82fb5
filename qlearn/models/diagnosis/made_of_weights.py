"""Whether a buffer was computed from a float weight, before that was rounded."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch
from torch import Tensor

from qlearn.models.diagnosis import symptoms
from qlearn.models.diagnosis.case import Case
from qlearn.models.diagnosis.finding import Finding
from qlearn.models.diagnosis.names import also

Shape = Callable[[int, int], tuple[int, ...]]
LARGEST = 512  # rows of a matrix that is inverted here
CLOSE = 1e-3  # of the size
FEW = 4  # numbers: fewer are alike by chance
# What a program may keep of a weight: its shape for so many rows and columns, and how it is made
MADE: dict[str, tuple[Shape, Callable[[Tensor], Tensor]]] = {
    "a copy": (lambda n, k: (n, k), lambda w: w),
    "the transpose": (lambda n, k: (k, n), lambda w: w.T),
    "the inverse": (
        lambda n, k: (n, n) if n == k <= LARGEST else (),
        lambda w: torch.linalg.inv_ex(w).inverse,
    ),
    "the sum of each row": (lambda n, k: (n,), lambda w: w.sum(1)),
    "the sum of each column": (lambda n, k: (k,), lambda w: w.sum(0)),
    "the norm of each row": (lambda n, k: (n,), lambda w: w.norm(dim=1)),
    "the norm of each column": (lambda n, k: (k,), lambda w: w.norm(dim=0)),
}


def stale_buffers(case: Case) -> Iterator[Finding]:
    """Find buffers that fit a float weight beside them, and not the one that is there now."""
    if case.model is None or case.is_right:
        return
    found = {}
    for name, buffer in case.quantized.named_buffers():
        if buffer.is_floating_point() and buffer.numel() >= FEW:
            for key in [each for each in case.weights.known if _is_beside(each, name)]:
                if what := _made_of(case, key, buffer):
                    found[name] = f'"{name}" is {what} of "{key}" as it was in float.'
    if found:
        first = next(iter(found.values()))
        text = f"{first} That weight is rounded now: compute it anew.{also(found)}"
        yield Finding(symptoms.WORSE, text)


def _is_beside(weight: str, buffer: str) -> bool:
    """Say whether a weight is in the part that has the buffer, or in a layer of that part.

    >>> _is_beside("mix.linear.weight", "mix.inverse"), _is_beside("top.weight", "mix.inverse")
    (True, False)
    """
    part = buffer.rpartition(".")[0]
    inside = weight.removeprefix(f"{part}.") if part else weight
    return (not part or inside != weight) and inside.count(".") <= 1


def _made_of(case: Case, name: str, buffer: Tensor) -> str:
    """Say what of a float weight a buffer is, and not of the rounded one; nothing if neither."""
    exact, ours = case.float_weights.get(name), case.weights.known[name]
    if exact is None or exact.ndim != 2 or ours.shape != exact.shape:
        return ""
    kept = buffer.detach().double().squeeze()
    for what, (shape, make) in MADE.items():
        if kept.shape == shape(*exact.shape):
            before, now = (make(x.detach().dequantize().double()) for x in (exact, ours))
            if _is_near(kept, before) and not _is_near(kept, now):
                return what
    return ""


def _is_near(kept: Tensor, made: Tensor) -> bool:
    return bool((kept - made).norm() <= CLOSE * made.norm())
