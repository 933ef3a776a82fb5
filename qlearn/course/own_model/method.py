"""A way to quantize a model by torchao's ``quantize_``, and which layers it leaves out, and why."""

from __future__ import annotations

import copy
import re
from collections.abc import Collection
from typing import Any, NamedTuple

from torch import nn
from torch.nn.modules.linear import NonDynamicallyQuantizableLinear

from qlearn.course.quietly import quietly

WHOLE = "the model"  # the name of a model that is one layer
RECURRENT = (nn.RNNBase, nn.RNNCellBase)
CONVOLUTIONS = (
    nn.Conv1d,
    nn.Conv2d,
    nn.Conv3d,
    nn.ConvTranspose1d,
    nn.ConvTranspose2d,
    nn.ConvTranspose3d,
)


class Method(NamedTuple):
    """A name, a config of torchao's, the kinds of layers it takes, and layers to leave in float.

    Linear layers and tables take all three configs of the chapter. ``nn.Conv2d`` takes
    ``IntxWeightOnlyConfig(torch.int8, PerAxis(0))`` as well, if it is named in ``kinds``.
    """

    name: str
    config: Any
    kinds: tuple[type[nn.Module], ...] = (nn.Linear, nn.Embedding)
    in_float: tuple[str, ...] = ()

    @property
    def bits(self) -> int:
        """How many bits a weight has; torchao's configs without a dtype of weights are int8."""
        found = re.search(r"int(\d+)$", str(getattr(self.config, "weight_dtype", "int8")))
        return int(found[1]) if found else 8

    @property
    def group_size(self) -> int | None:
        """How many neighbouring weights share a scale, or None for a whole row."""
        granularity = getattr(self.config, "granularity", None)
        return getattr(granularity or self.config, "group_size", None)

    def without(self, *names: str) -> Method:
        """Return the method with these layers left in float.

        >>> Method("int8", None).without("head").name
        'int8, head in float'
        """
        left = f"{names[0]} in float" if len(names) == 1 else f"{len(names)} layers in float"
        return self._replace(name=f"{self.name}, {left}", in_float=self.in_float + names)


def why_not(model: nn.Module, name: str, method: Method) -> str:
    """Return why a method leaves a layer in float, or "" where it takes it.

    >>> from types import SimpleNamespace
    >>> four = Method("four bits", SimpleNamespace(group_size=32))
    >>> why_not(nn.Sequential(nn.Linear(20, 10)), "0", four)
    '20 inputs, and groups of 32 do not divide them'
    """
    layer = model.get_submodule(name)
    if (name or WHOLE) in method.in_float:
        return "left in float by you"
    if isinstance(layer, NonDynamicallyQuantizableLinear):
        return "nn.MultiheadAttention reads this weight itself"
    if not isinstance(layer, method.kinds):
        return _kind(layer)
    if "weight" not in layer._parameters:
        return "its weight is computed from others: remove the parametrization first"
    weight = layer.get_parameter("weight")
    if other := _other_owner(model, layer, weight):
        return f"its weight is {other} as well, where the float would stay"
    if isinstance(layer, nn.Conv2d) and layer.in_channels == layer.groups:
        return "one input channel for each output, which torchao cannot view as rows"
    width, group = weight.shape[-1], method.group_size
    if group and width % group:
        return f"{width} inputs, and groups of {group} do not divide them"
    return ""


def _other_owner(model: nn.Module, layer: nn.Module, weight: nn.Parameter) -> str:
    """Return the name under which another layer has the weight, too, or ""."""
    for place, parameter in model.named_parameters(remove_duplicate=False):
        owner = model.get_submodule(place.rpartition(".")[0])
        if parameter is weight and owner is not layer:
            return place
    return ""


def _kind(layer: nn.Module) -> str:
    """Return why layers of this kind stay in float."""
    if isinstance(layer, nn.MultiheadAttention):
        return "in_proj_weight is a parameter and no linear layer"
    if isinstance(layer, RECURRENT):
        known = "torch.ao's quantize_dynamic has, for LSTM and GRU"
        return f"torchao has no kernel for recurrent layers; {known}"
    if isinstance(layer, nn.Conv2d):
        return "quantize_ passes convolutions by; PT2E takes them"
    if isinstance(layer, CONVOLUTIONS):
        return "quantize_ passes it by, and PT2E for x86 takes only nn.Conv1d before a ReLU"
    if isinstance(layer, nn.Bilinear):
        return "its weight has three axes, and no kernel multiplies so with codes"
    if isinstance(layer, nn.EmbeddingBag):
        return "torchao looks rows up, and cannot add them up; nn.Embedding is reached"
    if isinstance(layer, nn.Linear | nn.Embedding):
        return f"this method is not for nn.{type(layer).__name__}"
    return "a parameter of its own, and quantize_ reaches whole layers"


def fitting(model: nn.Module, method: Method) -> list[str]:
    """Return the names of the layers that a method takes.

    >>> fitting(nn.Sequential(nn.Linear(4, 2), nn.ReLU()), Method("int8", None))
    ['0']
    """
    named = model.named_modules()
    layers = [name for name, layer in named if isinstance(layer, method.kinds)]
    return [name for name in layers if not why_not(model, name, method)]


def quantized(model: nn.Module, method: Method, only: Collection[str] | None = None) -> nn.Module:
    """Return a copy of the model, quantized by the method; ``only`` layers of :func:`fitting`.

    >>> from torchao.quantization import Int8WeightOnlyConfig
    >>> model = nn.Sequential(nn.Linear(4, 2))
    >>> changed = quantized(model, Method("int8 weights", Int8WeightOnlyConfig()))
    >>> type(changed[0].weight).__name__, type(model[0].weight).__name__
    ('Int8Tensor', 'Parameter')
    """
    from torchao.quantization import quantize_

    changed = copy.deepcopy(model)
    names = set(fitting(model, method) if only is None else only)
    quietly(quantize_, changed, method.config, filter_fn=lambda module, name: name in names)
    return changed
