"""The precedence of rules in one network, against torch's own reading of them.

The proofs compare the two for random networks and random rules.
"""

import pytest
from torch import nn

from proofs.draw import Draw
from proofs.qconfig import (
    draw_model_and_rules,
    our_winners,
    torchs_reading,
    torchs_winners,
    torchs_winners_in_eager_mode,
)
from qlearn import Rule, module_entries, winning_rules
from qlearn.calibration.qconfig import KINDS


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


# Each comes after a rule for all modules.
RULES = {
    "all": [],
    "class": [Rule("object_type", "Linear")],
    "pattern before class": [Rule("object_type", "Linear"), Rule("module_name_regex", ".*fc2")],
    "first pattern": [Rule("module_name_regex", "block"), Rule("module_name_regex", "block1$")],
    "name before pattern": [Rule("module_name", "head"), Rule("module_name_regex", "head|stem")],
    "longest name": [Rule("module_name", "block10"), Rule("module_name", "block10.0")],
    "a name is not a beginning": [Rule("module_name", "block")],
    "order before name": [
        Rule("module_name", "block1.fc2"),
        Rule("module_name_object_type_order", ("block1", "Linear", 1)),
    ],
    "the last of two": [Rule("object_type", "Linear"), Rule("object_type", "Linear")],
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("given", RULES.values(), ids=RULES)
def test_equals_torch_in_both_modes(given):
    rules = [Rule("global"), *given]
    ours = our_winners(Net(), rules, "fx")
    assert ours == torchs_winners(Net(), rules) == torchs_reading(Net(), rules)
    assert our_winners(Net(), rules, "eager") == torchs_winners_in_eager_mode(Net(), rules)


@pytest.mark.parametrize(
    ("mode", "kinds"),
    [("fx", {None, *KINDS}), ("eager", {None, "global", "object_type", "module_name"})],
)
def test_in_the_random_cases_each_kind_wins(mode, kinds):
    won = set()
    for number in range(100):
        model, rules = draw_model_and_rules(Draw(number))
        found = winning_rules(module_entries(model), rules, mode=mode)
        won |= {None if place is None else rules[place].kind for place in found.values()}
    assert won == kinds


def test_modules_are_counted_by_class_in_their_parent():
    entries = {entry.name: entry for entry in module_entries(Net())}
    assert entries["head"].order == 1 and entries["block1.fc2"].order == 1
    assert entries["block10.2"].order == 1 and not entries["block10.2"].is_leaf
    assert entries[""].type == "Net"


@pytest.mark.parametrize(
    ("rule", "mode", "message"),
    [
        (Rule("type", "Linear"), "fx", "kind must be 'global', 'object_type'.*, not 'type'"),
        (Rule("module_name_regex", "a("), "fx", r"'a\(' is not a regular expression"),
        (Rule("global", "0"), "eager", "the global rule has the key '0', but is for all"),
        (Rule("global"), "pt2e", "mode must be 'fx' or 'eager', not 'pt2e'"),
    ],
)
def test_what_cannot_be_read_is_named(rule, mode, message):
    with pytest.raises(ValueError, match=message):
        winning_rules(module_entries(Net()), [rule], mode=mode)


def test_eager_mode_asks_for_what_modules_lie_in():
    whole = module_entries(nn.Sequential(nn.Sequential(nn.ReLU())))
    for part, lacking in ((whole[2:], "'0'"), (whole[1:], "the model itself")):
        with pytest.raises(ValueError, match=f"modules lacks {lacking}.*pass all of module_entr"):
            winning_rules(part, [], mode="eager")
        assert winning_rules(part, []) == {"0.0": None}


@pytest.mark.parametrize(
    ("modules", "rules", "message"),
    [
        (nn.ReLU(), [], r"modules is a ReLU.*pass module_entries\(model\)"),
        ([], Rule("global"), "a rule is a str"),
        ([], 3, "rules is a int: pass a list of Rule"),
        ([], ["Linear"], "a rule is a str: pass a Rule"),
        ([], [Rule("module_name", 3)], "the key 3 .*pass a text"),
        ([], [Rule("module_name_object_type_order", ("a", "Linear"))], "pass a text, or for"),
    ],
    ids=["modules", "one rule", "a number", "a name", "key", "triple"],
)
def test_what_is_no_entry_or_rule_is_named(modules, rules, message):
    with pytest.raises(TypeError, match=message):
        winning_rules(modules, rules)


def test_what_is_no_module_is_named():
    with pytest.raises(TypeError, match=r"model is a list: pass a torch\.nn\.Module"):
        module_entries([nn.ReLU()])
