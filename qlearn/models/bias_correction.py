"""Bias correction: what rounding adds to an output on average is taken off the bias."""

from __future__ import annotations

import copy
from typing import Any

from jaxtyping import Float32
from torch import Tensor, nn

from qlearn.checks.models import check_inputs, check_model
from qlearn.models.calls import Call, layer_calls
from qlearn.models.layer_table import common_layers


def bias_corrected(net: nn.Module, quantized: nn.Module, calibration: Tensor) -> nn.Module:
    """Take the mean error of each output channel off the bias, layer after layer.

    ``b ← b − mean(ŷ − y)``, in float32: y is the output of the float layer in the float network, ŷ
    that of its quantized copy behind the layers that are corrected already; the mean is over the
    batch and all places of an image or a sequence. Then no channel of a layer is wrong on average
    on these inputs. A layer without a bias is given one.

    Args:
        net: float32, on the CPU, in eval mode; its layers must run in the order in which
            ``named_modules`` has them, once each.
        quantized: from :func:`qlearn.simulate`, or any module whose :class:`SimulatedLayer` have
            the names of the network's layers; it stays as it is.
        calibration: a batch of the network's inputs.

    Raises:
        TypeError: a module or the batch is something else, or of another dtype.
        ValueError: the networks have no such layers in common, or do not run on the batch; a layer
            is called more than once, or not at all.

    Source: Nagel et al., arXiv 1906.04721, section 4.2 and the empirical rule of appendix D, with
    the errors measured on calibration data.

    >>> import torch
    >>> from qlearn import simulate
    >>> net, x = nn.Sequential(nn.Linear(4, 2)).eval(), torch.rand(16, 4)
    >>> better = bias_corrected(net, simulate(net, x, weight_bits=2), x)
    >>> bool((better(x) - net(x)).mean(0).abs().max() < 1e-6)
    True
    """
    check_model(net, "net")
    check_inputs(calibration, "calibration")
    names = common_layers(net, quantized)
    result = copy.deepcopy(quantized)
    for name, calls in layer_calls(net, calibration, names).items():
        exact = _only(calls, name)
        seen = _only(layer_calls(result, calibration, [name])[name], name)
        layer: Any = result.get_submodule(name)
        bias = 0 if layer.layer.bias is None else layer.layer.bias.detach()
        layer.layer.bias = nn.Parameter(bias - _means(seen.y - exact.y, layer.layer))
    return result


def _only(calls: list[Call], name: str) -> Call:
    """Return the one call of a layer."""
    if len(calls) != 1:
        raise ValueError(
            f"the layer {name} is called {len(calls)} times, but must be called once: a bias can "
            "be corrected for one mean; leave the layer in float, by `layers` of simulate"
        )
    return calls[0]


def _means(error: Tensor, layer: nn.Module) -> Float32[Tensor, " channels"]:
    """Return the mean of each output channel."""
    axis = -3 if isinstance(layer, nn.Conv2d) else -1  # also of an image without a batch
    return error.movedim(axis, 0).reshape(error.shape[axis], -1).mean(1)
