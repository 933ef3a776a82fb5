"""The dynamic qparams and the dynamic linear layer against torch's operators."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from proofs.draw import Draw
from proofs.inputs import BIAS, MATRIX, WEIGHT, X, activations, values
from proofs.proof import proof
from proofs.public import Large, public
from proofs.torch_engine import ENGINES, to_torch, torch_engine
from qlearn import (
    QParams,
    QTensor,
    choose_qparams,
    dynamic_qparams,
    installed_rounding,
    kernels_saturate,
    linear_dynamic,
    quantize,
)
from qlearn.checks.layers import Engine
from qlearn.integers.arm_compute import LONGEST_SUM, computes, multiplies


@proof("dynamic_qparams", "torch.quantize_per_tensor_dynamic")
def chosen_at_run_time(draw: Draw) -> tuple[Any, Any]:
    """Compare qparams and codes over eighty decades: two-sided, one-sided, zeros, far from 0."""
    magnitude = draw.power_of_ten(-9, 5) if draw.chance(0.8) else draw.power_of_ten(-44, 36)
    x = draw.normal(draw.integer(1, 6)) * magnitude
    x = draw.choice([x, x.abs(), -x.abs(), x * 0, x.abs() + magnitude, torch.cat([x, -x])])
    reduced = draw.chance(0.5)
    torchs = torch.quantize_per_tensor_dynamic(x, torch.quint8, reduced)
    ours = dynamic_qparams(x, reduce_range=reduced)
    codes = quantize(x, ours, rounding=installed_rounding(torch.uint8))
    scale = QParams(torchs.q_scale(), 0, 0, 255, torch.uint8).scale
    return (
        (ours.scale, int(ours.zero_point), codes),
        (scale, torchs.q_zero_point(), torchs.int_repr()),
    )


def layer(draw: Draw, engine: str) -> tuple[Tensor, QTensor, Tensor | None]:
    """Return activations, a weight per tensor or per channel, and a bias or none."""
    m, k, n = (
        draw.integer(1, top) for top in ((9, 70, 40) if draw.chance(0.98) else (40, 1500, 300))
    )
    x = draw.normal(m, k) * draw.power_of_ten(-5, 3)
    symmetric = torch.cat([x, -x])  # where the zero point falls half-way between two codes
    x = draw.choice([x, x.abs(), x * 0, x.reshape(m, 1, k), x.expand(2, m, k), x[:0], symmetric])
    w = draw.normal(n, k) * draw.power_of_ten(-2, 1)
    if draw.chance(0.5):
        qparams = choose_qparams(w.amin(1), w.amax(1), symmetric=True, axis=0)
    else:
        qparams = choose_qparams(w.min(), w.max(), symmetric=True)
        if engine != "onednn" and draw.chance(0.5):
            qparams = QParams(qparams.scale, draw.integer(-128, 127), -128, 127, torch.int8)
    codes = draw.codes((n, k), torch.int8, -128, 127)
    return x, QTensor(codes, qparams), draw.normal(n) if draw.chance(0.6) else None


def _is_refused(x: Tensor, weight: QTensor, engine: Engine) -> bool:
    """Tell whether qlearn does not model the layer, as it is on ARM."""
    handed_on = computes(engine, weight) or multiplies(engine, weight)
    return handed_on and x.shape[-1] > LONGEST_SUM


def _prove(engine: Engine) -> None:
    @proof("linear_dynamic", f"torch.ops.quantized.linear_dynamic, engine {engine}")
    def on_engine(draw: Draw) -> tuple[Any, Any]:
        x, weight, bias = layer(draw, engine)
        while _is_refused(x, weight, engine):
            x, weight, bias = layer(draw, engine)
        with torch_engine(engine):
            # At full range a processor without VNNI saturates; there only the reduced one is exact.
            reduced = draw.chance(0.5) or kernels_saturate()
            packed = torch.ops.quantized.linear_prepack(to_torch(weight), bias)
            theirs = torch.ops.quantized.linear_dynamic(x, packed, reduce_range=reduced)
        return linear_dynamic(x, weight, bias, engine=engine, reduce_range=reduced), theirs


for name in ENGINES:
    _prove(name)


public(
    "dynamic_qparams",
    "integers/dynamic_linear",
    {"x": X, "reduce_range": True},
    Large("", values, dynamic_qparams),
)
public(
    "linear_dynamic",
    "integers/dynamic_linear",
    {"x": X, "weight": WEIGHT, "bias": torch.ones(2), "engine": "fbgemm"},
    Large("", activations, lambda x: linear_dynamic(x, MATRIX, BIAS)),
    Large("onednn", activations, lambda x: linear_dynamic(x, MATRIX, BIAS, engine="onednn")),
)
