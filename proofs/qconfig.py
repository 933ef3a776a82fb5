"""Which rule decides about a module, against prepare_fx and propagate_qconfig_."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any

import torch
from torch import nn
from torch.ao.quantization import (
    QConfig,
    QConfigMapping,
    default_weight_observer,
    propagate_qconfig_,
    qconfig_equals,
)
from torch.ao.quantization.backend_config import get_native_backend_config
from torch.ao.quantization.fx.qconfig_mapping_utils import _generate_node_name_to_qconfig
from torch.ao.quantization.fx.tracer import QuantizationTracer
from torch.ao.quantization.observer import MinMaxObserver
from torch.ao.quantization.quantize_fx import prepare_fx

from proofs.draw import Draw
from proofs.proof import proof
from proofs.public import public
from qlearn import Rule, module_entries, winning_rules
from qlearn.calibration.qconfig import KINDS, Key

LEAVES: dict[str, Callable[[], nn.Module]] = {
    "Linear": partial(nn.Linear, 2, 2),
    "GELU": nn.GELU,
    "Tanh": nn.Tanh,
}
CLASSES = {"Linear": nn.Linear, "GELU": nn.GELU, "Tanh": nn.Tanh, "Sequential": nn.Sequential}
# Each begins as another one does, or is a pattern that fits another.
NAMES = ("fc", "fc1", "fc2", "fc10", "block", "block1", "act")
PATTERNS = ("", "fc", "fc1$", ".*fc1", "block", r"block1?\.", r".*\.\w+1", "act|fc2", ".*act$")
MOST_RULES = 6
# Told apart by the range of their codes
QCONFIGS = [
    QConfig(MinMaxObserver.with_args(quant_min=0, quant_max=100 + i), default_weight_observer)
    for i in range(MOST_RULES)
]


def draw_model(draw: Draw, depth: int = 2) -> nn.Sequential:
    """Return a network of one to four parts, of which some are such networks themselves."""
    parts: OrderedDict[str, nn.Module] = OrderedDict()
    for _ in range(draw.integer(1, 4)):
        inside = depth > 0 and draw.chance(0.4)
        parts[draw.choice(NAMES)] = (
            draw_model(draw, depth - 1) if inside else LEAVES[draw.choice(list(LEAVES))]()
        )
    return nn.Sequential(parts)


def draw_rules(draw: Draw, names: Sequence[str]) -> list[Rule]:
    """Return rules of any kind; now and then one of the same kind and key as another."""
    keys: dict[str, Callable[[], Key]] = {
        "global": lambda: "",
        "object_type": lambda: draw.choice(list(CLASSES)),
        "module_name_regex": lambda: draw.choice(PATTERNS),
        "module_name": lambda: draw.choice([*names, "fc", "block.fc"]),
        "module_name_object_type_order": lambda: (
            draw.choice(names).rpartition(".")[0],
            draw.choice(list(CLASSES)),
            draw.integer(0, 1),
        ),
    }
    kinds = [draw.choice(KINDS) for _ in range(draw.integer(0, MOST_RULES))]
    return [Rule(kind, keys[kind]()) for kind in kinds]


def torchs_mapping(rules: Sequence[Rule]) -> QConfigMapping:
    """Return the rules as torch has them, each with a QConfig of its own."""
    mapping = QConfigMapping()
    for (kind, key), qconfig in zip(rules, QCONFIGS, strict=False):
        if kind == "global":
            mapping.set_global(qconfig)
        elif kind == "object_type":
            mapping.set_object_type(CLASSES[str(key)], qconfig)
        elif isinstance(key, tuple):
            parent, of, order = key
            mapping.set_module_name_object_type_order(parent, CLASSES[of], order, qconfig)
        else:
            getattr(mapping, f"set_{kind}")(key, qconfig)
    return mapping


def place_of(qconfig: Any) -> int:
    """Return the place of the rule that gave a module its QConfig, −1 if none did."""
    places = [i for i, known in enumerate(QCONFIGS) if qconfig_equals(known, qconfig)]
    assert len(places) == (qconfig is not None), qconfig
    return places[0] if places else -1


def leaves(model: nn.Module) -> list[str]:
    """Return the names of the modules without modules inside."""
    return [name for name, module in model.named_modules() if not list(module.children())]


@cache
def _backend() -> Any:
    """Return prepare_fx's default, which it makes anew at each call."""
    return get_native_backend_config()


