"""The healthy networks that the broken ones are made from, with their batch norms folded."""

from __future__ import annotations

from collections import OrderedDict

from torch import nn
from torch.nn.utils.fusion import fuse_conv_bn_eval

from qlearn.course.digits.net import trained_digits_net
from qlearn.course.digits.separable import trained_separable_net


def fold_batch_norms(net: nn.Module) -> nn.Sequential:
    """Return the layers one after the other, each batch norm multiplied into what precedes it.

    >>> list(dict(fold_batch_norms(trained_digits_net()).named_children()))
    ['conv1', 'relu1', 'conv2', 'relu2', 'pool', 'flatten', 'fc']
    """
    layers: list[tuple[str, nn.Module]] = []
    for name, layer in net.named_children():
        if isinstance(layer, nn.BatchNorm2d):
            before, conv = layers[-1]
            assert isinstance(conv, nn.Conv2d)
            layers[-1] = before, fuse_conv_bn_eval(conv, layer)
        else:
            layers.append((name, layer))
    return nn.Sequential(OrderedDict(layers)).eval().requires_grad_(False)


def plain_net() -> nn.Sequential:
    """Return the digits' network, folded: 348 of the 360 test images right."""
    return fold_batch_norms(trained_digits_net())


def separable_net() -> nn.Sequential:
    """Return the small MobileNet for ink on white paper, folded: 344 of 360 right."""
    return fold_batch_norms(trained_separable_net())
