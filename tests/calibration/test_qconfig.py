"""The precedence of rules, against torch's own reading of them."""

import random
import warnings
from itertools import product

import pytest
import torch
from torch import nn
from torch.ao.quantization import (
    QConfig,
    QConfigMapping,
    default_weight_observer,
    propagate_qconfig_,
    qconfig_equals,
)
from torch.ao.quantization.observer import MinMaxObserver
from torch.ao.quantization.quantize_fx import prepare_fx

from qlearn.calibration.qconfig import KINDS, Rule, module_entries, winning_rules

LETTERS = "ABCDEFGH"
# Told apart by the range of their codes
QCONFIGS = [
    QConfig(MinMaxObserver.with_args(quant_min=0, quant_max=100 + i), default_weight_observer)
    for i in range(len(LETTERS))
]
CLASSES = {"Linear": nn.Linear, "GELU": nn.GELU, "Tanh": nn.Tanh}


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(2, 2)
        self.act = nn.GELU()
        self.fc2 = nn.Linear(2, 2)

    def forward(self, x):
        return x + self.fc2(self.act(self.fc1(x)))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Linear(2, 2)
        self.block1 = Block()
        self.block10 = nn.Sequential(Block(), nn.Tanh(), Block())
        self.head = nn.Linear(2, 2)

    def forward(self, x):
        return self.head(self.block10(self.block1(self.stem(x))))


CLASSES |= {"Block": Block, "Sequential": nn.Sequential, "Net": Net}
NAMES = [name for name, _ in Net().named_modules()] + ["fc2", "block"]
PATTERNS = ["fc2", ".*fc2", "block", "block1$", r"block10\.[02]", "head|stem", r".*\.\w+1", ""]


def random_key(kind: str, choose: random.Random):
    order = (choose.choice(NAMES[:-2]), choose.choice(list(CLASSES)), choose.randrange(3))
    return {
        "global": "",
        "object_type": choose.choice(list(CLASSES)),
        "module_name_regex": choose.choice(PATTERNS),
        "module_name": choose.choice(NAMES),
        "module_name_object_type_order": order,
    }[kind]


def random_rules(seed: int) -> list[Rule]:
    """Up to eight rules; now and then one of the same kind and key as another."""
    choose = random.Random(seed)
    kinds = choose.choices(KINDS, k=choose.randrange(len(LETTERS) + 1))
    return [Rule(kind, random_key(kind, choose)) for kind in kinds]


def as_torch_has_it(kind: str, key):
    if kind == "object_type":
        return (CLASSES[key],)
    if kind == "module_name_object_type_order":
        return (key[0], CLASSES[key[1]], key[2])
    return (key,) if kind != "global" else ()


def torchs_mapping(rules: list[Rule]) -> QConfigMapping:
    mapping = QConfigMapping()
    for rule, qconfig in zip(rules, QCONFIGS, strict=False):
        getattr(mapping, f"set_{rule.kind}")(*as_torch_has_it(*rule), qconfig)
    return mapping


def place_of(qconfig) -> int | None:
    places = [i for i, known in enumerate(QCONFIGS) if qconfig_equals(known, qconfig)]
    assert qconfig is None or len(places) == 1
    return places[0] if places else None


def torchs_winners_in_fx(rules: list[Rule]) -> dict[str, int | None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        prepared = prepare_fx(Net().eval(), torchs_mapping(rules), (torch.zeros(1, 2),))
    return {name: place_of(prepared.get_submodule(name).qconfig) for name in leaves()}


def torchs_winners_in_eager_mode(rules: list[Rule]) -> dict[str, int | None]:
    mapping = torchs_mapping(rules)
    dictionary = {"": mapping.global_qconfig} if any(r.kind == "global" for r in rules) else {}
    model = Net()
    propagate_qconfig_(
        model, dictionary | mapping.object_type_qconfigs | mapping.module_name_qconfigs
    )
    return {name: place_of(model.get_submodule(name).qconfig) for name in leaves()}


def leaves() -> list[str]:
    return [name for name, module in Net().named_modules() if not list(module.children())]


@pytest.mark.parametrize("first", range(0, 400, 40))
def test_equals_prepare_fx(first):
    for seed in range(first, first + 40):
        rules = random_rules(seed)
        found = winning_rules(module_entries(Net()), rules)
        assert found == torchs_winners_in_fx(rules), rules


def test_equals_propagate_qconfig():
    for seed in range(400):
        rules = random_rules(seed)
        found = winning_rules(module_entries(Net()), rules, reader="eager")
        assert found == torchs_winners_in_eager_mode(rules), rules


def test_the_random_rules_meet_every_kind():
    won = [set(), set()]
    for seed, (i, reader) in product(range(40), enumerate(("fx", "eager"))):
        rules = random_rules(seed)
        found = winning_rules(module_entries(Net()), rules, reader=reader)
        won[i] |= {None if at is None else rules[at].kind for at in found.values()}
    assert won == [{None, *KINDS}, {None, "global", "object_type", "module_name"}]


def test_modules_are_counted_by_class_in_their_parent():
    entries = {entry.name: entry for entry in module_entries(Net())}
    assert entries["head"].order == 1 and entries["block1.fc2"].order == 1
    assert entries["block10.2"].order == 1 and not entries["block10.2"].is_leaf
    assert entries[""].type == "Net"


@pytest.mark.parametrize(
    ("rule", "reader", "message"),
    [
        (Rule("type", "Linear"), "fx", "kind is 'type'.*pass 'global', 'object_type'"),
        (Rule("module_name_regex", "a("), "fx", r"'a\(' is no regular expression"),
        (Rule("global"), "pt2e", "reader is 'pt2e'.*pass 'fx', 'eager'"),
    ],
)
def test_what_cannot_be_read_is_named(rule, reader, message):
    with pytest.raises(ValueError, match=message):
        winning_rules(module_entries(Net()), [rule], reader=reader)
