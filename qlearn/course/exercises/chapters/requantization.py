"""Requantization: codes by a multiplication and a shift, and the border of a convolution."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import pad

from qlearn.course.exercises.exercise import Case, Exercise, Parts, WrongError, at, one
from qlearn.integers.fixed_point import fixed_point_multiplier
from qlearn.numbers.qparams import QParams
from qlearn.numbers.qtensor import QTensor


def clipped(steps: Tensor) -> Tensor:
    """Return codes of 0 to 255."""
    return steps.clamp(0, 255).to(torch.uint8)


def steps_of(sums: Tensor, n: int, k: int) -> Tensor:
    """Return the steps of the output, rounded."""
    return (sums.long() * n + (1 << (k - 1))) >> k


def codes_by_shift(sums: Tensor, n: int, k: int, zero_point: int) -> Tensor:
    """Return the codes of the sums, by integers alone."""
    return clipped(steps_of(sums, n, k) + zero_point)


def rounded_down(sums: Tensor, n: int, k: int, zero_point: int) -> Tensor:
    """Leave out the half before the shift."""
    return clipped((sums.long() * n >> k) + zero_point)


def towards_zero(sums: Tensor, n: int, k: int, zero_point: int) -> Tensor:
    """Divide, and cut the fraction off."""
    whole = sums.long() * n + (1 << (k - 1))
    return clipped(torch.div(whole, 1 << k, rounding_mode="trunc") + zero_point)


def shifted_with_it(sums: Tensor, n: int, k: int, zero_point: int) -> Tensor:
    """Add the zero point before the shift."""
    return clipped((sums.long() * n + (1 << (k - 1)) + zero_point) >> k)


def clipped_first(sums: Tensor, n: int, k: int, zero_point: int) -> Tensor:
    """Clip the steps, then add the zero point."""
    return (clipped(steps_of(sums, n, k)).int() + zero_point).to(torch.uint8)


def unclipped(sums: Tensor, n: int, k: int, zero_point: int) -> Tensor:
    """Make bytes of what no byte holds."""
    return (steps_of(sums, n, k) + zero_point).to(torch.uint8)


def in_32_bits(sums: Tensor, n: int, k: int, zero_point: int) -> Tensor:
    """Multiply in 32 bits."""
    products = (sums.long() * n).to(torch.int32).long()
    return clipped(((products + (1 << (k - 1))) >> k) + zero_point)


def by_floats(sums: Tensor, n: int, k: int, zero_point: int) -> Tensor:
    """Divide in floats, and round halves to the even step."""
    return clipped((sums.double() * n / 2**k).round() + zero_point)


def without_it(sums: Tensor, n: int, k: int, zero_point: int) -> Tensor:
    """Leave the zero point out."""
    return clipped(steps_of(sums, n, k))


def int32(*sums: int) -> Tensor:
    """Return sums as a layer has them."""
    return torch.tensor(sums, dtype=torch.int32)


CODES_BY_SHIFT = Exercise(
    name="codes_by_shift",
    call="codes_by_shift(sums, n, k, zero_point)",
    task="the codes, 0 … 255, of the sums times n / 2^k, as uint8",
    drive=one("codes"),
    right=codes_by_shift,
    cases=(
        Case("the first sum of the chapter", (int32(3360), 655, 16, 60)),
        Case("sums above and below 0", (int32(3350, -3010, -2990, 40, -40), 655, 16, 60)),
        Case("a shift by four bits", (int32(100, -43, 7), 3, 4, 60)),
        Case("sums beyond the codes", (int32(30_000, -30_000, 19_700), 655, 16, 60)),
        Case("sums of up to 4,000,000", (int32(3_900_000, -3_500_000, 10), 655, 16, 60)),
        Case(
            "a multiplier of 31 bits",
            (int32(3360, -3010, 19_000), *fixed_point_multiplier(0.01), 60),
        ),
        Case("sums half-way between two codes", (int32(1, -1, 5), 1, 1, 60)),
    ),
    mistakes={
        "A shift rounds down. Add half of 2^k before it.": rounded_down,
        "You cut the fraction off, which rounds up below 0. A shift, >> k, rounds down there as "
        "well.": towards_zero,
        "You add the zero point before the shift, which divides it, too. It counts in steps of "
        "the output: add it last.": shifted_with_it,
        "You leave out the zero point.": without_it,
        "You clip the steps and then add the zero point, and lose all numbers below 0. Clip the "
        "codes.": clipped_first,
        "You do not clip: a code beyond the end of a byte starts again at the other end.": (
            unclipped
        ),
        "Your products have 32 bits, which do not hold them. Multiply in 64.": in_32_bits,
        "Half-way between two codes the shift goes up, and round of floats to the even one. Use "
        "integers alone.": by_floats,
    },
    hints=(
        "In which order: the multiplication, the half, the shift, the zero point, the end of the "
        "ruler? And how many bits has the product?",
        "sums.long() has 64 bits. 1 << (k - 1) is half of 2^k, and >> k is the shift.",
    ),
    praise="No float was needed: this is how a chip without floats requantizes.",
    place=at("sum"),
)


def in_a_border(q: QTensor, width: int) -> QTensor:
    """Return a wider picture, around which lie numbers 0."""
    return QTensor(pad(q.values, (width,) * 4, value=int(q.qparams.zero_point)), q.qparams)


def filled(code: Callable[[QTensor], int]) -> Callable[[QTensor, int], QTensor]:
    """Fill the border with another code."""
    return lambda q, width: QTensor(pad(q.values, (width,) * 4, value=code(q)), q.qparams)


def by_the_edge(q: QTensor, width: int) -> QTensor:
    """Repeat the pixels of the edge."""
    wide = pad(q.values.float(), (width,) * 4, mode="replicate")
    return QTensor(wide.to(torch.uint8), q.qparams)


def picture(subject: Any, q: QTensor, width: int) -> Parts:
    """Return the codes of the reader's QTensor.

    Raises:
        WrongError: it is none, or has another ruler.
    """
    found = subject(q, width)
    if found is None or found is Ellipsis:
        return {"codes": found}
    if not isinstance(found, QTensor):
        raise WrongError(
            "Let `in_a_border` return a QTensor, which holds codes and their qparams, and not a "
            f"{type(found).__name__}."
        )
    if found.qparams != q.qparams:
        raise WrongError("You change the ruler. The picture's own codes would mean other numbers.")
    return {"codes": found.values}


def held(codes: list[list[int]], scale: float, zero_point: int) -> QTensor:
    """Return a picture of one channel."""
    values = torch.tensor(codes, dtype=torch.uint8)[None, None]
    return QTensor(values, QParams(scale, zero_point, 0, 255, torch.uint8))


IN_A_BORDER = Exercise(
    name="in_a_border",
    call="in_a_border(q, width)",
    task="a QTensor on the ruler of q, with so many places more on each of the four sides, which "
    "mean the number 0",
    drive=picture,
    right=in_a_border,
    cases=(
        Case("the nine pixels of the chapter", (held([[100] * 3] * 3, 0.02, 50), 1)),
        Case("pixels from −1 to 1", (held([[0, 255], [128, 100]], 2 / 255, 128), 1)),
        Case("the zero point 0", (held([[7, 9, 11], [1, 2, 3]], 0.1, 0), 1)),
        Case("a border of two places", (held([[7, 9, 11], [1, 2, 3]], 0.1, 30), 2)),
    ),
    mistakes={
        "Your border has the code 0, which means another number than 0.": filled(lambda q: 0),
        "Your border has the code 128. It means 0 only if the zero point is 128.": filled(
            lambda q: 128
        ),
        "You fill the border with pixels of the edge. The float network fills it with 0.": (
            by_the_edge
        ),
        "Your border has the code 1. Which code means the number 0?": filled(lambda q: 1),
    },
    hints=(
        "Which code means the number 0 on the ruler of q?",
        "pad(values, (1, 1, 1, 1), value=7) puts one place on each side: left, right, above, "
        "below. The ruler is q.qparams.",
    ),
    praise="With this border, a convolution of codes sees what the float network sees.",
    place=lambda args, index: f"row {index[-2]}, column {index[-1]}",
)

EXERCISES = (CODES_BY_SHIFT, IN_A_BORDER)
