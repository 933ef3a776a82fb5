"""Models of known shapes, without weights, and the bytes that they take in any form.

They are made on the device ``meta``, where a tensor has a shape and takes no memory, so that a
model of seven billion parameters fits everywhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

import torch
from torch import nn

from qlearn.checks.models import check_module, check_shaped

# MobileNetV2: factor of widening, channels, blocks, stride of the first block (Sandler, table 2)
BLOCKS = (
    (1, 16, 1, 1),
    (6, 24, 2, 2),
    (6, 32, 3, 2),
    (6, 64, 4, 2),
    (6, 96, 3, 1),
    (6, 160, 3, 2),
    (6, 320, 1, 1),
)


class Form(NamedTuple):
    """How weights are stored: bits for each, and scales."""

    bits: float
    group: int = 0  # weights that share a scale; 0 for a whole row, which is an output's
    scale_bytes: int = 4  # with a zero point, if there is one; 0 for weights without scales


FLOAT32, FLOAT16 = Form(32, scale_bytes=0), Form(16, scale_bytes=0)
INT8 = Form(8, scale_bytes=5)  # torchao's: a float32 scale and an int8 zero point for each row
INT4 = Form(4, group=32, scale_bytes=2)


class Work(NamedTuple):
    """What a pass through layers costs: the largest output, in numbers, and the products."""

    largest: int
    products: int


def tagger(words: int = 20_000, width: int = 100, hidden: int = 200, tags: int = 17) -> nn.Module:
    """Return the shapes of a tagger: a table of words, an LSTM in both directions, and tags.

    >>> sum(p.numel() for p in tagger().parameters())
    2490017
    """
    with torch.device("meta"):
        return nn.ModuleDict(
            {
                "words": nn.Embedding(words, width),
                "lstm": nn.LSTM(width, hidden, bidirectional=True, batch_first=True),
                "tags": nn.Linear(2 * hidden, tags),
            }
        )


def mobilenet_v2() -> nn.Sequential:
    """Return the layers of MobileNetV2 in their order, batch norms folded into biases.

    >>> sum(p.numel() for p in mobilenet_v2().parameters())
    3487816
    """
    layers: list[nn.Module] = []
    with torch.device("meta"):
        layers.append(nn.Conv2d(3, 32, 3, stride=2, padding=1))
        width = 32
        for factor, channels, count, first_stride in BLOCKS:
            for number in range(count):
                inner = factor * width
                if factor > 1:
                    layers.append(nn.Conv2d(width, inner, 1))
                stride = first_stride if number == 0 else 1
                layers.append(nn.Conv2d(inner, inner, 3, stride, padding=1, groups=inner))
                layers.append(nn.Conv2d(inner, channels, 1))
                width = channels
        layers += [nn.Conv2d(width, 1280, 1), nn.AdaptiveAvgPool2d(1), nn.Flatten()]
        layers.append(nn.Linear(1280, 1000))
    return nn.Sequential(*layers)


def llama_7b() -> nn.Module:
    """Return the matrices of Llama 2 with seven billion parameters; norms are left out.

    >>> sum(p.numel() for p in llama_7b().parameters())
    6738149376
    """
    width, inner, words = 4096, 11008, 32000
    with torch.device("meta"):
        block = {name: nn.Linear(width, width, bias=False) for name in ("q", "k", "v", "o")}
        block |= {name: nn.Linear(width, inner, bias=False) for name in ("gate", "up")}
        block["down"] = nn.Linear(inner, width, bias=False)
        return nn.ModuleDict(
            {
                "words": nn.Embedding(words, width),
                "blocks": nn.ModuleList(_copied(block) for _ in range(32)),
                "head": nn.Linear(width, words, bias=False),
            }
        )


def _copied(block: Mapping[str, nn.Linear]) -> nn.ModuleDict:
    """Return a block with layers of its own."""
    return nn.ModuleDict(
        {name: nn.Linear(m.in_features, m.out_features, bias=False) for name, m in block.items()}
    )


def bytes_stored(
    model: nn.Module, forms: Mapping[type[nn.Module], Form] | None = None, *, rest: Form = FLOAT32
) -> int:
    """Return the bytes of a model's parameters by arithmetic: matrices, their scales, and biases.

    Args:
        model: on any device, ``meta`` too; only shapes are read.
        forms: how the weights of each class of modules are stored; a class without one is rest's.
        rest: the form of everything else; biases and norms have its bits and no scales.

    Raises:
        TypeError: ``model`` is not an ``nn.Module``.
        ValueError: a group does not divide a row, or a parameter has no shape yet.

    >>> bytes_stored(nn.Linear(64, 10)), bytes_stored(nn.Linear(64, 10), {nn.Linear: INT8})
    (2600, 730)
    """
    _check_shapes(model)
    total = 0.0
    for module in model.modules():
        form = (forms or {}).get(type(module), rest)
        for weight in module.parameters(recurse=False):
            flat = weight.ndim < 2
            total += weight.numel() * (rest if flat else form).bits / 8
            if not flat and form.scale_bytes:
                total += _scales(weight, form.group) * form.scale_bytes
    return round(total)


def shares(model: nn.Module) -> dict[str, float]:
    """Return the share of the parameters in each class of modules, the largest first.

    Raises:
        TypeError: ``model`` is not an ``nn.Module``.
        ValueError: the model has no parameters, or one of them no shape yet.

    >>> shares(nn.Sequential(nn.Linear(3, 2), nn.BatchNorm1d(1)))
    {'Linear': 0.8, 'BatchNorm1d': 0.2}
    """
    _check_shapes(model)
    counts: Counter[str] = Counter()
    for module in model.modules():
        for weight in module.parameters(recurse=False):
            counts[type(module).__name__] += weight.numel()
    total = counts.total()
    if not total:
        raise ValueError(f"{type(model).__name__} has no parameters: there is nothing to quantize")
    return {kind: count / total for kind, count in counts.most_common()}


def _check_shapes(model: nn.Module) -> None:
    """Raise unless a model is one whose parameters have shapes."""
    check_module(model)
    for name, parameter in model.named_parameters():
        check_shaped(parameter, name)


def work(layers: nn.Sequential, x: torch.Tensor) -> Work:
    """Return what these layers do with an input: only shapes are computed on ``meta``.

    >>> work(nn.Sequential(nn.Conv2d(1, 4, 3), nn.Flatten()), torch.zeros(1, 1, 8, 8))
    Work(largest=144, products=1296)
    """
    largest = products = 0
    for layer in layers:
        x = layer(x)
        largest = max(largest, x.numel())
        if isinstance(layer, nn.Conv2d | nn.Linear):
            products += x.numel() * layer.weight[0].numel()
    return Work(largest, products)


def _scales(weight: torch.Tensor, group: int) -> int:
    """Return how many scales a matrix has."""
    row = weight[0].numel()
    if group and row % group:
        raise ValueError(
            f"groups of {group} do not divide a row of {row} weights: take a divisor of {row}"
        )
    return weight.shape[0] * (row // group if group else 1)
