"""The configs of the decision guide, tried on small models: what each costs and gains."""

from __future__ import annotations

import ast
import copy
import textwrap
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor, fx, nn
from torch.nn.functional import cross_entropy
from torch.nn.utils.fusion import fuse_conv_bn_eval

from qlearn.checks.models import check_eval, check_loaded
from qlearn.checks.tensors import check_tensor
from qlearn.course.decisions import LEAVES, Kind, Leaf
from qlearn.course.digits.lstm import trained_digits_lstm
from qlearn.course.digits.net import DigitsNet, split_digits, trained_digits_net
from qlearn.course.digits.vit import trained_digits_vit
from qlearn.course.normal import normal
from qlearn.course.quietly import quietly
from qlearn.course.static_graph import quantizes
from qlearn.course.stored_bytes import number_bytes
from qlearn.course.unused_weights import drop_unused_weights
from qlearn.machine import use_engine
from qlearn.numbers.metrics import sqnr

COARSE = 5  # decibels and percent are rounded to multiples of it, in which all machines agree
INDENTED: Any = {"initial_indent": "    ", "subsequent_indent": "    "}
ROWS = 256  # of the table that stands for an embedding
# AWQ multiplies each of its inputs twenty times in each layer, in bfloat16: for 256 images that
# takes a processor of before AVX half a minute.
FOR_AWQ = 32


class StandIn(NamedTuple):
    """A small model in the place of the reader's, with inputs to calibrate and to measure with."""

    model: nn.Module
    batches: Sequence[Tensor]
    inputs: Tensor


class Trial(NamedTuple):
    """What became of a config; ``error`` is the message of one that stopped."""

    leaf: Leaf
    share: float = 1.0  # of the float model's bytes
    sqnr: float = 0.0  # of the outputs, in dB
    error: str = ""

    def __str__(self) -> str:
        """Say it in one line."""
        if self.leaf.runs == "elsewhere":
            return f"elsewhere    {self.leaf.method}: {self.leaf.needs.partition(';')[0]}"
        if self.error:
            lines = textwrap.wrap(self.error, 60, **INDENTED)
            return "\n".join([f"stops        {self.leaf.method}", *lines])
        return f"{', '.join(cost(self.share, self.sqnr))}  {self.leaf.method}"


