"""QConfig: which rule reaches a layer in eager mode, and what a shared observer costs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import torch
from torch import Tensor

from qlearn.calibration.qconfig import ModuleEntry, Rule, winning_rules
from qlearn.course.exercises.exercise import Case, Exercise, nowhere, one, one_number

Rules = Mapping[str, int]
FLOAT = 32


def names_of(name: str) -> list[str]:
    """Return the name of a layer and those of the modules that it is in, the own one first."""
    parts = name.split(".")
    return [".".join(parts[:count]) for count in range(len(parts), 0, -1)]


def bits_in_eager_mode(name: str, kind: str, rules: Rules) -> int:
    """Return what :func:`qlearn.winning_rules` finds in a network with this layer alone."""
    around = [ModuleEntry(each, "Block", 0, is_leaf=False) for each in ["", *names_of(name)[:0:-1]]]
    kinds = {"": "global", kind: "object_type"}
    given = [Rule(kinds.get(key, "module_name"), key) for key in rules]
    won = winning_rules([*around, ModuleEntry(name, kind, 0, is_leaf=True)], given, mode="eager")
    place = won[name]
    return FLOAT if place is None else list(rules.values())[place]


def by(keys: Callable[[str, str], Sequence[str]]) -> Callable[[str, str, Rules], int]:
    """Return the reading in which the first of these keys that has a rule decides."""

    def bits(name: str, kind: str, rules: Rules) -> int:
        return next((rules[key] for key in keys(name, kind) if key in rules), FLOAT)

    return bits


def by_beginning(name: str, kind: str, rules: Rules) -> int:
    """Take for a parent whatever name the layer's name begins with."""
    for key in (name, kind):
        if key in rules:
            return rules[key]
    longest = max((key for key in rules if name.startswith(key)), key=len, default=None)
    return FLOAT if longest is None else rules[longest]


BITS_IN_EAGER_MODE = Exercise(
    name="bits_in_eager_mode",
    call="bits_in_eager_mode(name, kind, rules)",
    task="the bits that a layer gets, a number; 32 where it gets no rule",
    drive=one_number("bits"),
    right=bits_in_eager_mode,
    cases=(
        Case("a rule for all", ("head", "Linear", {"": 8})),
        Case("a rule for the class", ("head", "Linear", {"": 8, "Linear": 4})),
        Case("a rule for the name", ("head", "Linear", {"": 8, "Linear": 4, "head": 2})),
        Case("a rule for the parent", ("block1.act", "GELU", {"": 8, "block1": 3})),
        Case(
            "a rule for the class and one for the parent",
            ("block1.fc1", "Linear", {"": 8, "Linear": 4, "block1": 3}),
        ),
        Case("a rule for the parent's parent", ("body.block1.act", "GELU", {"": 8, "body": 5})),
        Case(
            "rules for both, parent and parent's parent",
            ("body.block1.act", "GELU", {"body": 5, "": 8, "body.block1": 3}),
        ),
        Case("a parent that stays in float32", ("block1.act", "GELU", {"": 8, "block1": 32})),
        Case(
            "a rule for `block1` and a layer in `block10`",
            ("block10.fc1", "Linear", {"": 8, "block1": 3}),
        ),
        Case("no rule that matches", ("block1.fc1", "Linear", {"GELU": 8, "block2": 3})),
    ),
    mistakes={
        "You let the name of a parent beat the class. That is FX: in eager mode the class of a "
        "layer comes before what its parent took.": by(lambda n, kind: [*names_of(n), kind, ""]),
        "You ask for the class first: the own name of a layer comes before its class.": (
            by(lambda n, kind: [kind, *names_of(n), ""])
        ),
        "You do not ask for the parents, or you ask for the rule for all before them. What the "
        "parent took comes first.": by(lambda n, kind: [n, kind, "", *names_of(n)]),
        "You ask for the nearest parent alone. Where that has no rule, it took what its own parent "
        "took.": by(lambda n, kind: [n, kind, *names_of(n)[:2], ""]),
        "You begin with the outermost module: the nearest parent decides.": (
            by(lambda n, kind: [n, kind, *names_of(n)[::-1], ""])
        ),
        "You compare how names begin, and `block10` begins as `block1` does: the name of a parent "
        "ends at a dot.": by_beginning,
    },
    hints=(
        "What does the layer's parent get? That is the same question, with another name.",
        '`name.rpartition(".")[0]` is the name of the parent, and "" is that of the whole network.',
    ),
    praise="So the network at the top of the page got three bits in its first block.",
    place=nowhere,
)


