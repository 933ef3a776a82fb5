"""The digits' network by torch's own engine, where it runs and does not saturate."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import torch
from torch import Tensor

from qlearn.course.digits.layers import Folded
from qlearn.machine import kernels_saturate, working_engines
from qlearn.numbers.qparams import QParams
from qlearn.numbers.qtensor import QTensor
from qlearn.numbers.quantize import quantize
from qlearn.numbers.rules.observer import choose_qparams

ENGINE = "fbgemm"
BEFORE = {"conv1": "input", "conv2": "conv1", "fc": "pool"}


def told_of_torch(layers: Mapping[str, Folded], codes: Mapping[str, QTensor]) -> str:
    """Say whether torch's engine makes the same codes, or why it was not asked."""
    if ENGINE not in working_engines():
        return (
            f"PyTorch's engine {ENGINE} does not run on this machine, so the codes were compared "
            "with qlearn's alone."
        )
    with engine_in_use():
        if kernels_saturate():
            return (
                f"PyTorch's engine {ENGINE} saturates on this processor, which lacks VNNI, so the "
                "codes were compared with qlearn's alone."
            )
        off = sum(
            int((by_torch(name, layer, codes) != codes[name].values).sum())
            for name, layer in layers.items()
        )
    if off:
        return f"PyTorch's engine {ENGINE} makes {off} other codes here: please open an issue."
    return f"PyTorch's engine {ENGINE} makes the same codes on this machine."


@contextmanager
def engine_in_use() -> Iterator[None]:
    """Let torch use the engine for a while, and say nothing of its quantized tensors' end."""
    before = torch.backends.quantized.engine
    torch.backends.quantized.engine = ENGINE
    try:
        with warnings.catch_warnings(action="ignore"), torch.no_grad():
            yield
    finally:
        torch.backends.quantized.engine = before


def by_torch(name: str, layer: Folded, codes: Mapping[str, QTensor]) -> Tensor:
    """Return the codes of one layer by ``torch.ops.quantized``."""
    ops, output = torch.ops.quantized, codes[name].qparams
    at = output.scale.item(), int(output.zero_point)
    x, weight = quantized(codes[BEFORE[name]]), quantized_weight(layer.weight)
    if name == "fc":
        packed = ops.linear_prepack(weight, layer.bias)
        return ops.linear(x.flatten(1), packed, *at).int_repr()
    packed = ops.conv2d_prepack(weight, layer.bias, [1, 1], [1, 1], [1, 1], 1)
    return ops.conv2d_relu(x, packed, *at).int_repr()


def quantized(q: QTensor) -> Tensor:
    """Return codes as torch's quantized tensor."""
    at = q.qparams.scale.item(), int(q.qparams.zero_point)
    return torch._make_per_tensor_quantized_tensor(q.values, *at)


def quantized_weight(weight: Tensor) -> Tensor:
    """Return a weight with a scale for each output as torch's quantized tensor."""
    low, high = torch.aminmax(weight.flatten(1), dim=1)
    qparams: QParams = choose_qparams(low, high, symmetric=True, axis=0)
    return torch._make_per_channel_quantized_tensor(
        quantize(weight, qparams), qparams.scale.double(), qparams.zero_point.long(), 0
    )
