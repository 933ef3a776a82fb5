"""Old weights and scales, carried into a graph: no code and no scale is another."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from qlearn.course.carry_over import keep_qparams, observers_by_tensor, plain_weight
from qlearn.course.static_graph import _torchao, for_x86

pytestmark = pytest.mark.filterwarnings("ignore")  # of quantized tensors, which will be removed
W = torch.linspace(-1, 0.75, 24).reshape(2, 3, 2, 2)
SCALES = torch.tensor([0.01, 0.003])
X = torch.linspace(-1, 1, 96).reshape(2, 3, 4, 4)


def per_channel(axis: int = 0, zero: int = 0) -> torch.Tensor:
    zeros = torch.full((2,), zero)
    moved = W.transpose(0, axis)
    return torch.quantize_per_channel(moved, SCALES, zeros, axis, torch.qint8)


def test_a_weight_with_a_scale_for_each_channel_means_the_same() -> None:
    weight = per_channel()
    plain = plain_weight(weight)
    assert torch.equal(plain.codes, weight.int_repr()) and plain.codes.dtype == torch.int8
    assert torch.equal(plain.scale, SCALES)
    assert torch.equal(plain.values(), weight.dequantize())


def test_a_weight_with_one_scale_means_the_same() -> None:
    weight = torch.quantize_per_tensor(W, 0.01, 0, torch.qint8)
    assert torch.equal(plain_weight(weight).values(), weight.dequantize())


@pytest.mark.parametrize(
    ("weight", "error", "says"),
    [
        (lambda: W, TypeError, "torch.float32"),
        (lambda: [1], TypeError, "list"),
        (lambda: per_channel(axis=1), ValueError, "axis 1"),
        (lambda: per_channel(zero=3), ValueError, "3, 3"),
    ],
    ids=["floats", "a list", "columns", "a zero point"],
)
def test_what_is_no_such_weight_is_refused(weight, error, says) -> None:
    with pytest.raises(error, match=says):
        plain_weight(weight())


def prepared() -> nn.Module:
    model = nn.Sequential(nn.Conv2d(3, 2, 2, bias=False), nn.ReLU()).eval()
    with torch.no_grad():
        model[0].weight.copy_(plain_weight(per_channel()).values())
    exported = torch.export.export(model, (X,)).module()
    graph = _torchao()[0].prepare_pt2e(exported, for_x86())
    graph(X)
    return graph


def test_the_observers_are_named_by_what_they_look_at() -> None:
    graph = prepared()
    found = observers_by_tensor(graph)
    assert list(found) == ["_0_weight", "input_1"]
    assert found["input_1"].max_val == X.max()


@pytest.mark.parametrize("kept", [True, False])
def test_codes_and_scales_are_the_old_ones_if_they_are_kept(kept: bool) -> None:
    graph, old = prepared(), plain_weight(per_channel())
    found = observers_by_tensor(graph)
    if kept:
        keep_qparams(found["_0_weight"], old.scale)
        keep_qparams(found["input_1"], torch.tensor(0.02), torch.tensor(7))
    converted = _torchao()[0].convert_pt2e(graph)
    assert torch.equal(converted._scale_0, old.scale) is kept
    steps = [n.args[1:3] for n in converted.graph.nodes if n.name.startswith("quantize_per_tensor")]
    assert (steps == [(pytest.approx(0.02), 7)]) is kept
    if kept:
        assert torch.equal(converted._frozen_param0, old.codes)
