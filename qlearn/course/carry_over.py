"""What an old quantized model holds, as plain tensors, and carried into a graph of PT2E."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from jaxtyping import Float32, Int8, Int64
from torch import Tensor, fx


class PlainWeight(NamedTuple):
    """A weight as integers with their scales: one scale, or one for each output channel."""

    codes: Int8[Tensor, "out ..."]
    scale: Float32[Tensor, " channels"]

    def values(self) -> Float32[Tensor, "out ..."]:
        """Return what the codes mean: each times its scale."""
        return self.codes * self.scale.reshape(-1, *[1] * (self.codes.dim() - 1))


def plain_weight(weight: Tensor) -> PlainWeight:
    """Return the codes and scales of an old quantized weight, which has the zero point 0.

    A file of the two can be read by a torch that has no quantized tensors any more.

    Raises:
        TypeError: the weight is not a tensor of ``torch.qint8``.
        ValueError: its zero point is not 0, or its scales belong to another axis than the first.

    >>> from qlearn.course.quietly import quietly
    >>> w = quietly(torch.quantize_per_tensor, torch.tensor([0.5, -1.0]), 0.25, 0, torch.qint8)
    >>> plain_weight(w)
    PlainWeight(codes=tensor([ 2, -4], dtype=torch.int8), scale=tensor([0.2500]))
    """
    if not isinstance(weight, Tensor) or weight.dtype != torch.qint8:
        kind = weight.dtype if isinstance(weight, Tensor) else type(weight).__name__
        raise TypeError(f"the weight is {kind}: pass a tensor of torch.qint8")
    if weight.qscheme() == torch.per_tensor_affine:
        scale, zero_point = torch.tensor([weight.q_scale()]), torch.tensor(weight.q_zero_point())
    else:
        scale, zero_point = weight.q_per_channel_scales(), weight.q_per_channel_zero_points()
        if weight.q_per_channel_axis() != 0:
            raise ValueError(
                f"the scales belong to axis {weight.q_per_channel_axis()}, and those of an output "
                "channel to axis 0: move that axis to the front first"
            )
    if zero_point.any():
        raise ValueError(
            f"the zero points are {zero_point.tolist()}, and a weight's are 0: is it an activation?"
        )
    return PlainWeight(weight.int_repr(), scale.float())


def observers_by_tensor(prepared: fx.GraphModule) -> dict[str, Any]:
    """Return the observer, or fake quantization, of each tensor in a prepared graph.

    The keys are the names of the nodes that compute the tensors. Several may share an observer.

    >>> observers_by_tensor(fx.symbolic_trace(torch.nn.Sequential(torch.nn.ReLU())))
    {}
    """
    return {
        node.args[0].name: prepared.get_submodule(str(node.target))
        for node in prepared.graph.nodes
        if "activation_post_process" in str(node.target) and isinstance(node.args[0], fx.Node)
    }


def keep_qparams(
    observer: Any,
    scale: Float32[Tensor, " channels"],
    zero_point: Int64[Tensor, " channels"] | None = None,
) -> None:
    """Have ``convert_pt2e`` use these, whatever the observer has seen.

    Args:
        observer: a module of a prepared graph.
        scale: one number, or one for each channel.
        zero_point: as many; None for zeros.
    """
    zeros = torch.zeros_like(scale, dtype=torch.int64) if zero_point is None else zero_point
    chosen = scale.reshape(-1), zeros.reshape(-1)
    observer.calculate_qparams = lambda: chosen
