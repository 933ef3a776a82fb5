"""Step 8: four bits, with a scale for each group of neighbours."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from qlearn.course.exercises.exercise import Case, Exercise, Parts, WrongError
from qlearn.course.exercises.tinyquant import choose, quantize
from qlearn.course.exercises.tinyquant.ruler import Ruler


def right(
    w: Tensor,
    bits: int,
    group_size: int,
    *,
    half: float = 0.5,
    one_sided: bool = False,
    width: int = 0,
) -> tuple[Tensor, Tensor]:
    """Return codes and scales as torchao does; what comes last makes known mistakes."""
    groups = w.reshape(len(w), -1, group_size)
    low, high = groups.amin(2, keepdim=True), groups.amax(2, keepdim=True)
    last = 2 ** (bits - 1) - 1
    made = choose.right(-high if one_sided else low, high, -last - 1, last, symmetric=True)
    if half != 0.5:
        made = made._replace(scale=made.scale * (last + 0.5) / (last + half))
    made = made._replace(quant_min=made.quant_min - width, quant_max=last + width)
    return quantize.right(groups, made).reshape(w.shape), made.scale.squeeze(2)


def with_options(**options: Any) -> Any:
    """Return the function with a mistake."""
    return lambda *args: right(*args, **options)


def whole_rows(w: Tensor, bits: int, group_size: int) -> tuple[Tensor, Tensor]:
    """Take one scale for each row."""
    codes, scales = right(w, bits, w.shape[1])
    return codes, scales.expand(len(w), w.shape[1] // group_size)


def down_the_columns(w: Tensor, bits: int, group_size: int) -> tuple[Tensor, Tensor]:
    """Join the numbers below each other."""
    turned = w.T.reshape(len(w), -1)
    codes, scales = right(turned, bits, group_size)
    return codes.reshape(w.T.shape).T, scales


def down_the_columns_unturned(w: Tensor, bits: int, group_size: int) -> tuple[Tensor, Tensor]:
    """Join the numbers below each other, and leave the codes in that order."""
    codes, scales = right(w.T.reshape(len(w), -1), bits, group_size)
    return codes, scales


def always_four_bits(w: Tensor, _: int, group_size: int) -> tuple[Tensor, Tensor]:
    """Take four bits for granted."""
    return right(w, 4, group_size)


def one_bit_more(w: Tensor, bits: int, group_size: int) -> tuple[Tensor, Tensor]:
    """Count the codes of each sign by all bits."""
    return right(w, bits + 1, group_size)


def without_brackets(w: Tensor, bits: int, group_size: int) -> tuple[Tensor, Tensor]:
    """Write 2 ** bits - 1 for 2 ** (bits - 1)."""
    groups, half = w.reshape(len(w), -1, group_size), 2**bits - 1
    ends = groups.amin(2, keepdim=True), groups.amax(2, keepdim=True)
    made = choose.right(*ends, -half, half - 1, symmetric=True)
    return quantize.right(groups, made).reshape(w.shape), made.scale.squeeze(2)


def interleaved(w: Tensor, bits: int, group_size: int) -> tuple[Tensor, Tensor]:
    """Join every k-th number of a row."""
    count = w.shape[1] // group_size
    turned = w.reshape(len(w), group_size, count).transpose(1, 2).reshape(w.shape)
    codes, scales = right(turned, bits, group_size)
    back = codes.reshape(len(w), count, group_size).transpose(1, 2).reshape(w.shape)
    return back, scales


def affine(w: Tensor, bits: int, group_size: int) -> tuple[Tensor, Tensor]:
    """Give each group a zero point."""
    groups = w.reshape(len(w), -1, group_size)
    last = 2 ** (bits - 1) - 1
    ends = groups.amin(2, keepdim=True), groups.amax(2, keepdim=True)
    made = choose.right(*ends, -last - 1, last)
    return quantize.right(groups, made).reshape(w.shape), made.scale.squeeze(2)


def divided(w: Tensor, bits: int, group_size: int) -> tuple[Tensor, Tensor]:
    """Divide by the scales."""
    scales = right(w, bits, group_size)[1]
    steps = torch.round(w.reshape(len(w), -1, group_size) / scales[:, :, None])
    half = 2 ** (bits - 1)
    return steps.clamp(-half, half - 1).to(torch.int8).reshape(w.shape), scales


def drive(subject: Any, w: Tensor, bits: int, group_size: int) -> Parts:
    """Return codes and scales.

    Raises:
        WrongError: it is no pair.
    """
    made = subject(w, bits, group_size)
    if made is None or made is Ellipsis:
        return {"codes": None}
    if not (isinstance(made, tuple | list) and len(made) == 2):
        raise WrongError("Return a pair: `return codes, scales`.")
    codes, scales = made
    if isinstance(scales, Ruler) or hasattr(scales, "scale"):
        raise WrongError(
            "Return the scales, not the whole ruler: `return codes, scales`, in the shape "
            "(rows, groups)."
        )
    return {"codes": codes, "scales": scales}


def place(args: tuple[Any, ...], index: tuple[int, ...]) -> str:
    """Name a place by row and column, which is that of the group for a scale."""
    return f"row {index[0]}, column {index[1]}"


NUMBERS = torch.tensor(
    [[7.5, 1.0, -7.5, 3.0, 0.1, -0.2, 0.05, 0.0], [0.0, 0.0, 0.0, 0.0, -30.0, 2.0, 9.0, 12.0]]
)

QUANTIZE_GROUPS = Exercise(
    name="quantize_groups",
    call="quantize_groups(w, bits, group_size)",
    task="the pair (codes, scales): int8 codes in the shape of w, and a scale for each group in "
    "the shape (rows, groups)",
    drive=drive,
    right=right,
    cases=(
        Case("one group", (torch.tensor([[3.75, 1.0, -2.0, -0.3]]), 4, 4)),
        Case("a negative largest number", (torch.tensor([[-6.0, 1.1, 2.0, 4.9]]), 4, 4)),
        Case("two rows of two groups", (NUMBERS, 4, 4)),
        Case("groups of two and three bits", (NUMBERS, 3, 2)),
        Case("eight bits", (NUMBERS * 0.37, 8, 8)),
        # -3.29 / (3.29 / 7.5) is -7.5, and -3.29 times the rounded reciprocal is a little nearer.
        Case("a group that begins with -3.29", (torch.tensor([[-3.29, 1.0, 2.0, 0.5]]), 4, 4)),
    ),
    mistakes={
        "Your ruler begins at -7, or you divide by 7. It begins at -8, and half of its 15 steps is "
        "7.5.": with_options(half=0.0),
        "You divide by 8: from the first to the last code lie 15 steps, and half of them is "
        "7.5.": with_options(half=1.0),
        "You look at the largest number alone: a negative one may be farther from 0.": with_options(
            one_sided=True
        ),
        "Your codes leave the range of the bits: four bits end at -8 and 7.": with_options(width=1),
        "You take one scale for a whole row: each group of neighbours has its own.": whole_rows,
        "Your groups lie along the columns: neighbours in a row make a group.": down_the_columns,
        "Your groups lie along the columns, for you transpose w: neighbours in a row make a "
        "group.": down_the_columns_unturned,
        "Your codes have four bits always: count them by `bits`.": always_four_bits,
        "Your codes have one bit too many: with b bits they go from -2^(b - 1) to 2^(b - 1) - 1.": (
            one_bit_more
        ),
        "Your codes go too far: Python reads 2 ** bits - 1 as (2 ** bits) - 1, so it needs "
        "brackets.": without_brackets,
        "Your groups take every k-th number of a row: reshape to (rows, groups, group_size), so "
        "that neighbours stay together.": interleaved,
        "You divide by the scale. PyTorch multiplies by 1 / scale, which is rounded: your quantize "
        "does so.": divided,
        "Your groups have zero points: choose symmetric rulers.": affine,
    },
    hints=(
        "reshape makes the groups, and the last axis is then the one to take the ends over.",
        "With keepdim=True the scales fit the groups, and your choose and quantize do the rest.",
    ),
    praise=(
        "Codes and scales are those of torchao's IntxWeightOnlyConfig with symmetric groups. Only "
        "where all of a group is nearly 0 does torchao go below your smallest scale."
    ),
    place=place,
)
