"""Step 2: choose scale and zero point for a range."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from qlearn.course.exercises.exercise import Case, Exercise, Parts
from qlearn.course.exercises.tinyquant.ruler import Ruler, parts_of_ruler

CALL = "choose(low, high, quant_min, quant_max, symmetric=False)"
EPS = torch.finfo(torch.float32).eps


def right(
    low: Tensor,
    high: Tensor,
    quant_min: int,
    quant_max: int,
    symmetric: bool = False,
    *,
    steps: float = 0,
    stretched: bool = True,
    eps: float = EPS,
) -> Ruler:
    """Return the ruler that torch's observers choose; the last three make known mistakes."""
    if stretched:
        low, high = low.clamp(max=0.0), high.clamp(min=0.0)
    codes = quant_max - quant_min + steps
    if symmetric:
        scale = (torch.maximum(-low, high) / (codes / 2)).clamp(min=eps)
        return Ruler(scale, torch.zeros_like(scale, dtype=torch.int32), quant_min, quant_max)
    scale = ((high - low) / codes).clamp(min=eps)
    zero_point = quant_min - torch.round(low / scale)
    zero_point = zero_point.clamp(quant_min, quant_max).to(torch.int32)
    return Ruler(scale, zero_point, quant_min, quant_max)


def drive(subject: Any, *args: Any) -> Parts:
    """Return the parts of the ruler."""
    return parts_of_ruler(subject(*args), CALL)


def moved(change: Any) -> Any:
    """Return the function that chooses another zero point, of the true ruler and the low end."""

    def choose(
        low: Tensor, high: Tensor, quant_min: int, quant_max: int, symmetric: bool = False
    ) -> Ruler:
        made = right(low, high, quant_min, quant_max, symmetric)
        if symmetric:
            return made
        return made._replace(zero_point=change(made, low.clamp(max=0.0)).to(torch.int32))

    return choose


def clamped(zero_point: Tensor, made: Ruler) -> Tensor:
    """Return a zero point that is a code of the ruler."""
    return zero_point.clamp(made.quant_min, made.quant_max)


def with_options(**options: Any) -> Any:
    """Return the function with a mistake."""
    return lambda *args: right(*args, **options)


def one_sided(
    low: Tensor, high: Tensor, quant_min: int, quant_max: int, symmetric: bool = False
) -> Ruler:
    """Take the largest number for the largest size."""
    return right(torch.zeros_like(low) if symmetric else low, high, quant_min, quant_max, symmetric)


def one_for_all(low: Tensor, high: Tensor, *codes: Any) -> Ruler:
    """Make one ruler of all rows."""
    made = right(low.min(), high.max(), *codes)
    return made._replace(scale=made.scale.expand_as(low), zero_point=made.zero_point.expand_as(low))


def by_largest_code(
    low: Tensor, high: Tensor, quant_min: int, quant_max: int, symmetric: bool = False
) -> Ruler:
    """Divide by 127 where PyTorch divides by 127.5."""
    made = right(low, high, quant_min, quant_max, symmetric)
    return (
        made._replace(scale=made.scale * ((quant_max - quant_min) / 2 / quant_max))
        if (symmetric)
        else made
    )


def always_eight_bits(
    low: Tensor, high: Tensor, quant_min: int, quant_max: int, symmetric: bool = False
) -> Ruler:
    """Divide by 127.5 for fewer bits, too."""
    made = right(low, high, quant_min, quant_max, symmetric)
    if not symmetric:
        return made
    return made._replace(scale=made.scale * ((quant_max - quant_min) / 255))


def never_symmetric(low: Tensor, high: Tensor, quant_min: int, quant_max: int, _: Any = 0) -> Ruler:
    """Ignore the last argument."""
    return right(low, high, quant_min, quant_max)


def with_eps_added(*args: Any) -> Ruler:
    """Add the smallest scale to each."""
    made = right(*args)
    return made._replace(scale=right(*args, eps=0.0).scale + EPS)


def times_the_reciprocal(
    low: Tensor, high: Tensor, quant_min: int, quant_max: int, symmetric: bool = False
) -> Ruler:
    """Multiply the range by 1 / steps, which is rounded."""
    made = right(low, high, quant_min, quant_max, symmetric)
    low, high = low.clamp(max=0.0), high.clamp(min=0.0)
    size, steps = high - low, torch.tensor(float(quant_max - quant_min))
    if symmetric:
        size, steps = torch.maximum(-low, high), steps / 2
    return made._replace(scale=(size * (1 / steps)).clamp(min=EPS))


def only_zero_replaced(low: Tensor, high: Tensor, *options: Any) -> Ruler:
    """Raise a scale of 0 alone."""
    return right(low, high, *options, eps=0.0 if low.any() or high.any() else EPS)


def symmetric_without_eps(*args: Any) -> Ruler:
    """Keep the scale above 0 for affine rulers alone."""
    return right(*args, eps=0.0) if len(args) > 4 and args[4] else right(*args)


def raised_too_late(*args: Any) -> Ruler:
    """Raise the scale after the zero point was computed from it."""
    made = right(*args, eps=0.0)
    return made._replace(scale=made.scale.clamp(min=EPS))


def divided_by_two_again(*args: Any) -> Ruler:
    """Write size / steps / 2."""
    made = right(*args)
    return made._replace(scale=made.scale / 4) if len(args) > 4 and args[4] else made


def pair(low: float, high: float) -> tuple[Tensor, Tensor]:
    """Return the ends of a range as tensors."""
    return torch.tensor(low), torch.tensor(high)


