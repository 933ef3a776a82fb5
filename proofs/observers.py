"""The observers against torch's of the same names, after every batch of a stream."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor
from torch.ao.quantization import observer as torchs

from proofs.draw import Draw
from proofs.inputs import growing, observing, with_infinity
from proofs.proof import proof
from proofs.public import Large, public
from qlearn import (
    HistogramObserver,
    MinMaxObserver,
    MovingAverageMinMaxObserver,
    MovingAveragePerChannelMinMaxObserver,
    PerChannelMinMaxObserver,
)

OURS: tuple[type[MinMaxObserver], ...] = (
    HistogramObserver,
    MinMaxObserver,
    MovingAverageMinMaxObserver,
    MovingAveragePerChannelMinMaxObserver,
    PerChannelMinMaxObserver,
)

OPTIONS: list[dict[str, Any]] = [
    {"dtype": torch.uint8},
    {"dtype": torch.int8, "symmetric": True},
    {"dtype": torch.uint8, "reduce_range": True},
    {"dtype": torch.int32, "symmetric": True},
    {"dtype": torch.int8, "symmetric": True, "quant_min": -127, "quant_max": 127},
    {"dtype": torch.int8, "quant_min": -8, "quant_max": 7},
]


def twins(kind: str, own: dict[str, Any], options: dict[str, Any]) -> tuple[Any, Any]:
    """Return qlearn's observer of that name and torch's, with the same options."""
    scheme = "symmetric" if options.get("symmetric") else "affine"
    scope = "per_channel" if "PerChannel" in kind else "per_tensor"
    translated = {"ch_axis" if name == "axis" else name: value for name, value in own.items()}
    rest = {name: value for name, value in options.items() if name != "symmetric"}
    qscheme = getattr(torch, f"{scope}_{scheme}")
    return (
        {ours.__name__: ours for ours in OURS}[kind](**own, **options),
        getattr(torchs, kind)(qscheme=qscheme, **translated, **rest),
    )


def both(ours: Any, theirs: Any) -> tuple[Any, Any]:
    """Return the qparams of the two in one form."""
    qparams, (scale, zero_point) = ours.qparams(), theirs.calculate_qparams()
    return (
        (qparams.scale.reshape(-1), qparams.zero_point.reshape(-1)),
        (scale, zero_point.int()),
    )


def batches(draw: Draw) -> Iterator[Tensor]:
    """Yield growing, shrinking, constant, one-sided and strided batches, and an empty one."""
    magnitude, growth = draw.power_of_ten(-5, 4), draw.choice([0.5, 1.0, 2.0])
    for i in range(draw.integer(1, 6)):
        x = draw.normal(draw.integer(1, 7), 3, 4) * magnitude * growth**i
        kind = draw.integer(0, 5)
        if kind == 0:
            x = x.abs()
        elif kind == 1:
            x = -x.abs()
        elif kind == 2:
            x = torch.full_like(x, x[0, 0, 0].item())
        elif kind == 3:
            x[0, 0, 0] *= 1000
        yield x[::2] if kind == 4 else x
    yield torch.zeros(0, 3, 4)


def _prove(kind: str, *, constant: bool) -> None:
    @proof(kind, f"torch.ao.quantization.{kind}")
    def after_every_batch(draw: Draw) -> tuple[Any, Any]:
        own: dict[str, Any] = {"axis": draw.integer(0, 2)} if "PerChannel" in kind else {}
        own |= {"averaging_constant": draw.choice([0.01, 0.013, 0.3, 1.0])} if constant else {}
        ours, theirs = twins(kind, own, draw.choice(OPTIONS))
        seen = []
        for batch in batches(draw):
            x = batch.transpose(0, 1) if own.get("axis") == 0 else batch
            ours(x), theirs(x)
            if (theirs.min_val <= theirs.max_val).all():  # else torch stops: see the tests
                seen.append(both(ours, theirs))
        return tuple(a for a, _ in seen), tuple(b for _, b in seen)


for name in ("MinMaxObserver", "PerChannelMinMaxObserver"):
    _prove(name, constant=False)
for name in ("MovingAverageMinMaxObserver", "MovingAveragePerChannelMinMaxObserver"):
    _prove(name, constant=True)


def histogram_batches(draw: Draw) -> Iterator[Tensor]:
    """Yield ranges that grow, shrink or stay, outliers, infinities, one value, and none."""
    end = draw.choice([math.inf, -math.inf])
    for _ in range(draw.integer(1, 4)):
        x = draw.normal(draw.integer(1, 1000)) * draw.power_of_ten(-3, 2)
        kind = draw.integer(0, 6)
        if kind == 0:
            x = x.abs()
        elif kind == 1:
            x = torch.full((4,), x[0].item())
        elif kind == 2:
            x[0] *= 100
        elif kind == 3:
            x[: 1 + x.numel() // 2] = end
        elif kind == 4:
            x = torch.zeros(3)
        yield x.reshape(-1, 1)
    yield torch.zeros(0)


@proof("HistogramObserver", "torch.ao.quantization.HistogramObserver", quick=30)
def histogram(draw: Draw) -> tuple[Any, Any]:
    """Compare histogram and qparams after each batch."""
    bins = draw.choice([2048, 512, 256, 256, 128, 100])
    ours, theirs = twins("HistogramObserver", {"bins": bins}, draw.choice(OPTIONS))
    seen = []
    for x in histogram_batches(draw):
        ours(x), theirs(x)
        if ours.histogram is not None:  # None: nothing but infinities so far
            a, b = both(ours, theirs)
            seen.append(((ours.histogram.clone(), a), (theirs.histogram.clone(), b)))
    return tuple(a for a, _ in seen), tuple(b for _, b in seen)


public(
    "MinMaxObserver",
    "calibration/observers",
    {"dtype": torch.int8, "symmetric": True, "reduce_range": False},
    Large("", growing, observing(MinMaxObserver)),
)
public(
    "MovingAverageMinMaxObserver",
    "calibration/observers",
    {"averaging_constant": 0.5, "dtype": torch.uint8},
    Large("", growing, observing(MovingAverageMinMaxObserver)),
)
public(
    "PerChannelMinMaxObserver",
    "calibration/observers_to_the_bit",
    {"axis": 0, "dtype": torch.int8},
    Large("rows", growing, observing(PerChannelMinMaxObserver)),
    Large("columns", growing, observing(lambda: PerChannelMinMaxObserver(axis=1))),
)
public(
    "MovingAveragePerChannelMinMaxObserver",
    "today/torchao_and_pt2e_to_the_bit",
    {"axis": 0, "averaging_constant": 0.5},
    Large("", growing, observing(MovingAveragePerChannelMinMaxObserver)),
)
public(
    "HistogramObserver",
    "calibration/observers",
    {"bins": 16, "dtype": torch.int8, "quant_min": -8, "quant_max": 7},
    Large("", growing, observing(HistogramObserver)),
    Large("infinities", with_infinity, observing(HistogramObserver)),
)
