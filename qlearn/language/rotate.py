"""QuaRot: a language model whose state is rotated, so that no channel of it stands out."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator
from operator import attrgetter
from typing import Any

from jaxtyping import Float, Float64
from torch import Tensor, nn, no_grad

from qlearn.checks.models import check_loaded, check_module
from qlearn.language.hadamard import signs
from qlearn.language.norms import READERS, norms_and_readers

PARTS = {"embed_tokens": nn.Embedding, "layers": nn.ModuleList, "norm": nn.RMSNorm}
PARTS |= {"lm_head": nn.Linear}
WRITERS = ("self_attn.o_proj", "mlp.down_proj")


class Rotation(nn.Module):
    """Multiply what comes by a Hadamard matrix: the one rotation that is left to do at run time."""

    matrix: Tensor

    def __init__(self, like: Tensor) -> None:
        super().__init__()
        self.register_buffer("matrix", turn_of(like.shape[-1]).to(like), persistent=False)

    def forward(self, x: Float[Tensor, "*rows k"]) -> Float[Tensor, "*rows k"]:
        """Return ``x·H``."""
        return x @ self.matrix


def rotate(model: nn.Module) -> nn.Module:
    """Return a copy with the same float function, in which the layers' inputs are rotated.

    1. The gains of each norm go into the layers that read it, and become 1. A norm without gains
       divides by the root mean square of the state, which a rotation leaves as it is.
    2. With H of :func:`hadamard`, the layers that write to the state get H behind them
       (embedding, ``o_proj``, ``down_proj``), and those that read it get H before them:
       ``H·H = I`` between them.
    3. The input of ``down_proj`` is no part of the state: there H is multiplied when the model
       runs, by a layer of its own.

    The new weights are computed in float64 and rounded once, to the dtype of the old ones.

    Args:
        model: with the parts and names of Llama (``embed_tokens``, ``layers`` with ``self_attn``,
            ``mlp`` and two norms, ``norm``, ``lm_head``); its norms are ``nn.RMSNorm``.

    Raises:
        TypeError: a part is missing, or is no layer of its kind, such as a LayerNorm.
        ValueError: two parts share one weight, as embedding and head may; a width is no power of
            two; a part has no numbers yet.

    Source: Ashkboos et al., arXiv 2404.00456, stages 1a and 1b, without the heads' rotations.

    >>> import torch
    >>> from qlearn.course.language.net import LanguageModel
    >>> model, tokens = LanguageModel(), torch.tensor([list(b"Fellow Citizens")])
    >>> torch.allclose(rotate(model)(tokens), model(tokens), atol=1e-4)
    True
    """
    check_parts(model)
    turned: Any = copy.deepcopy(model)
    with no_grad():
        turn = turn_of(turned.embed_tokens.embedding_dim)
        turned.embed_tokens.weight.copy_(turned.embed_tokens.weight.double() @ turn)
        for layer in turned.layers:
            for norm, readers in norms_and_readers(layer):
                take_gains(norm, readers, turn)
            turn_outputs(layer.self_attn.o_proj, turn)
            turn_both_ends(layer.mlp, turn)
        take_gains(turned.norm, [turned.lm_head], turn)
    return turned


def turn_of(n: int) -> Float64[Tensor, "n n"]:
    """Return the Hadamard matrix in float64: ``±1/√n``: √n is rounded, then the quotient."""
    return signs(n).double() / math.sqrt(n)


def take_gains(norm: nn.RMSNorm, readers: list[nn.Linear], turn: Tensor) -> None:
    """Give the norm's gains to the layers that read it, with a rotation before them."""
    for reader in readers:
        weight = reader.weight.double()
        if norm.weight is not None:
            weight = weight * norm.weight
        reader.weight.copy_(weight @ turn)
    if norm.weight is not None:
        norm.weight.fill_(1)


def turn_outputs(layer: nn.Linear, turn: Tensor, before: Tensor | None = None) -> None:
    """Put a rotation behind a layer, into its weight and bias, and perhaps one before it."""
    weight = turn.T @ layer.weight.double()
    layer.weight.copy_(weight if before is None else weight @ before)
    if layer.bias is not None:
        layer.bias.copy_(layer.bias.double() @ turn)


def turn_both_ends(mlp: Any, turn: Tensor) -> None:
    """Rotate what ``down_proj`` writes, and what it reads: that at run time, before the layer."""
    turn_outputs(mlp.down_proj, turn, turn_of(mlp.down_proj.in_features))
    both = nn.Sequential(Rotation(mlp.down_proj.weight), mlp.down_proj)
    mlp.down_proj = both.train(mlp.down_proj.training)


def check_parts(model: nn.Module) -> None:
    """Raise unless the model has what :func:`rotate` looks for."""
    check_module(model)
    for name, parameter in model.named_parameters():
        check_loaded(parameter, name)
    checked: Any = model
    for name, kind in PARTS.items():
        check_kind(model, name, kind)
    if checked.embed_tokens.weight is checked.lm_head.weight:
        raise ValueError(
            "embed_tokens and lm_head share one weight, but the gains of the last norm go into "
            "the head alone: give it a copy first, "
            "model.lm_head.weight = nn.Parameter(model.lm_head.weight.detach().clone())"
        )
    owners: dict[int, str] = {}
    check_own(checked.norm, "norm", owners)
    for number, layer in enumerate(checked.layers):
        for name, kind in parts_of_layer():
            check_kind(layer, name, kind)
            check_own(layer.get_submodule(name), f"layers.{number}.{name}", owners)


def check_own(part: nn.Module, name: str, owners: dict[int, str]) -> None:
    """Raise ValueError if another part has the same weight, which would be turned twice."""
    if part.weight is None:
        return
    other = owners.setdefault(id(part.weight), name)
    if other != name:
        raise ValueError(
            f"{other} and {name} share one weight, and each gets gains and rotations of its own: "
            f"give {name} a copy first, by copy.deepcopy"
        )


def parts_of_layer() -> Iterator[tuple[str, type[nn.Module]]]:
    """Yield the names of a layer's parts, and what they must be."""
    for norm, readers in READERS.items():
        yield norm, nn.RMSNorm
        yield from ((reader, nn.Linear) for reader in readers)
    yield from ((writer, nn.Linear) for writer in WRITERS)


def check_kind(module: nn.Module, name: str, kind: type[nn.Module]) -> None:
    """Raise unless a module has this part, and it is of this kind."""
    try:
        part = attrgetter(name)(module)
    except AttributeError as error:
        raise TypeError(
            f"{type(module).__name__} has no {name}, but rotate finds the parts of Llama by their "
            f"names: {', '.join(PARTS)}, and in each of the layers "
            f"{', '.join(name for name, _ in parts_of_layer())}"
        ) from error
    if not isinstance(part, kind):
        why = (
            "only RMSNorm gives the same for a rotated state; LayerNorm takes off the mean, which "
            "a rotation changes"
            if kind is nn.RMSNorm
            else "its weight is multiplied by a rotation"
        )
        found = f"{name} is a {type(part).__name__} and must be an nn.{kind.__name__}"
        raise TypeError(f"{found}: {why}")