def codes_of(x: Tensor, low: Tensor, high: Tensor) -> Tensor:
    """Return the codes 0 … 255 on the affine ruler from the one end to the other."""
    scale = (high - low) / 255
    return (torch.round(x / scale) - torch.round(low / scale)).clamp(0, 255)


def count_with(ends: Callable[[Sequence[Tensor]], tuple[Tensor, Tensor]]) -> Callable[..., Tensor]:
    """Return the function that counts each layer's codes on a ruler with these ends."""

    def counts(outputs: Sequence[Tensor]) -> Tensor:
        low, high = ends(outputs)
        return torch.tensor([codes_of(x, low, high).unique().numel() for x in outputs])

    return counts


def with_zero(x: Tensor) -> tuple[Tensor, Tensor]:
    """Return the ends of the numbers, and of 0."""
    return x.min().clamp(max=0), x.max().clamp(min=0)


different_codes = count_with(lambda outputs: with_zero(torch.cat(tuple(outputs))))


def of_each(outputs: Sequence[Tensor]) -> Tensor:
    """Give each layer an observer of its own."""
    return torch.cat([different_codes([x]) for x in outputs])


def without_rounding(outputs: Sequence[Tensor]) -> Tensor:
    """Count the numbers that differ, and not their codes."""
    return torch.tensor([x.unique().numel() for x in outputs])


def how_many(outputs: Sequence[Tensor]) -> Tensor:
    """Count all codes, the same ones as well."""
    return torch.tensor([x.numel() for x in outputs])


def cut_off(outputs: Sequence[Tensor]) -> Tensor:
    """Cut the fraction of a step off."""
    low, high = with_zero(torch.cat(tuple(outputs)))
    scale = (high - low) / 255
    return torch.tensor([torch.trunc(x / scale).unique().numel() for x in outputs])


PAGE = torch.tensor([-1.0, -0.3, 0.0, 0.3, 1.0])
EVEN = torch.arange(1, 41) / 40

DIFFERENT_CODES = Exercise(
    name="different_codes",
    call="different_codes(outputs)",
    task="a tensor with one number for each layer: how many different codes its outputs get",
    drive=one("counts"),
    right=different_codes,
    cases=(
        Case("the two layers of the page", ([PAGE, 100 * PAGE],)),
        Case("the large layer first", ([100 * PAGE, PAGE],)),
        Case("three layers", ([EVEN, 7.3 * EVEN, 61 * EVEN],)),
        Case("outputs far above 0", ([10 + EVEN, 10.5 + 0.1 * EVEN],)),
        Case("a number that comes twice", ([torch.tensor([1.0, 1.0, 3.0]), 2 * PAGE],)),
    ),
    mistakes={
        "You give each layer an observer of its own. Here all of them share one.": of_each,
        "Your observer knows the last layer alone: it keeps the range of all.": (
            count_with(lambda outputs: with_zero(outputs[-1]))
        ),
        "Your observer knows the first layer alone: it keeps the range of all.": (
            count_with(lambda outputs: with_zero(outputs[0]))
        ),
        "Your range does not include 0: an observer stretches it.": (
            count_with(lambda outputs: torch.cat(tuple(outputs)).aminmax())
        ),
        "You count the different numbers: two of them may get the same code.": without_rounding,
        "You count each code as often as it comes.": how_many,
        "You cut the fraction of a step off: the nearest code may be the next one.": cut_off,
    },
    hints=(
        "First one range for all outputs, with 0 in it. How long is a step, if it has 255 of them?",
        "`torch.cat` makes one tensor of all outputs, `choose_qparams` takes the two ends, and "
        "`codes.unique().numel()` counts.",
    ),
    praise="Five different numbers become three codes, because of another layer.",
    place=lambda args, index: f"layer {index[0]}",
    any_integer=frozenset({"counts"}),
)

EXERCISES = (BITS_IN_EAGER_MODE, DIFFERENT_CODES)
