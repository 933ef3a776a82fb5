"""Batch norms that were folded into the layers in front of them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.modules.batchnorm import _BatchNorm
from torch.nn.utils.fusion import fuse_conv_bn_weights

from qlearn.models.diagnosis import symptoms
from qlearn.models.diagnosis.case import Case
from qlearn.models.diagnosis.finding import Finding

FEWEST = 4  # channels
SMALL = 3.0  # times eps: a larger variance hides it
OTHER = 2.0  # times the norm's eps


def folded_norms(case: Case) -> dict[str, Any]:
    """Return the norms of the float model that are gone, by the weight in front of each."""
    if case.model is None:
        return {}
    found = {}
    ours = dict(case.quantized.named_modules())
    leaves = [(k, part) for k, part in case.model.named_modules() if not any(part.children())]
    for (name, layer), (norm_name, norm) in pairwise(leaves):
        weight = getattr(layer, "weight", None)
        is_gone = isinstance(ours.get(norm_name), nn.Identity | None)
        if isinstance(norm, _BatchNorm) and isinstance(weight, Tensor) and weight.ndim > 1:
            has_all = norm.running_var is not None and norm.affine
            if is_gone and has_all and len(weight) == norm.num_features:
                found[f"{name}.weight"] = norm
    return found


def folded(weight: Tensor, norm: Any) -> Tensor:
    """Return a weight with a batch norm folded into it."""
    statistics = norm.running_mean, norm.running_var, norm.eps, norm.weight, norm.bias
    return fuse_conv_bn_weights(weight, None, *statistics)[0].detach()


def other_eps(case: Case) -> Iterator[Finding]:
    """Find batch norms that were folded with another eps than theirs."""
    if case.is_right:
        return
    ours, theirs = case.weights.known, case.float_weights
    for name, norm in folded_norms(case).items():
        if name in ours and name in theirs and ours[name].shape == theirs[name].shape:
            eps = _eps(ours[name].detach().dequantize(), theirs[name].detach(), norm)
            if eps is not None and not 1 / OTHER < eps / norm.eps < OTHER:
                yield Finding(
                    symptoms.WORSE,
                    f'Into "{name}" a norm was folded with an eps of {eps:.1g}; its own is '
                    f"{norm.eps:.1g}.",
                )


def _eps(ours: Tensor, exact: Tensor, norm: Any) -> float | None:
    """Return the eps that a norm was folded with; None where channels do not agree on one."""
    ours, exact = (x.double().flatten(1) for x in (ours, exact))
    factors = (ours * exact).sum(1) / exact.square().sum(1)
    variance = norm.running_var.double()
    found = (norm.weight.detach().double() / factors).square() - variance
    found = found[(variance < SMALL * norm.eps) & found.isfinite()]
    if len(found) < FEWEST:
        return None
    low, middle, high = torch.quantile(found, torch.tensor([0.25, 0.5, 0.75]).double()).tolist()
    return middle if middle > 0 and high - low < abs(middle - norm.eps) / 3 else None