ROWS = torch.tensor([[-1.0], [-4.0]]), torch.tensor([[2.0], [1.0]])

CHOOSE = Exercise(
    name="choose",
    call=CALL,
    task="a Ruler whose scale and zero point fit numbers from low to high",
    drive=drive,
    right=right,
    cases=(
        Case("a range from -0.7 to 1.541 and codes from 0 to 255", (*pair(-0.7, 1.541), 0, 255)),
        Case(
            "a range from -2.179 to 1.541 and codes from -128 to 127",
            (*pair(-2.179, 1.541), -128, 127),
        ),
        Case("a range from 10 to 11, which lacks 0", (*pair(10.0, 11.0), 0, 255)),
        Case("a range from -11 to -10, which lacks 0", (*pair(-11.0, -10.0), 0, 255)),
        Case("a symmetric ruler for -2.179 to 1.541", (*pair(-2.179, 1.541), -128, 127, True)),
        Case("a symmetric ruler for 0 to 3 and the codes -8 to 7", (*pair(0.0, 3.0), -8, 7, True)),
        Case("numbers that are all 0", (*pair(0.0, 0.0), 0, 255)),
        Case("numbers that are all 0 on a symmetric ruler", (*pair(0.0, 0.0), -128, 127, True)),
        Case("a range from 0 to 0.000001", (*pair(0.0, 1e-6), 0, 255)),
        Case("a range from -0.000001 to 0", (*pair(-1e-6, 0.0), 0, 255)),
        Case("a symmetric ruler for 0 to 0.000001", (*pair(0.0, 1e-6), -128, 127, True)),
        Case("a range for each of two rows", (*ROWS, -128, 127, True)),
        Case(
            "a range where low / scale lies next to a tie",
            (*pair(-1.2024511098861694, 1.9104934930801392), 0, 255),
        ),
        Case("a zero point halfway between two codes", (*pair(-2.5, 251.5), -127, 127)),
    ),
    mistakes={
        "You divide by the number of codes: between 256 marks lie 255 steps.": with_options(
            steps=1
        ),
        "You divide by 254: from quant_min to quant_max there is one step more.": with_options(
            steps=-1
        ),
        "Your ruler lacks 0: stretch the range first, so that low is at most 0 and high at least "
        "0.": with_options(stretched=False),
        "You forgot quant_min: the zero point counts from the first code.": moved(
            lambda made, low: -torch.round(low / made.scale)
        ),
        "You forgot quant_min: the zero point counts from the first code, and is clamped "
        "then.": moved(lambda made, low: clamped(-torch.round(low / made.scale), made)),
        "You cut the fraction of the zero point off: round it.": moved(
            lambda made, low: made.quant_min - torch.trunc(low / made.scale)
        ),
        "Your zero point has the wrong sign: low is at most 0, so subtract low / scale.": moved(
            lambda made, low: made.quant_min + torch.round(low / made.scale)
        ),
        "Your zero point has the wrong sign, so it is clamped to quant_min: low is at most 0, so "
        "subtract low / scale.": moved(
            lambda made, low: clamped(made.quant_min + torch.round(low / made.scale), made)
        ),
        "Your zero point is 0: only a symmetric ruler has it there.": moved(
            lambda made, low: torch.zeros_like(made.zero_point)
        ),
        "You divide by 127. PyTorch's observers divide by half of all steps, 127.5: "
        "(quant_max - quant_min) / 2, with / and not //.": by_largest_code,
        "You divide by 127.5 whatever the codes are: count half of the steps from quant_min to "
        "quant_max.": always_eight_bits,
        "You divide by all steps and by 2 again: put brackets around half of the steps.": (
            divided_by_two_again
        ),
        "You add eps to each scale: only a smaller scale is raised to it.": with_eps_added,
        "You multiply by 1 / steps, which is rounded: divide by the steps.": times_the_reciprocal,
        "You multiply low by 1 / scale, which is rounded: here PyTorch divides by the scale.": (
            moved(
                lambda made, low: clamped(
                    made.quant_min - torch.round(low * (1 / made.scale)), made
                )
            )
        ),
        "You round after you subtracted, so halves go to even codes: round low / scale by "
        "itself.": moved(
            lambda made, low: clamped(torch.round(made.quant_min - low / made.scale), made)
        ),
        "The scale of your symmetric ruler falls below 2^-23: let it be at least that, as that of "
        "an affine ruler.": symmetric_without_eps,
        "You look at high alone: the larger of -low and high decides.": one_sided,
        "You ignore `symmetric`.": never_symmetric,
        "Your scale falls below 2^-23, which is torch.finfo(torch.float32).eps: let the scale "
        "itself be at least that.": with_options(eps=0.0),
        "You compute the zero point before you raise the scale to 2^-23: raise the scale "
        "first.": raised_too_late,
        "You raise only a scale of 0. PyTorch raises each scale below 2^-23 to it.": (
            only_zero_replaced
        ),
        "You make one ruler for all rows: keep the shape of low and high.": one_for_all,
    },
    hints=(
        "Stretch the range to hold 0, then count the steps from the first code to the last.",
        "The first code lies at low. How many steps further is 0? clamp, round and "
        "torch.maximum work on tensors of any shape.",
    ),
    praise="Your rulers are those of torch's MinMaxObserver, symmetric ones too.",
    place=lambda args, index: f"row {index[0]}" if args[0].ndim and index else "",
    any_integer=frozenset({"zero point", "first and last code"}),
)
