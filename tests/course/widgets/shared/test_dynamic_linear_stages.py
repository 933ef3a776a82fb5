"""The dynamic linear layer in JavaScript, stage by stage against qlearn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from proofs.draw import Draw
from qlearn import QTensor, choose_qparams, dynamic_qparams, linear_dynamic, quantize
from qlearn.course.widgets.shared.figure import SHARED
from qlearn.integers.matmul import accumulate
from tests.course.widgets.figures import call, with_other

MODULE = SHARED / "dynamic_linear.js"


def drawn_state(i: int, draw: Draw) -> dict[str, Any]:
    """Return a layer and its options; the input is sometimes one-sided or 0."""
    rows, features, outputs = (draw.integer(1, 6) for _ in range(3))
    x = draw.normal(rows * features).reshape(rows, features) * 10.0 ** draw.integer(-7, 4)
    top = x.abs().median().clamp(min=1e-9)  # codes at both ends are ties, or nearly
    x = [x, x.abs(), -x.abs(), x.clamp(-top, top), x * 0][i % 5 if i % 11 == 0 else 3 * (i % 2)]
    weight = draw.normal(outputs * features).reshape(outputs, features)
    layer = {"x": x, "weight": weight, "bias": draw.normal(outputs)}
    options = {"engine": ("fbgemm", "qnnpack")[i % 2], "reduce_range": bool(i // 2 % 2)}
    return {name: each.tolist() for name, each in layer.items()} | options


def quantized(weight: Tensor) -> QTensor:
    """Return the weight as a dynamic layer keeps it."""
    qparams = choose_qparams(weight.min(), weight.max(), symmetric=True)
    return QTensor(quantize(weight, qparams, rounding="fma"), qparams)


def stages_of(state: dict[str, Any]) -> dict[str, Any]:
    """Return what qlearn says at each stage."""
    x, weight, bias = (torch.tensor(state[name]) for name in ("x", "weight", "bias"))
    reduced, engine, rows = state["reduce_range"], state["engine"], quantized(weight)
    chosen = dynamic_qparams(x, reduce_range=reduced and engine != "qnnpack")
    codes = quantize(x, chosen, rounding="fma")
    totals = accumulate(codes, chosen.zero_point.item(), rows.values, rows.qparams.zero_point)
    output = linear_dynamic(x, rows, bias, engine=engine, reduce_range=reduced)
    exact = x.double() @ weight.double().T + bias.double()
    stages = {"xCodes": codes, "wCodes": rows.values, "total": totals, "y": output, "exact": exact}
    return {name: stage.tolist() for name, stage in stages.items()}


def stages_that_differ(node: str, module: Path, layers: int) -> set[str]:
    """Return the stages at which the module computes any layer otherwise than qlearn."""
    draw = Draw(0)
    states = [drawn_state(i, draw) for i in range(layers)]
    differing = set()
    calls = [["dynamicLinear", state] for state in states]
    for state, found in zip(states, call(node, module, calls), strict=True):
        outputs = {
            name: [[each[name] for each in row] for row in found["outputs"]]
            for name in ("total", "y", "exact")
        }
        wanted = stages_of(state)
        exact = [pytest.approx(row, rel=1e-9, abs=1e-9) for row in wanted["exact"]]
        shown = {**found, **outputs}
        differing |= {name for name in wanted if shown[name] != {**wanted, "exact": exact}[name]}
    return differing


def test_every_stage_equals_qlearns(node: str) -> None:
    assert stages_that_differ(node, MODULE, 2000) == set()


def test_a_bit_that_is_not_spared_is_seen(node: str, tmp_path: Path) -> None:
    full = "(state) => right.dynamicLinear({ ...state, reduce_range: false })"
    broken = with_other(tmp_path, MODULE, "dynamicLinear", full)
    assert stages_that_differ(node, broken, 100) == {"xCodes", "total", "y"}
