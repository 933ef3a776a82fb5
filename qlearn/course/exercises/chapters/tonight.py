"""Quantize a model tonight: four bits in groups by hand, and two codes out of each byte."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from qlearn.course.digits.vit import trained_digits_vit
from qlearn.course.exercises.exercise import Case, Exercise, at_row_and_column, one, several

Pair = tuple[Tensor, Tensor]


def in_groups(weight: Tensor, size: int) -> Tensor:
    """Return each group in a row of its own, the groups of a row one after the other."""
    return weight.reshape(len(weight), -1, size)


def by_rule(
    steps: float = 7.5,
    sizes: Callable[[Tensor], Tensor] = torch.abs,
    rounded: Callable[[Tensor], Tensor] = torch.round,
    ends: tuple[int, int] = (-8, 7),
    divide: bool = False,
) -> Callable[[Tensor, int], Pair]:
    """Return a function that quantizes in groups, by torchao's rule or one that is near it."""

    def quantized(weight: Tensor, size: int) -> Pair:
        groups = in_groups(weight, size)
        scales = sizes(groups).amax(dim=2, keepdim=True) / steps
        counted = groups / scales if divide else groups * (1 / scales)
        codes = rounded(counted).clamp(*ends).to(torch.int8)
        return scales[..., 0], codes.reshape(weight.shape)

    return quantized


four_bit_codes = by_rule()


