"""The folded weight against what torch's modules for training give to their fake quantization."""

from __future__ import annotations

from typing import Any

import torch
import torch.ao.nn.intrinsic.qat as nniqat
from torch import Tensor, nn
from torch.ao.quantization import get_default_qat_qconfig

from proofs.draw import Draw
from proofs.inputs import rows
from proofs.proof import proof
from proofs.public import Large, public
from qlearn import folded_weight

KINDS = (nniqat.LinearBn1d, nniqat.ConvBn1d, nniqat.ConvBn2d, nniqat.ConvBn3d)


class Kept(nn.Module):
    """Keeps the weight that comes to be fake-quantized."""

    weight: Tensor

    def forward(self, weight: Tensor) -> Tensor:
        """Return it as it is."""
        self.weight = weight.detach().clone()
        return weight


@proof("folded_weight", "torch.ao.nn.intrinsic.qat's ConvBn1d, ConvBn2d, ConvBn3d and LinearBn1d")
def what_is_rounded(draw: Draw) -> tuple[Any, Any]:
    """Compare every weight: variances of ten decades, several ε, in training and after it."""
    dimensions = draw.integer(0, 3)
    sizes = draw.integer(1, 4), draw.integer(1, 6)
    kernel = [draw.integer(1, 3)] if dimensions else []
    kind: Any = KINDS[dimensions]
    qconfig, eps = get_default_qat_qconfig("x86"), draw.choice([1e-5, 1e-3])
    layer = kind(*sizes, *kernel, qconfig=qconfig, eps=eps)
    layer.weight_fake_quant = kept = Kept()
    with torch.no_grad():
        layer.weight.copy_(draw.normal(*layer.weight.shape))
        layer.bn.weight.copy_(draw.normal(sizes[1]))
        variances = [draw.power_of_ten(-9, 1) for _ in range(sizes[1])]
        layer.bn.running_var.copy_(torch.tensor(variances) * (1 + draw.normal(sizes[1]).abs()))
        layer.train(draw.chance(0.5))
        ours = folded_weight(layer)
        layer(torch.zeros(2, sizes[0], *[3] * dimensions))
    return ours, kept.weight


def with_norm(weight: Tensor) -> nn.Module:
    """Return a layer of this weight and a batch norm."""
    layer = nn.Module()
    layer.weight = nn.Parameter(weight)
    layer.bn = nn.BatchNorm1d(len(weight))
    return layer


public(
    "folded_weight",
    "models/qat_to_the_bit",
    {"layer": with_norm(torch.ones(2, 3))},
    Large("", rows, lambda weight: folded_weight(with_norm(weight))),
)
