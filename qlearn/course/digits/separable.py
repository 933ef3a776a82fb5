"""A small MobileNet for the digits: convolutions by channel and across channels in turn.

Networks for phones are built so. It is the network that breaks where the digits' first network
does not: its depthwise convolutions have nine weights a channel, so nothing averages errors out.
"""

from __future__ import annotations

from collections import OrderedDict

from torch import nn

from qlearn.course.digits.shipped import shipped_tensors


def block(
    kind: str, number: int, inputs: int, outputs: int, stride: int = 1
) -> list[tuple[str, nn.Module]]:
    """Return the named modules of a convolution, its batch norm and its ReLU."""
    sizes = {"conv": (3, 1), "dw": (3, inputs), "pw": (1, 1)}
    kernel, groups = sizes[kind]
    conv = nn.Conv2d(
        inputs, outputs, kernel, stride, padding=kernel // 2, groups=groups, bias=False
    )
    names = (f"{kind}{number}", f"bn_{kind}{number}", f"relu_{kind}{number}")
    return list(zip(names, (conv, nn.BatchNorm2d(outputs), nn.ReLU()), strict=True))


def separable_net() -> nn.Sequential:
    """Return the untrained network: ``[n, 1, 8, 8]`` images to ``[n, 10]`` logits.

    >>> import torch
    >>> separable_net().eval()(torch.zeros(5, 1, 8, 8)).shape
    torch.Size([5, 10])
    """
    return nn.Sequential(
        OrderedDict(
            [
                *block("conv", 1, 1, 16),
                *block("dw", 1, 16, 16),
                *block("pw", 1, 16, 32),
                *block("dw", 2, 32, 32, stride=2),
                *block("pw", 2, 32, 32),
                ("pool", nn.AvgPool2d(2)),
                ("flatten", nn.Flatten()),
                ("fc", nn.Linear(128, 10)),
            ]
        )
    )


def trained_separable_net() -> nn.Sequential:
    """Return the network as ``data_makers/train_digits_separable.py`` trained it, in eval mode.

    It knows the digits as black ink on white paper: pass ``1 - images``.

    >>> trained_separable_net().training
    False
    """
    net = separable_net()
    net.load_state_dict(shipped_tensors("digits_separable"))
    return net.eval()
