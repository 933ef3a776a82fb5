"""Step 4: a product of codes, summed in 32 bits."""

from __future__ import annotations

import torch
from torch import Tensor

from qlearn.course.exercises.exercise import Case, Exercise, at_row_and_column, one


def right(q_x: Tensor, z_x: Tensor, q_w: Tensor) -> Tensor:
    """Return the exact sums."""
    return ((q_x.double() - z_x) @ q_w.double().T).to(torch.int32)


def in_eight_bits(q_x: Tensor, z_x: Tensor, q_w: Tensor) -> Tensor:
    """Subtract in uint8, where a negative difference wraps around."""
    return right(q_x - z_x.to(torch.uint8), torch.tensor(0), q_w)


def clipped_at_zero(q_x: Tensor, z_x: Tensor, q_w: Tensor) -> Tensor:
    """Make negative differences 0."""
    return right((q_x.int() - z_x).clamp(min=0), torch.tensor(0), q_w)


def subtracted_twice(q_x: Tensor, z_x: Tensor, q_w: Tensor) -> Tensor:
    """Subtract the zero point from the weight, too."""
    return right(q_x, z_x, q_w.int() - z_x)


def signed(q_x: Tensor, z_x: Tensor, q_w: Tensor) -> Tensor:
    """Store the difference in int8, where it need not fit."""
    return right((q_x.int() - z_x).to(torch.int8), torch.tensor(0), q_w)


def sums_in_eight_bits(q_x: Tensor, z_x: Tensor, q_w: Tensor) -> Tensor:
    """Keep the lowest eight bits of each sum."""
    return right(q_x, z_x, q_w).to(torch.int8).to(torch.int32)


def sums_in_sixteen_bits(q_x: Tensor, z_x: Tensor, q_w: Tensor) -> Tensor:
    """Keep the lowest sixteen bits of each sum."""
    return right(q_x, z_x, q_w).to(torch.int16).to(torch.int32)


def products_in_eight_bits(q_x: Tensor, z_x: Tensor, q_w: Tensor) -> Tensor:
    """Keep the lowest eight bits of each product."""
    products = (q_x.int() - z_x).unsqueeze(1) * q_w.int()
    return products.to(torch.int8).sum(dim=2).to(torch.int32)


def codes(rows: int, columns: int, dtype: torch.dtype) -> Tensor:
    """Return codes that use the whole range of their type, in no simple order."""
    numbers = torch.arange(rows * columns) * 97 % 251
    first = torch.iinfo(dtype).min
    return (numbers + first).to(dtype).reshape(rows, columns)


def full(rows: int, columns: int, dtype: torch.dtype) -> Tensor:
    """Return the largest code everywhere."""
    return torch.full((rows, columns), torch.iinfo(dtype).max, dtype=dtype)


def small(values: list[list[int]], dtype: torch.dtype) -> Tensor:
    """Return codes that are given."""
    return torch.tensor(values, dtype=dtype)


def zero_point(code: int) -> Tensor:
    """Return a zero point as rulers hold it."""
    return torch.tensor(code, dtype=torch.int32)


def in_float32(q_x: Tensor, z_x: Tensor, q_w: Tensor) -> Tensor:
    """Multiply and sum in float32."""
    return ((q_x.float() - z_x) @ q_w.float().T).to(torch.int32)


LONG = full(1, 1024, torch.uint8), zero_point(0), full(1, 1024, torch.int8)
LONG[2][0, 0] = 126  # so the sum is odd and above 2^24, where float32 holds even numbers

INTEGER_MATMUL = Exercise(
    name="integer_matmul",
    call="integer_matmul(q_x, z_x, q_w)",
    task="the int32 sums over k of (q_x - z_x) · q_w, a row for each row of q_x and a column for "
    "each row of q_w",
    drive=one("sums"),
    right=right,
    cases=(
        Case(
            "the zero point 0",
            (
                small([[1, 2]], torch.uint8),
                zero_point(0),
                small([[3, 4], [5, -6], [7, 8]], torch.int8),
            ),
        ),
        Case(
            "the codes 40, 10, 60 and the zero point 20",
            (
                small([[40, 10, 60]], torch.uint8),
                zero_point(20),
                small([[50, -100, 29]], torch.int8),
            ),
        ),
        Case("square matrices", (codes(3, 3, torch.uint8), zero_point(5), codes(3, 3, torch.int8))),
        Case("large codes", (full(2, 4, torch.uint8), zero_point(3), full(5, 4, torch.int8))),
        Case("rows of 1,024 codes", LONG),
        Case("many codes", (codes(9, 64, torch.uint8), zero_point(77), codes(4, 64, torch.int8))),
    ),
    mistakes={
        "You forgot the zero point: subtract it from q_x.": lambda q_x, z_x, q_w: right(
            q_x, zero_point(0), q_w
        ),
        "You add the zero point: subtract it.": lambda q_x, z_x, q_w: right(q_x, -z_x, q_w),
        "You subtract in uint8, and negative differences wrap around: make the codes int32 "
        "first.": in_eight_bits,
        "You subtract the zero point from the weights as well: theirs is 0.": subtracted_twice,
        "You subtract the zero point from the weights: it belongs to q_x.": (
            lambda q_x, z_x, q_w: right(q_x, zero_point(0), q_w.int() - z_x)
        ),
        "You subtract the zero point from each sum: subtract it from the codes, before you "
        "multiply.": lambda q_x, z_x, q_w: right(q_x, zero_point(0), q_w) - z_x,
        "You lose negative differences: q_x - z_x may be below 0.": clipped_at_zero,
        "Your difference is stored in int8, which does not hold 255 - z_x: make it int32.": signed,
        "Your products overflow: two codes of eight bits make a product of sixteen. Make both "
        "int32 before you multiply.": products_in_eight_bits,
        "Your sums overflow eight bits: make both matrices int32 before you multiply.": (
            sums_in_eight_bits
        ),
        "Your sums overflow sixteen bits: make both matrices int32 before you multiply.": (
            sums_in_sixteen_bits
        ),
        "You multiply in float32, which holds integers up to 2^24 only: multiply in int32 or in "
        "float64.": in_float32,
        "You multiply by q_w as it is: a row of q_w makes one output, so transpose it.": (
            lambda q_x, z_x, q_w: (
                right(q_x, z_x, q_w.T) if q_w.shape[0] == q_w.shape[1] else (right(q_x, z_x, q_w))
            )
        ),
    },
    hints=(
        "Which type holds 255 · 127 · 1,024? And which axis of q_w has as many codes as a row of "
        "q_x?",
        "@ multiplies matrices of any one type, and .T transposes; convert first.",
    ),
    praise="Your sums are exact, with rows of 1,024 codes too.",
    place=at_row_and_column,
)