def of_the_row(weight: Tensor, size: int) -> Pair:
    """Give all groups of a row the scale of the whole row."""
    scales, codes = four_bit_codes(weight, weight.shape[1])
    return scales.expand(-1, weight.shape[1] // size), codes


def far_apart(weight: Tensor, size: int) -> Pair:
    """Put weights into a group that are no neighbours."""
    mixed = weight.reshape(len(weight), size, -1).transpose(1, 2)
    scales, codes = four_bit_codes(mixed.reshape(weight.shape), size)
    back = codes.reshape(mixed.shape).transpose(1, 2)
    return scales, back.reshape(weight.shape)


def of_the_range(weight: Tensor, size: int) -> Pair:
    """Let the ruler be as long as the range."""
    groups = in_groups(weight, size)
    scales = (groups.amax(2, True) - groups.amin(2, True)) / 15
    codes = (groups * (1 / scales)).round().clamp(-8, 7).to(torch.int8)
    return scales[..., 0], codes.reshape(weight.shape)


def upside_down(weight: Tensor, size: int) -> Pair:
    """Return the steps in a unit instead of the length of a step."""
    scales, codes = four_bit_codes(weight, size)
    return 1 / scales, codes


# The scales are 0.5 and 0.125, which floats hold exactly.
ONE_ROW = torch.tensor([[3.75, -1.2, 0.3, 0.8, -0.9375, 0.1, 0.4, 0.2]])
THREE_ROWS = torch.tensor(
    [
        [-1.875, 0.6, 1.1, -0.4, 0.2, 0.9375],
        [0.3, 7.5, -4.1, -0.46875, 0.11, 0.27],
        [-0.05, 0.2, -0.234375, 2.2, -3.75, 1.4],
    ]
)


def trained() -> Tensor:
    """Return the weights of the ViT's last layer."""
    return trained_digits_vit().head.weight.detach()


FOUR_BIT_CODES = Exercise(
    name="four_bit_codes",
    call="four_bit_codes(weight, size)",
    task="the scales, a row for each row of weights, and the codes in int8",
    drive=several("scales", "codes"),
    right=four_bit_codes,
    cases=lambda: (
        Case("one row in two groups of four", (ONE_ROW, 4)),
        Case("three rows in groups of three", (THREE_ROWS, 3)),
        Case("the last layer of the ViT, in groups of 32", (trained(), 32)),
    ),
    mistakes={
        "You give 127.5 steps to the largest weight. That is for eight bits: how many steps are "
        "there from −8 to 7?": by_rule(127.5),
        "You give 127.5 steps to the largest weight. That is for eight bits, and its codes need a "
        "whole byte.": by_rule(127.5, ends=(-128, 127)),
        "You give 7 steps to the largest weight, and from −8 to 7 there are 15: half of them is "
        "more than 7.": by_rule(7),
        "You give 8 steps to the largest weight, and from −8 to 7 there are 15: half of them is "
        "less than 8.": by_rule(8),
        "You give all 15 steps to the largest weight. The rule gives it half of them, because "
        "weights lie on both sides of 0.": by_rule(15),
        "A group's weight of the largest size can lie below 0: take the sizes first.": by_rule(
            sizes=lambda groups: groups
        ),
        "Your scale comes from the distance between the smallest and the largest weight. The rule "
        "looks at the largest size alone.": of_the_range,
        "All groups of a row have the same scale. Each has its own largest weight.": of_the_row,
        "Your groups hold weights that are no neighbours.": far_apart,
        "You turned the scale around: it is the distance between two marks.": upside_down,
        "Your codes are cut off. Round to the nearest first.": by_rule(rounded=torch.trunc),
        "Your codes are rounded down. Take the nearest.": by_rule(rounded=torch.floor),
        "Some of your codes are 8, beyond the last mark: clamp them.": by_rule(ends=(-8, 8)),
        "You keep the codes from −7 to 7. There is a code −8, too.": by_rule(ends=(-7, 7)),
        "You divide by the scale. torchao multiplies by 1 / scale, and where a weight lies in the "
        "middle between two marks, the last bits choose its code.": by_rule(divide=True),
    },
    hints=(
        "weight.reshape(len(weight), -1, size) puts each group into a row of its own.",
        "amax(dim=2, keepdim=True) finds the largest of each group, and a step is that divided by "
        "7.5. For the rest look at the four lines of the page.",
    ),
    praise="Your codes and scales are those of torchao's `IntxWeightOnlyConfig`.",
    place=at_row_and_column,
)


def halves(pairs: Tensor) -> Pair:
    """Return the lower and the upper halves, with their signs."""
    return pairs << 4 >> 4, pairs >> 4


def side_by_side(lower: Tensor, upper: Tensor) -> Tensor:
    """Return the two codes of each byte as neighbours."""
    return torch.stack([lower, upper], dim=2).flatten(1)


def unpacked(pairs: Tensor) -> Tensor:
    """Return the codes as they were before they were packed."""
    return side_by_side(*halves(pairs))


def packed(codes: list[list[int]]) -> Tensor:
    """Return two codes in each byte, as the page packs them."""
    table = torch.tensor(codes, dtype=torch.int8)
    return (table[:, 0::2] & 15) | (table[:, 1::2] << 4)


def all_pairs() -> Tensor:
    """Return each byte once, in sixteen rows."""
    return torch.arange(-128, 128).to(torch.int8).reshape(16, 16)


UNPACKED = Exercise(
    name="unpacked",
    call="unpacked(pairs)",
    task="the codes in int8, two for each byte",
    drive=one("codes"),
    right=unpacked,
    cases=lambda: (
        Case("the byte of 3 and 5", (packed([[3, 5]]),)),
        Case("the bytes of 3, 5, −2 and −8", (packed([[3, 5, -2, -8]]),)),
        Case("two rows", (packed([[1, 2, 3, 4], [-5, 6, 7, -1]]),)),
        Case("every byte", (all_pairs(),)),
    ),
    mistakes={
        "The upper half comes first in your pairs. `packed` puts the first code into the lower "
        "half.": lambda pairs: side_by_side(*halves(pairs)[::-1]),
        "All your lower halves come before the upper ones. The two codes of a byte are "
        "neighbours.": lambda pairs: torch.cat(halves(pairs), dim=1),
        "Your lower halves have lost their sign: `& 15` makes numbers from 0 to 15.": (
            lambda pairs: side_by_side(pairs & 15, pairs >> 4)
        ),
        "Your upper halves have lost their sign: leave `& 15` out there.": (
            lambda pairs: side_by_side(pairs << 4 >> 4, pairs >> 4 & 15)
        ),
        "All your codes have lost their sign: `& 15` makes numbers from 0 to 15.": (
            lambda pairs: side_by_side(pairs & 15, pairs >> 4 & 15)
        ),
        "Your lower halves still stand in the upper half of the byte: shift them back.": (
            lambda pairs: side_by_side(pairs << 4, pairs >> 4)
        ),
        "Your lower halves still have the upper half above them.": (
            lambda pairs: side_by_side(pairs, pairs >> 4)
        ),
    },
    hints=(
        "`pairs >> 4` is the upper half with its sign. Where would the lower half have to be, so "
        "that the same shift keeps its sign?",
        "Shift up, then down: `pairs << 4 >> 4`. torch.stack(..., dim=2).flatten(1) puts two "
        "tables side by side, code by code.",
    ),
    praise="No code is lost, whatever its sign.",
    place=at_row_and_column,
)

EXERCISES = (FOUR_BIT_CODES, UNPACKED)
