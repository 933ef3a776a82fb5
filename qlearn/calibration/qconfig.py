"""Which rule decides about a module: the precedence of torch's QConfigMapping, and of eager mode.

A rule says of some modules how they are to be quantized. Several may match a module, and one wins.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from torch import nn

from qlearn.checks import check_choice

# Those of QConfigMapping, in increasing priority
KINDS = (
    "global",
    "object_type",
    "module_name_regex",
    "module_name",
    "module_name_object_type_order",
)
MODES = ("fx", "eager")

Key = str | tuple[str, str, int]
# For each kind, which rule stands for which key
Rules = dict[str, dict[Key, int]]


class Rule(NamedTuple):
    """One line of a QConfigMapping, without the QConfig that it gives.

    Args:
        kind: one of ``KINDS``.
        key: "" for the global rule, the name of a class, a regular expression, the name of a
            module, or, for the last kind, the triple (name of the parent, name of the class,
            which one of that class in the parent, from 0).

    >>> Rule("object_type", "Linear")
    Rule(kind='object_type', key='Linear')
    """

    kind: str
    key: Key = ""


class ModuleEntry(NamedTuple):
    """What the rules can ask of a module.

    Args:
        name: as in ``named_modules``; the model itself is "".
        type: the name of its class.
        order: how many modules of this class stand before it in its parent.
        is_leaf: it has no modules inside, and is not the model itself.
    """

    name: str
    type: str
    order: int
    is_leaf: bool


def module_entries(model: nn.Module) -> list[ModuleEntry]:
    """List a model's modules, itself among them, in order of registration.

    Raises:
        TypeError: ``model`` is not a module.

    Source: ``torch.nn.Module.named_modules``, and the way in which ``prepare_fx`` counts modules.

    >>> [entry.name for entry in module_entries(nn.Sequential(nn.Linear(1, 1), nn.ReLU()))]
    ['', '0', '1']
    """
    if not isinstance(model, nn.Module):
        raise TypeError(f"model is a {type(model).__name__}: pass a torch.nn.Module")
    seen: Counter[tuple[str, str]] = Counter()
    entries = []
    for name, module in model.named_modules():
        place = (_parent(name), type(module).__name__)
        is_leaf = name != "" and next(module.children(), None) is None
        entries.append(ModuleEntry(name, place[1], seen[place], is_leaf))
        seen[place] += 1
    return entries


def winning_rules(
    modules: Sequence[ModuleEntry], rules: Sequence[Rule], *, mode: str = "fx"
) -> dict[str, int | None]:
    """Return for each leaf which rule decides about it: its place in ``rules``, or None.

    ``"fx"`` reads the rules as ``prepare_fx`` reads a QConfigMapping: the kind of highest priority
    wins; a name stands for all modules inside too, and the longest wins; of the regular
    expressions the first that matches, from the start of the name on, wins. ``"eager"`` reads them
    as ``propagate_qconfig_`` reads a dictionary: a module takes what its name says, or else its
    class, or else what its parent took; the other kinds do not count. A later rule with the same
    kind and key replaces an earlier one.

    Fusion is left out: ``prepare_fx`` first joins a linear layer or convolution with the batch norm
    and ReLU after it, takes the first one's name for all, and raises where rules about their
    classes differ.

    Args:
        modules: from :func:`module_entries`; each leaf is called once, in that order.
        rules: in the order in which they are set.
        mode: "fx" for FX graph mode, "eager" for eager mode.

    Raises:
        TypeError: ``modules`` is not a list of entries, or ``rules`` not one of rules; a key does
            not fit its kind.
        ValueError: unknown rule kind, invalid regular expression, or unknown mode; in eager mode
            a module without the one that it lies in.

    Source: ``torch.ao.quantization.fx.qconfig_mapping_utils`` and
    ``torch.ao.quantization.propagate_qconfig_``.

    >>> model = nn.Sequential(nn.Linear(1, 1), nn.GELU())
    >>> rules = [Rule("global"), Rule("object_type", "Linear")]
    >>> winning_rules(module_entries(model), rules)
    {'0': 1, '1': 0}
    """
    check_choice(mode, "mode", MODES)
    _check_entries(modules)
    if not isinstance(rules, Sequence) or isinstance(rules, str):
        raise TypeError(f"rules is a {type(rules).__name__}: pass a list of Rule")
    by_kind: Rules = {kind: {} for kind in KINDS}
    for place, rule in enumerate(rules):
        check_rule(rule)
        by_kind[rule.kind][rule.key] = place
    leaves = [entry for entry in modules if entry.is_leaf]
    if mode == "fx":
        return {leaf.name: _winner_in_fx(leaf, by_kind) for leaf in leaves}
    types = {entry.name: entry.type for entry in modules}
    return {leaf.name: _winner_in_eager_mode(leaf.name, types, by_kind) for leaf in leaves}


def check_rule(rule: Rule) -> None:
    """Raise unless the rule is of a known kind and its key fits the kind."""
    if not isinstance(rule, Rule):
        raise TypeError(f"a rule is a {type(rule).__name__}: pass a Rule, a kind and its key")
    check_choice(rule.kind, "kind", KINDS)
    if rule.kind == "module_name_object_type_order":
        of_its_kind = isinstance(rule.key, tuple) and [type(k) for k in rule.key] == [str, str, int]
    else:
        of_its_kind = isinstance(rule.key, str)
    if not of_its_kind:
        raise TypeError(
            f"the key {rule.key!r} does not fit the kind {rule.kind}: pass a text, or for "
            "module_name_object_type_order (name of the parent, name of the class, number)"
        )
    if rule.kind == "global" and rule.key:
        raise ValueError(f"the global rule has the key {rule.key!r}, but is for all: pass none")
    if rule.kind == "module_name_regex":
        try:
            re.compile(str(rule.key))
        except re.error as error:
            raise ValueError(
                f"{rule.key!r} is not a regular expression ({error}): correct it, or name "
                "the module with the kind module_name"
            ) from error


def _check_entries(modules: Sequence[ModuleEntry]) -> None:
    if not isinstance(modules, Sequence) or not all(isinstance(m, ModuleEntry) for m in modules):
        raise TypeError(
            f"modules is a {type(modules).__name__}, but rules ask for a name, class and "
            "place: pass module_entries(model)"
        )


def _winner_in_fx(leaf: ModuleEntry, rules: Rules) -> int | None:
    place_in_parent = (_parent(leaf.name), leaf.type, leaf.order)
    if place_in_parent in rules["module_name_object_type_order"]:
        return rules["module_name_object_type_order"][place_in_parent]
    name = leaf.name
    while name:
        if name in rules["module_name"]:
            return rules["module_name"][name]
        name = _parent(name)
    for pattern, place in rules["module_name_regex"].items():
        if re.match(str(pattern), leaf.name):
            return place
    return rules["object_type"].get(leaf.type, rules["global"].get(""))


def _winner_in_eager_mode(name: str, types: dict[str, str], rules: Rules) -> int | None:
    names = rules["global"] | rules["module_name"]  # the dictionary's key "" is the model itself
    if name in names:
        return names[name]
    if name not in types:
        raise ValueError(
            f"modules lacks {repr(name) if name else 'the model itself'}, whose rule those inside "
            "take in eager mode: pass all of module_entries(model)"
        )
    if types[name] in rules["object_type"]:
        return rules["object_type"][types[name]]
    return _winner_in_eager_mode(_parent(name), types, rules) if name else None


def _parent(name: str) -> str:
    return name.rpartition(".")[0]