def torchs_winners(model: nn.Module, rules: Sequence[Rule]) -> tuple[int, ...]:
    """Return by leaf which rule prepare_fx took."""
    x = (torch.zeros(1, 2),)
    prepared = prepare_fx(model.eval(), torchs_mapping(rules), x, backend_config=_backend())
    return tuple(place_of(prepared.get_submodule(name).qconfig) for name in leaves(model))


def torchs_reading(model: nn.Module, rules: Sequence[Rule]) -> tuple[int, ...]:
    """Return the same by that part of prepare_fx alone that reads the rules."""
    tracer = QuantizationTracer([], [])
    graph = tracer.trace(model)
    given = _generate_node_name_to_qconfig(
        model, dict(model.named_modules()), graph, torchs_mapping(rules), tracer.node_name_to_scope
    )
    calls = {node.target: given[node.name] for node in graph.nodes if node.op == "call_module"}
    return tuple(place_of(calls[name]) for name in leaves(model))


def torchs_winners_in_eager_mode(model: nn.Module, rules: Sequence[Rule]) -> tuple[int, ...]:
    """Return by leaf which rule propagate_qconfig_ took."""
    mapping = torchs_mapping(rules)
    named = {"": mapping.global_qconfig} if any(rule.kind == "global" for rule in rules) else {}
    propagate_qconfig_(model, named | mapping.object_type_qconfigs | mapping.module_name_qconfigs)
    return tuple(place_of(model.get_submodule(name).qconfig) for name in leaves(model))


def our_winners(model: nn.Module, rules: Sequence[Rule], mode: str) -> tuple[int, ...]:
    """Return by leaf which rule qlearn says wins."""
    found = winning_rules(module_entries(model), rules, mode=mode)
    return tuple(-1 if place is None else place for place in found.values())


def draw_model_and_rules(draw: Draw) -> tuple[nn.Module, list[Rule]]:
    """Return a random network, and random rules about its modules."""
    model = draw_model(draw)
    return model, draw_rules(draw, [name for name, _ in model.named_modules()])


@proof("winning_rules", "prepare_fx of a QConfigMapping", quick=20)
def read_by_fx(draw: Draw) -> tuple[Any, Any]:
    """Compare which rule decides about each leaf of a random network."""
    model, rules = draw_model_and_rules(draw)
    return our_winners(model, rules, "fx"), torchs_winners(model, rules)


@proof("winning_rules", "propagate_qconfig_ of a dictionary")
def read_in_eager_mode(draw: Draw) -> tuple[Any, Any]:
    """Compare which rule decides about each leaf of a random network."""
    model, rules = draw_model_and_rules(draw)
    return our_winners(model, rules, "eager"), torchs_winners_in_eager_mode(model, rules)


@proof("module_entries", "the leaf that prepare_fx's reading finds by parent, class and order")
def found_by_its_place(draw: Draw) -> tuple[Any, Any]:
    """Compare which leaf one rule of the last kind is about: the one whose entry it was made of."""
    model = draw_model(draw)
    entries = [entry for entry in module_entries(model) if entry.is_leaf]
    chosen = draw.choice(entries)
    key = (chosen.name.rpartition(".")[0], chosen.type, chosen.order)
    theirs = torchs_reading(model, [Rule("module_name_object_type_order", key)])
    return tuple(0 if entry is chosen else -1 for entry in entries), theirs


_SMALL = nn.Sequential(nn.Linear(1, 1), nn.GELU())

public(
    "Rule",
    "today/qconfig",
    {"kind": "object_type", "key": "Linear"},
    not_large="it only holds a kind and a key",
    not_proven="it holds a kind and a key, and the proofs of winning_rules are about what they say",
)
public(
    "module_entries",
    "today/qconfig",
    {"model": _SMALL},
    not_large="it takes a network, whose modules are few",
)
public(
    "winning_rules",
    "today/qconfig",
    {
        "modules": module_entries(_SMALL),
        "rules": [Rule("global"), Rule("object_type", "Linear")],
        "mode": "fx",
    },
    not_large="it takes a network's modules, which are few",
)