def stand_in(kind: Kind) -> StandIn:
    """Return the course's trained model of this kind; for a table, one of normal numbers.

    The convolutions have their batch norms multiplied in: preparing those for training takes
    PT2E longer than all other configs together.

    >>> stand_in("conv").inputs.shape
    torch.Size([360, 1, 8, 8])
    """
    split = split_digits()
    images, inputs = split.train_images[:256], split.test_images
    if kind == "lstm":
        rows = images.squeeze(1).split(64)
        return StandIn(trained_digits_lstm(), rows, inputs.squeeze(1))
    if kind == "embedding":
        draw = torch.Generator().manual_seed(0)
        table = nn.Embedding.from_pretrained(normal(ROWS, 64, generator=draw))
        places = torch.arange(ROWS)
        return StandIn(nn.Sequential(table).eval(), (places,), places)
    if kind == "linear":
        return StandIn(trained_digits_vit(), images[:FOR_AWQ].split(FOR_AWQ // 4), inputs)
    return StandIn(_folded(trained_digits_net()), images.split(64), inputs)


def run_config(
    config: str,
    model: nn.Module,
    batches: Sequence[Tensor] = (),
    train: Callable[[nn.Module], None] | None = None,
    texts: Any = None,
) -> nn.Module:
    """Return what a config makes of a copy of the model.

    Args:
        config: Python in which ``model`` is the copy, and the other names are these.
        model: a float model, in eval mode.
        batches: inputs to calibrate with.
        train: trains what it is given, in place.
        texts: what LLM Compressor takes as its dataset.

    Raises:
        TypeError: ``model`` is not an ``nn.Module``, or a batch no tensor.
        ValueError: the model is in training mode or has no numbers yet, it or a batch holds
            float64, there are no batches or texts for a config that wants some, or the config
            quantized nothing; and whatever the config itself raises.

    >>> run_config("model.to(torch.bfloat16)", nn.Linear(2, 2).eval()).weight.dtype
    torch.bfloat16
    """
    tree = ast.parse(config)
    spoken = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    _check(model, batches, spoken)
    if "texts" in spoken and texts is None:
        raise ValueError("this config rounds with the help of texts: pass some as texts")
    names: dict[str, Any] = {
        "__name__": "config",
        "torch": torch,
        "model": copy.deepcopy(model),
        "batches": list(batches),
        "train": train,
        "texts": texts,
    }
    exec(compile(tree, "<config>", "exec"), names)
    changed: nn.Module = names["model"]
    if isinstance(changed, fx.GraphModule):
        drop_unused_weights(changed)
    if "model" in spoken and not _has_changed(model, changed, spoken):
        raise ValueError(f"the config changed nothing in {_why_nothing(model)}")
    return changed


def _check(model: nn.Module, batches: Sequence[Tensor], spoken: set[str]) -> None:
    """Raise unless a config that speaks of these names can begin."""
    check_eval(model, "its dropout and batch norms would stay so")
    if "batches" in spoken and not batches:
        raise ValueError(
            "this config chooses scales from inputs, and there are no batches: pass some dozens "
            "of inputs such as the model will see"
        )
    for name, parameter in model.named_parameters():
        check_loaded(parameter, name)
    for batch in batches:
        check_tensor(batch, "a batch", "tensors, without labels")
    for place, numbers in [*model.named_parameters(), *(("a batch", each) for each in batches)]:
        if numbers.dtype == torch.float64:
            raise ValueError(
                f"{place} is torch.float64, and configs take float32: pass "
                f"{'batch' if place == 'a batch' else 'model'}.float()"
            )


def _has_changed(model: nn.Module, changed: nn.Module, spoken: set[str]) -> bool:
    """Tell whether a config did what it is for; one that quantizes has not if it casts alone."""
    if isinstance(changed, fx.GraphModule):
        return quantizes(changed)
    before, after = _stored(model), _stored(changed)
    if "quantize_" not in spoken:
        return before != after
    return {name: kind for name, (kind, _) in before.items()} != {
        name: kind for name, (kind, _) in after.items()
    }


def _why_nothing(model: nn.Module) -> str:
    """Say which model a config passed by, and why it may have."""
    linear = [layer for layer in model.modules() if isinstance(layer, nn.Linear)]
    if not linear:
        return (
            f"{type(model).__name__}: it holds no layer that the config is for, so ask the guide "
            "what holds most of its weights"
        )
    sizes = ", ".join(f"{layer.in_features} → {layer.out_features}" for layer in linear[:3])
    return (
        f"{type(model).__name__}, though it has linear layers, {sizes}: if the config has groups, "
        "they must divide the inputs, and the config that packs takes a multiple of 16 outputs"
    )


def _stored(model: nn.Module) -> dict[str, tuple[type, Any]]:
    """Return what each entry of a state_dict is, by its name."""
    entries = model.state_dict().items()
    return {name: (type(entry), getattr(entry, "dtype", None)) for name, entry in entries}


def try_leaf(name: str) -> Trial:
    """Return what the config of a leaf does to the stand-in of its kind.

    Raises:
        KeyError: there is no such leaf.

    >>> print(try_leaf("half"))
    50 %, 50 dB  bfloat16
    """
    leaf = LEAVES[name]
    if leaf.runs == "elsewhere":
        return Trial(leaf)
    use_engine()  # torch.ao has none on some machines
    model, batches, inputs = stand_in(leaf.kind)
    try:
        changed = quietly(run_config, leaf.config, model, batches, train_a_little)
    except (AssertionError, ImportError, RuntimeError) as error:
        if leaf.runs != "stops":
            raise
        return Trial(leaf, error=f"{type(error).__name__}: {error}")
    with torch.no_grad():
        # An ARM processor without bfloat16 computes it another way, and torch warns of that.
        exact, found = model(inputs), quietly(changed, _as_taken(inputs, changed))
        found = found.to(torch.float32)
    return Trial(leaf, number_bytes(changed) / number_bytes(model), sqnr(exact, found))


def train_a_little(model: nn.Module) -> None:
    """Train on 256 digits, in four small steps: enough to see that training runs."""
    split = split_digits()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
    pairs = zip(split.train_images[:256].split(64), split.train_labels[:256].split(64), strict=True)
    for images, labels in pairs:
        optimizer.zero_grad()
        cross_entropy(model(images), labels).backward()
        optimizer.step()


def coarse(value: float) -> int:
    """Return the multiple of five that is nearest.

    >>> coarse(44.8), coarse(27.4)
    (45, 25)
    """
    return COARSE * round(value / COARSE)


def cost(share: float, decibels: float) -> tuple[str, str]:
    """Return what is left of the bytes, and the SQNR, as coarsely as all machines agree.

    >>> cost(0.285, 44.76)
    ('30 %', '45 dB')
    """
    return f"{coarse(100 * share):2} %", f"{coarse(decibels)} dB"


def _folded(net: DigitsNet) -> DigitsNet:
    """Return the network with its batch norms in the weights and biases of its convolutions."""
    for conv, norm in (("conv1", "bn1"), ("conv2", "bn2")):
        setattr(net, conv, fuse_conv_bn_eval(getattr(net, conv), getattr(net, norm)))
        setattr(net, norm, nn.Identity())
    return net


def _as_taken(inputs: Tensor, model: nn.Module) -> Tensor:
    """Return float inputs in the dtype of the model's parameters."""
    dtype = next((p.dtype for p in model.parameters() if p.is_floating_point()), torch.float32)
    return inputs.to(dtype) if inputs.is_floating_point() else inputs
