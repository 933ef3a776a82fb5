"""The weight of a layer that is trained with its batch norm: what is rounded is their product."""

from __future__ import annotations

from typing import Any

import torch
from jaxtyping import Float32
from torch import Tensor, nn

from qlearn.checks import check_float32
from qlearn.checks.models import check_module


def folded_weight(layer: nn.Module) -> Float32[Tensor, "out ..."]:
    """Return a layer's weight as it is fake-quantized: times the factor of its batch norm.

    Each output channel is multiplied by ``f(γ / f(√f(σ² + ε)))``, with γ ``bn.weight``, σ²
    ``bn.running_var`` and ε ``bn.eps``; f rounds to float32. A layer without batch norm gives its
    weight. Gradients flow to the weight and to γ.

    Args:
        layer: a linear layer or convolution whose batch norm, if it has one, is its attribute
            ``bn``, as in torch's modules for training with fake quantization.

    Raises:
        TypeError: no module, or one without a float32 weight; ``bn`` is no batch norm in float32.
        ValueError: the batch norm has no weight or no running variance, or another number of
            channels than the layer has outputs.

    Source: Jacob et al., arXiv 1712.05877, section 3.2; ``torch.ao.nn.intrinsic.qat.ConvBn2d``,
    ``ConvBn1d``, ``ConvBn3d`` and ``LinearBn1d``, bit for bit.

    >>> layer = nn.Linear(2, 1)
    >>> layer.weight = nn.Parameter(torch.tensor([[1.0, -2.0]]))
    >>> layer.bn = nn.BatchNorm1d(1, eps=0.0)
    >>> layer.bn.running_var.fill_(4.0)
    tensor([4.])
    >>> folded_weight(layer).detach()
    tensor([[ 0.5000, -1.0000]])
    """
    check_module(layer, "layer")
    weight: Any = getattr(layer, "weight", None)
    check_float32(weight, "layer.weight")
    if not hasattr(layer, "bn"):
        return weight
    bn: Any = layer.bn
    _check_norm(bn, weight)
    factor = bn.weight / torch.sqrt(bn.running_var + bn.eps)
    return weight * factor.reshape(-1, *[1] * (weight.ndim - 1))


def _check_norm(bn: Any, weight: Tensor) -> None:
    """Raise unless this is a batch norm with a factor for each output."""
    if not isinstance(bn, nn.modules.batchnorm._BatchNorm):
        raise TypeError(f"layer.bn is a {type(bn).__name__}, but must be a batch norm of torch.nn")
    if bn.weight is None or bn.running_var is None:
        raise ValueError(
            "layer.bn has no weight or no running variance, so it has no fixed factor: make it "
            "with affine=True and track_running_stats=True"
        )
    check_float32(bn.weight, "layer.bn.weight")
    check_float32(bn.running_var, "layer.bn.running_var")
    if bn.running_var.shape != weight.shape[:1]:
        raise ValueError(
            f"layer.bn has {len(bn.running_var)} channels and the weight {weight.shape[0]} "
            "outputs: they belong to different layers"
        )
