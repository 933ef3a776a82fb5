"""Which weights of a model are floats, and which are codes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from qlearn.models.diagnosis.nodes import is_exported, own_nodes
from qlearn.models.diagnosis.roundings import first_rows
from qlearn.models.simulated_layer import SimulatedLayer

FLOAT8 = (
    torch.float8_e4m3fn,
    torch.float8_e5m2,
    torch.float8_e4m3fnuz,
    torch.float8_e5m2fnuz,
)
# What codes, or words packed with them, are stored in; indices are int64, and masks bool
BYTES = (torch.int8, torch.uint8, torch.int16, torch.int32, *FLOAT8)
SMALL = 16  # numbers: fewer are no weight that anybody packs
FEWEST_ROWS = 8  # of fewer rows, columns are 0 by chance
FAINT = 0.1  # of the largest number: what one scale for all may lose, in four bits, too
ALIKE = 0.5  # cosine: rows of weights that were quantized, folded or scaled are nearer than that


class Weights(NamedTuple):
    """Weights by name, without vectors such as biases.

    Attributes:
        floats: plain tensors of floats.
        codes: of torch.ao's layers, torchao's tensors, simulated layers, and buffers of codes.
        idle: floats that an exported graph holds and no node of it reads.
    """

    floats: dict[str, Tensor]
    codes: dict[str, Tensor]
    idle: dict[str, Tensor]

    @property
    def known(self) -> dict[str, Tensor]:
        """The floats, and those codes that know which numbers they stand for."""
        return self.floats | {k: w for k, w in self.codes.items() if w.dtype not in BYTES}

    @property
    def all(self) -> dict[str, Tensor]:
        """Those, and the ones that nothing reads."""
        return self.known | self.idle


def weights(model: nn.Module) -> Weights:
    """Return them.

    >>> weights(nn.Sequential(nn.Linear(2, 2), nn.LayerNorm(2))).floats.keys()
    dict_keys(['0.weight'])
    """
    found = Weights({}, {}, {})
    graphs = {name: part for name, part in model.named_modules() if is_exported(part)}
    read = {
        _joined(name, n.target)
        for name, part in graphs.items()
        for n in own_nodes(part, "get_attr")
    }
    called = _called(model)
    given = _simulated(model) | {name for name, _ in called}
    for name, weight in [*model.named_parameters(), *model.named_buffers(), *called]:
        if weight.ndim < 2:
            continue
        if _is_codes(weight) or name in given:
            found.codes[name] = weight
        elif isinstance(weight, nn.Parameter):
            held = [graph for graph in graphs if name.startswith(_joined(graph, ""))]
            (found.idle if held and name not in read else found.floats)[name] = weight
    return found


def size(tensors: Iterable[Tensor]) -> int:
    """Return the bytes of tensors, those of torchao by the parts that they are made of.

    >>> size([torch.zeros(2, 3), torch.zeros(2, dtype=torch.int8)])
    26
    """
    parts: list[Tensor] = []
    for x in tensors:
        names = x.__tensor_flatten__()[0] if hasattr(x, "__tensor_flatten__") else None
        parts += [x] if names is None else [getattr(x, name) for name in names]
    return sum(part.numel() * part.element_size() for part in parts)


def alike(weight: Tensor, other: Tensor) -> float:
    """Return the median cosine between the rows of two weights; 1 if their shapes differ.

    A factor for each row, as a batch norm has, changes nothing. Rows of zeros are left out.
    """
    weight, other = weight.detach(), other.detach()  # else dequantize gives a parameter a history
    if weight.shape != other.shape:
        return 1.0
    ours, theirs = (first_rows(part.dequantize().flatten(1)).double() for part in (weight, other))
    rows = (ours != 0).any(1)
    cosines = functional.cosine_similarity(ours[rows], theirs[rows]).abs()
    return cosines.median().item() if len(cosines) else 1.0


def living_rows(weight: Tensor, other: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return the rows of both that are not all 0 in the other one, in float64, and their power."""
    ours, theirs = (part.detach().double().flatten(1) for part in (weight, other))
    power = theirs.square().sum(1)
    return ours[power > 0], theirs[power > 0], power[power > 0]


def empty_parts(weight: Tensor, other: Tensor, *, are_columns: bool = False) -> tuple[int, int]:
    """Return how many rows or columns are all 0, and of how many that are not so in float.

    >>> empty_parts(torch.tensor([[0.0], [1.0]]), torch.tensor([[0.05], [1.0]]))
    (1, 2)
    """
    if weight.shape != other.shape or (are_columns and len(weight) < FEWEST_ROWS):
        return 0, 0
    both = (part.detach().dequantize() for part in (weight, other))
    ours, theirs = (x.transpose(0, int(are_columns)).flatten(1) for x in both)
    sizes = theirs.abs().amax(1)
    ours = torch.where((sizes < FAINT * sizes.max())[:, None], ours, 1)  # the others are not meant
    alive = (theirs != 0).any(1)
    return int((ours[alive] == 0).all(1).sum()), int(alive.sum())


def has_row_scales(weight: Tensor) -> bool:
    """Say whether each row of a weight has a scale, or several, as far as it tells.

    >>> has_row_scales(torch.quantize_per_tensor(torch.ones(2, 2), 1.0, 0, torch.qint8))
    False
    """
    if weight.is_quantized:
        per_tensor = torch.per_tensor_affine, torch.per_tensor_symmetric
        return weight.qscheme() not in per_tensor
    scale = getattr(weight, "scale", None)
    return isinstance(scale, Tensor) and scale.numel() >= len(weight)


def is_made(weight: Tensor) -> bool:
    """Say whether a weight is made of codes and scales."""
    return weight.is_quantized or type(weight.data) is not Tensor


def _is_codes(weight: Tensor) -> bool:
    """Say whether a weight is no plain tensor of floats, but codes, or made of codes and scales."""
    if is_made(weight):
        return True
    is_mask = weight.dtype == torch.uint8 and bool((weight <= 1).all())
    return weight.dtype in BYTES and weight.numel() >= SMALL and not is_mask


def _called(model: nn.Module) -> list[tuple[str, Tensor]]:
    """Return the weights that layers of torch.ao give by a call, those of an LSTM by name."""
    found = []
    for name, part in model.named_modules():
        if not type(part).__module__.startswith("torch.ao."):
            continue  # whose weight() may be anything
        weight, weights = getattr(part, "weight", None), getattr(part, "get_weight", None)
        if callable(weight) and not isinstance(weight, Tensor):
            own = weight()  # of float16 it comes as float32
            found.append((f"{name}.weight", own.half() if own.is_floating_point() else own))
        elif callable(weights) and isinstance(own := weights(), dict):
            found += [(f"{name}.{key}", x) for key, x in own.items() if isinstance(x, Tensor)]
    return found


def _simulated(model: nn.Module) -> set[str]:
    """Return the names of the weights that :class:`qlearn.SimulatedLayer` rounds."""
    parts = model.named_modules()
    return {f"{name}.layer.weight" for name, part in parts if isinstance(part, SimulatedLayer)}


def _joined(place: str, name: object) -> str:
    return f"{place}.{name}" if place else str(name)
