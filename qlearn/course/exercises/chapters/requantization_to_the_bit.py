"""Requantization, to the bit: two roundings, and a layer of integers alone."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from qlearn.course.exercises.chapters.requantization import int32
from qlearn.course.exercises.exercise import Case, Exercise, at, at_row_and_column, one
from qlearn.integers.fixed_point import fixed_point_multiplier, fixed_point_product
from qlearn.numbers.qparams import QParams
from qlearn.numbers.qtensor import QTensor

Rest = Callable[[Tensor, int], Tensor]


def away_from_zero(high: Tensor, rest: int) -> Tensor:
    """Shift to the nearest; ties go away from zero."""
    size = (high.abs() + (2**rest >> 1)) >> rest
    return size * high.sign()


def rounded_twice(second: Rest, half: int = 2**30) -> Callable[[Tensor, float], Tensor]:
    """Return a function that keeps the upper half, and shifts the rest in its own way."""

    def steps(sums: Tensor, multiplier: float) -> Tensor:
        n, k = fixed_point_multiplier(multiplier)
        return second((sums.long() * n + half) >> 31, k - 31)

    return steps


def rounded_once(sums: Tensor, multiplier: float) -> Tensor:
    """Shift in one go."""
    n, k = fixed_point_multiplier(multiplier)
    return (sums.long() * n + 2 ** (k - 1)) >> k


def to_even_first(sums: Tensor, multiplier: float) -> Tensor:
    """Round to the upper half in floats, whose ties go to the even neighbour."""
    n, k = fixed_point_multiplier(multiplier)
    return away_from_zero(torch.round(sums.double() * n / 2**31).long(), k - 31)


def in_32_bits(sums: Tensor, multiplier: float) -> Tensor:
    """Let the product wrap."""
    n, k = fixed_point_multiplier(multiplier)
    return away_from_zero((sums * n + 2**30) >> 31, k - 31)


GEMMLOWP = Exercise(
    name="gemmlowp",
    call="gemmlowp(sums, multiplier)",
    task="the sums times the multiplier, rounded twice, as whole numbers",
    drive=one("steps"),
    right=rounded_twice(away_from_zero),
    cases=(
        Case("a multiplier of 0.01", (int32(3360, 3350, -3010, 0), 0.01)),
        Case("sums beside a tie", (int32(-49_375, 49_375, 109_375, -624, 624), 0.0008)),
        Case("ties of a power of two", (int32(512, 1536, -512, -1536), 2.0**-10)),
        Case("ties of the first rounding", (int32(511, -511, 1535, -1535), 2.0**-10)),
        Case("a multiplier above a half", (int32(1, 3, -3, 1001), 0.75)),
        Case("large sums", (int32(2_000_000, -1_999_999), 0.0001)),
        Case("all sums of twenty codes", (torch.arange(-3235, 3236, dtype=torch.int32), 0.003091)),
    ),
    mistakes={
        "You round once. gemmlowp keeps the upper half first, which is whole, and rounds the rest "
        "of the shift.": rounded_once,
        "A shift rounds down. Add half of the rest before it.": rounded_twice(
            lambda high, rest: high >> rest
        ),
        "The second rounding takes ties up. Let it take them away from zero, below 0 as well.": (
            rounded_twice(lambda high, rest: (high + (2**rest >> 1)) >> rest)
        ),
        "The second rounding takes ties to the even neighbour. Let it take them away from zero.": (
            rounded_twice(lambda high, rest: torch.round(high / 2.0**rest).long())
        ),
        "You cut the fraction of the rest off.": rounded_twice(
            lambda high, rest: torch.div(high, 2**rest, rounding_mode="trunc")
        ),
        "The first part rounds down. Add 2^30 before the shift.": rounded_twice(
            away_from_zero, half=0
        ),
        "A tie of the first rounding goes up, below 0 as well: add 2^30 and shift.": to_even_first,
        "Your products have 32 bits, which do not hold them. Multiply in 64.": in_32_bits,
    },
    hints=(
        "The first shift is by 31. How many bits are left of k, and in which direction does a tie "
        "of the second go below 0?",
        "Round the size, (high.abs() + half) >> rest, and give it the sign of high. With a rest "
        "of 0 there is no half.",
    ),
    praise="Between the two roundings a product can be carried onto a tie.",
    place=at("sum"),
    any_integer=frozenset({"steps"}),
)

Layer = Callable[[QTensor, QTensor, Tensor, QParams, int], Tensor]


def layer_of(
    constant: Callable[[Tensor, Tensor, Tensor], Tensor],
    shifted: Callable[[Tensor, int, int], Tensor] = fixed_point_product,
    last: int = 255,
    zero: bool = True,
    relu: bool = True,
) -> Layer:
    """Return a layer whose sums start from a constant of the bias, the step and the offset."""

    def codes(x: QTensor, weight: QTensor, bias: Tensor, output: QParams, least: int = 0) -> Tensor:
        flat = weight.values.flatten(1).long()
        step = x.qparams.scale * weight.qparams.scale
        start = constant(bias, step, x.qparams.zero_point * flat.sum(dim=1))
        sums = (x.values.long() @ flat.T + start).int()
        pairs = [fixed_point_multiplier(m) for m in (step / output.scale).tolist()]
        steps = [shifted(column, *pair) for column, pair in zip(sums.T, pairs, strict=True)]
        found = torch.stack(steps, dim=1) + (output.zero_point if zero else 0)
        return found.clamp(least if relu else 0, last).to(torch.uint8)

    return codes


def folded(bias: Tensor, step: Tensor, offset: Tensor) -> Tensor:
    """Return the right constant."""
    return torch.round(bias / step).long() - offset


def down(sums: Tensor, n: int, k: int) -> Tensor:
    """Shift without the half."""
    return sums.long() * n >> k


def in_floats(sums: Tensor, n: int, k: int) -> Tensor:
    """Multiply by a float, whose ties go to the even neighbour."""
    return torch.round(sums.double() * n / 2**k).long()


def codes_on(scale: float, zero_point: int, *rows: list[int]) -> QTensor:
    """Return codes of an input."""
    qparams = QParams(scale, zero_point, 0, 255, torch.uint8)
    return QTensor(torch.tensor(rows, dtype=torch.uint8), qparams)


def weights_on(scales: list[float], *rows: list[int]) -> QTensor:
    """Return codes of a weight with a scale for each output."""
    scale, zeros = torch.tensor(scales), torch.zeros(len(scales), dtype=torch.int32)
    qparams = QParams(scale, zeros, -128, 127, torch.int8, axis=0)
    return QTensor(torch.tensor(rows, dtype=torch.int8), qparams)


WEIGHT = weights_on([0.01, 0.02], [50, -100, 29], [-7, 120, 33])
PLAIN, ROWS = codes_on(0.05, 0, [20, 30, 40]), codes_on(0.05, 20, [40, 10, 60], [0, 255, 20])
OUTPUT, NO_BIAS = QParams(0.05, 60, 0, 255, torch.uint8), torch.zeros(2)
WIDE, FINE, HALF = (QParams(scale, 60, 0, 255, torch.uint8) for scale in (0.5, 0.0015, 0.002))
KERNELS = QTensor(WEIGHT.values[:, None, None], WEIGHT.qparams)
FEW = codes_on(0.05, 0, [2, 2, 1])

IN_INTEGERS = Exercise(
    name="in_integers",
    call="in_integers(x, weight, bias, output, least=0)",
    task="the codes of the layer, least … 255, of shape (rows, outputs), as uint8",
    drive=one("codes"),
    right=layer_of(folded),
    cases=(
        Case("no bias and the zero point 0 for the input", (PLAIN, WEIGHT, NO_BIAS, OUTPUT)),
        Case("a bias", (PLAIN, WEIGHT, torch.tensor([0.1037, -0.2]), OUTPUT)),
        Case("the zero point 20 for the input", (ROWS, WEIGHT, NO_BIAS, OUTPUT)),
        Case("both, and a longer step", (ROWS, WEIGHT, torch.tensor([3.3, -0.7]), WIDE)),
        Case("a short step", (FEW, WEIGHT, torch.tensor([0.00085, 0.0019]), FINE)),
        Case("a product that is a tie", (FEW, WEIGHT, torch.tensor([0.00105, 0.0021]), HALF)),
        Case("kernels of four dimensions", (PLAIN, KERNELS, NO_BIAS, OUTPUT)),
        Case("a fused ReLU", (ROWS, WEIGHT, torch.tensor([0.1, -20.0]), WIDE, 60)),
    ),
    mistakes={
        "You add the bias in its own unit. Count it in steps of the sums, by both scales.": (
            layer_of(lambda bias, step, offset: torch.round(bias).long() - offset)
        ),
        "You leave out the bias.": layer_of(lambda bias, step, offset: -offset),
        "You cut the fraction of the bias off. Round it.": layer_of(
            lambda bias, step, offset: (bias / step).long() - offset
        ),
        "You leave out the zero point of the input, which each of its codes contains.": layer_of(
            lambda bias, step, offset: folded(bias, step, 0 * offset)
        ),
        "You add the part of the input's zero point. It is subtracted.": layer_of(
            lambda bias, step, offset: folded(bias, step, -offset)
        ),
        "A shift rounds down. Add half of 2^k before it.": layer_of(folded, shifted=down),
        "You multiply by a float, whose ties go to the even neighbour. fixed_point_product takes "
        "them up.": layer_of(folded, shifted=in_floats),
        "You leave out the zero point of the output.": layer_of(folded, zero=False),
        "You do not clip at least, so the ReLU is missing.": layer_of(folded, relu=False),
        "Your last code is 127. The kernels clamp at 255.": layer_of(folded, last=127),
    },
    hints=(
        "What is known of each output before the first input comes: which two parts make the "
        "integer to start from?",
        "The integer is torch.round(bias / step) less x.qparams.zero_point times the sum of the "
        "weight's codes. fixed_point_product(sums, *fixed_point_multiplier(m)) does the rest.",
    ),
    praise="Once the constants are there, nothing but integers is computed.",
    place=at_row_and_column,
)

EXERCISES = (GEMMLOWP, IN_INTEGERS)
