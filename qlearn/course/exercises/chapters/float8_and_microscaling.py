"""Float8: round to E4M3FN, predict int8 from the crest factor, and find a bug in a reader."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from qlearn.course.exercises.exercise import Case, Exercise, Parts, WrongError, at, several
from qlearn.course.normal import normal
from qlearn.formats.float_codes import decode_float, encode_float
from qlearn.formats.float_format import E4M3FN, E4M3FNUZ
from qlearn.formats.float_rounding import round_to_float

ROUNDED = 0.005  # so many decibels the 52.9 of the formula may be off


def to_e4m3(x: Tensor) -> Tensor:
    """Return the nearest marks of E4M3FN."""
    return round_to_float(x, E4M3FN)


def with_steps(
    least: int = -6, end: float = 448.0, mantissa: int = 3, above: int = 1
) -> Callable[[Tensor], Tensor]:
    """Return a rounding that takes other powers of two, another end, or other steps."""

    def rounded(x: Tensor) -> Tensor:
        power = (torch.frexp(x).exponent - above).clamp(min=least)
        step = 2.0 ** (power - mantissa)
        return (torch.round(x / step) * step).clamp(-end, end)

    return rounded


def cut_off(x: Tensor) -> Tensor:
    """Cut the fraction of a step off."""
    power = (torch.frexp(x).exponent - 1).clamp(min=-6)
    step = 2.0 ** (power - 3)
    return (torch.trunc(x / step) * step).clamp(-448, 448)


def halves_away(x: Tensor) -> Tensor:
    """Round a half away from zero."""
    power = (torch.frexp(x).exponent - 1).clamp(min=-6)
    step = 2.0 ** (power - 3)
    return (torch.floor(x.abs() / step + 0.5) * step).clamp(max=448) * x.sign()


def zero_below(x: Tensor) -> Tensor:
    """Leave out the subnormal numbers."""
    return to_e4m3(x).where(x.abs() >= 2**-6, 0.0)


def clamped_above(x: Tensor) -> Tensor:
    """Clamp on the right alone."""
    return with_steps(end=1e30)(x).clamp(max=448)


def rounded_by(subject: Callable[[Tensor], Tensor], x: Tensor) -> Parts:
    """Return the numbers; integer powers of two are known by where they make NaN.

    Raises:
        WrongError: where all numbers that need a step below 1, and no others, are NaN.
    """
    found, fine = subject(x), x.abs() < 8
    if isinstance(found, Tensor) and fine.any() and torch.equal(found.isnan(), fine):
        raise WrongError(
            "Your numbers below 8 are NaN, because their steps are 0: with integers 2 ** −3 is 0. "
            "Write 2.0 ** …"
        )
    return {"numbers": found}


def of_many_sizes() -> Tensor:
    """Return a thousand numbers, from subnormal ones to the end."""
    drawn = normal(1000, generator=torch.Generator().manual_seed(3))
    return (drawn * 2.0 ** (torch.arange(1000) % 19 - 12)).clamp(-400, 400)


TO_E4M3 = Exercise(
    name="to_e4m3",
    call="to_e4m3(x)",
    task="for each number the nearest that E4M3FN has, in float32",
    drive=rounded_by,
    right=to_e4m3,
    cases=lambda: (
        Case("0.3 and 5.2", (torch.tensor([0.3, -0.3, 5.2, 100.0]),)),
        Case("numbers half-way between two marks", (torch.tensor([17.0, 19.0, -1.0625]),)),
        Case("numbers below the least power of two", (torch.tensor([0.0047, -0.01, 0.001]),)),
        Case("numbers near the end and beyond", (torch.tensor([300.0, 500.0, -1e5]),)),
        Case("0", (torch.zeros(2),)),
        Case("numbers of many sizes", (of_many_sizes(),)),
    ),
    mistakes={
        "Your steps go on becoming finer towards 0. The least power of two is 2⁻⁶, and below it "
        "the marks stay 2⁻⁹ apart.": with_steps(least=-1000),
        "Your numbers go on beyond 448, where E4M3FN ends: clamp.": with_steps(end=1e30),
        "You clamp above alone: the numbers end at −448, too.": clamped_above,
        "Your numbers end at 240, as in E4M3FNUZ. E4M3FN ends at 448.": with_steps(end=240.0),
        "Your steps are twice as wide, as in E5M2: three bits of mantissa make eight steps from "
        "one power of two to the next.": with_steps(mantissa=2),
        "Your steps are twice as wide: the exponent of torch.frexp is one more than that of the "
        "power of two below.": with_steps(above=0),
        "Your steps are half as wide: three bits of mantissa make eight steps from one power of "
        "two to the next.": with_steps(mantissa=4),
        "Your marks end too early. Below 2⁻⁶ they stay 2⁻⁹ apart down to 0.": (
            with_steps(least=-3)
        ),
        "Your numbers become 0 below 2⁻⁶. There the marks go on, 2⁻⁹ apart.": zero_below,
        "You cut the fraction of a step off: the nearest mark may be the next one.": cut_off,
        "You round halves away from zero. torch takes the even neighbour, as torch.round does.": (
            halves_away
        ),
    },
    hints=(
        "torch.frexp(x).exponent is one more than the exponent of the power of two below x. How "
        "wide is a step from there?",
        "torch.round(x / step) * step rounds to steps. Clamp the exponents below, and the result "
        "at both ends.",
    ),
    praise="Your numbers are those of `round_to_float`.",
    place=at("x"),
    last_bits=False,
)


def int8_by_rows(x: Tensor) -> tuple[Tensor, Tensor]:
    """Return the crest factor of each row, and the SQNR that int8 then has."""
    return by_formula(x.abs().amax(1) / x.square().mean(1).sqrt())


def by_formula(crest: Tensor, ruler: float = 127.5 * 12**0.5) -> tuple[Tensor, Tensor]:
    """Return the crest factors and what the formula makes of them."""
    return crest, 20 * torch.log10(ruler / crest)


def largest_on_the_right(x: Tensor) -> tuple[Tensor, Tensor]:
    """Take the largest number, not the largest size."""
    return by_formula(x.amax(1) / x.square().mean(1).sqrt())


def by_the_spread(x: Tensor) -> tuple[Tensor, Tensor]:
    """Divide by the standard deviation, which takes the mean away first."""
    return by_formula(x.abs().amax(1) / x.std(1))


def by_the_mean_size(x: Tensor) -> tuple[Tensor, Tensor]:
    """Divide by the mean size."""
    return by_formula(x.abs().amax(1) / x.abs().mean(1))


def by_columns(x: Tensor) -> tuple[Tensor, Tensor]:
    """Take the numbers of a column together."""
    return by_formula(x.abs().amax(0) / x.square().mean(0).sqrt())


def of_power(x: Tensor) -> tuple[Tensor, Tensor]:
    """Take 10 times the logarithm."""
    crest, decibels = int8_by_rows(x)
    return crest, decibels / 2


def by_whole_steps(x: Tensor) -> tuple[Tensor, Tensor]:
    """Take a whole step for the typical error."""
    return by_formula(int8_by_rows(x)[0], ruler=127.5)


def to_127(x: Tensor) -> tuple[Tensor, Tensor]:
    """Let the largest size lie at the last code."""
    return by_formula(int8_by_rows(x)[0], ruler=127 * 12**0.5)


def by_rows(subject: Callable[[Tensor], tuple[Tensor, Tensor]], x: Tensor) -> Parts:
    """Return what was made of the rows; the page's 52.9, which is rounded, is as good as exact.

    >>> x = torch.tensor([[1.0, -2.0, 5.0]])
    >>> crest, exact = int8_by_rows(x)
    >>> made = by_rows(lambda x: (crest, 52.9 - 20 * torch.log10(crest)), x)
    >>> torch.equal(made["decibels"], exact)
    True
    """
    parts = several("crest factors", "decibels")(subject, x)
    found, exact = parts["decibels"], int8_by_rows(x)[1]
    if isinstance(found, Tensor) and (found.shape, found.dtype) == (exact.shape, exact.dtype):
        return {**parts, "decibels": exact.where((found - exact).abs() < ROUNDED, found)}
    return parts


def matrix(sign: int) -> Tensor:
    """Return normal numbers and a far one in each row, every second of these with the sign."""
    x = normal(8, 8, generator=torch.Generator().manual_seed(0))
    x.diagonal()[::2] = torch.tensor([8.0, 10.0, 13.0, 17.0])
    x.diagonal()[1::2] = sign * torch.tensor([9.0, 12.0, 15.0, 30.0])
    return x


INT8_BY_ROWS = Exercise(
    name="int8_by_rows",
    call="int8_by_rows(x)",
    task="two tensors with a number for each row of x, the crest factor and the decibels that the "
    "formula predicts for int8",
    drive=by_rows,
    right=int8_by_rows,
    cases=lambda: (
        Case("a far number in each row", (matrix(1),)),
        Case("far numbers on both sides", (matrix(-1),)),
        Case("a row of equal sizes", (torch.tensor([[2.0, -2.0, 2.0, -2.0]]),)),
        Case("numbers on one side of 0", (matrix(1).abs(),)),
    ),
    mistakes={
        "You take the largest number of a row, and not the largest size: −30 counts as 30.": (
            largest_on_the_right
        ),
        "You divide by the standard deviation, which takes the mean away first. The ruler is "
        "symmetric: take the root of the mean square.": by_the_spread,
        "You divide by the mean size. Take the root of the mean square.": by_the_mean_size,
        "You take the numbers of a column together. A row has its own scale.": by_columns,
        "You take 10 times the logarithm. That is for squares: take 20 times.": of_power,
        "You let the largest size lie at 127. The ruler reaches half a step farther, to 127.5.": (
            to_127
        ),
        "You leave out √12: the typical error is a step divided by √12.": by_whole_steps,
    },
    hints=(
        "The crest factor is the largest size, divided by the root of the mean square. Both are of "
        "one row: amax and mean take an axis.",
        "The formula is 20 · log₁₀(127.5 · √12 / c): torch.log10.",
    ),
    praise="Where your decibels are below 31.5, float8 is better.",
    place=lambda args, index: f"row {index[0]}",
    last_bits=False,
)


def read_fnuz(written: Tensor, scale: Tensor) -> Tensor:
    """Return the weights of a file in E4M3FNUZ."""
    return decode_float(written, E4M3FNUZ) * scale


def as_fn(written: Tensor, scale: Tensor) -> Tensor:
    """Read the codes as E4M3FN."""
    return decode_float(written, E4M3FN) * scale


def as_fn_halved(written: Tensor, scale: Tensor) -> Tensor:
    """Read the codes as E4M3FN, and halve what comes out."""
    return as_fn(written, scale) / 2


def read(subject: Callable[[Tensor, Tensor], Tensor], written: Tensor, scale: Tensor) -> Parts:
    """Return the weights, NaN among them turned into infinity, so that they are compared."""
    found = subject(written, scale)
    return {"weights": found.nan_to_num(torch.inf) if isinstance(found, Tensor) else found}


def file_of(x: Tensor) -> tuple[Tensor, Tensor]:
    """Return the codes of a file in E4M3FNUZ, and its scale."""
    scale = x.abs().max() / E4M3FNUZ.max
    return encode_float(x / scale, E4M3FNUZ), scale


def drawn_weights() -> Tensor:
    """Return 64 weights."""
    return normal(64, generator=torch.Generator().manual_seed(4))


READ_FNUZ = Exercise(
    name="read_fnuz",
    call="read_fnuz(written, scale)",
    task="the weights of the file",
    drive=read,
    right=read_fnuz,
    cases=lambda: (
        Case("64 weights", file_of(drawn_weights())),
        Case("a largest weight on the left", file_of(torch.tensor([0.5, -0.25, -3.0]))),
        Case("a weight of 0", file_of(torch.tensor([0.0, 1.0]))),
    ),
    mistakes={
        "Your reader makes nearly all weights twice as large as they were written, and the largest "
        "one NaN.": as_fn,
        "You have mended the factor of two, and the largest weight is still NaN. What do both "
        "show of the codes?": as_fn_halved,
    },
    hints=(
        "The codes and the scale are right. Which two things does the meaning of a code depend on?",
        "The writer and the reader name two formats that differ by one in their bias.",
    ),
    praise="Each weight is where it was, within its rounding.",
    place=lambda args, index: f"weight {index[0]}",
    last_bits=False,
)

EXERCISES = (TO_E4M3, INT8_BY_ROWS, READ_FNUZ)
