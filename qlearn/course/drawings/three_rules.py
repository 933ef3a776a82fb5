"""The drawing of the three rounding rules at one number: where each looks, and where it goes."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import floor
from typing import NamedTuple, get_args

import torch

from qlearn.course.drawings.svg import CODE, LOST, REAL, Drawing, dot, line, text
from qlearn.numbers.fma import fma
from qlearn.numbers.qparams import QParams
from qlearn.numbers.quantize import quantize
from qlearn.numbers.rounding import Rounding

TOP, ROW = 58, 92  # pixels: of the first rule's line, from one rule to the next
LEFT, RIGHT = 16.0, 66.0  # percent: of the two neighbours
HAIR = 4.0  # percent by which a number near the tie is drawn off it
HOW = {
    "nearest": "round, then add the zero point",
    "fma": "one fused multiply-add, then round",
    "add": "add the zero point in float32, then round",
}


class Look(NamedTuple):
    """What a rule rounds, and the code that it gives."""

    rule: str
    steps: Fraction
    added: bool  # whether the zero point is in it already
    code: int


def three_rules(x: float, qparams: QParams) -> Drawing:
    """Draw for each rule the number that it rounds between two neighbours, and its choice.

    Raises:
        ValueError: by the rule "nearest" the number is further than a thousandth from a tie.

    >>> three_rules(0.75, QParams(0.5, 1, -128, 127, torch.int8))
    Drawing: 0.75 with a scale of 0.5 and a zero point of 1. nearest rounds 1.5, a tie, to 2 and \
adds 1: code 3. fma rounds 2.5, a tie, to 2: code 2. add rounds 2.5, a tie, to 2: code 2.
    """
    looks = [_look(rule, x, qparams) for rule in get_args(Rounding)]
    off = abs(looks[0].steps - floor(looks[0].steps) - Fraction(1, 2))
    if off > Fraction(1, 1000):
        raise ValueError(
            f"{x} is {float(looks[0].steps):.4g} steps, no tie: draw a number halfway between "
            "two codes, or next to that"
        )
    zero_point = int(qparams.zero_point)
    parts = [part for row, look in enumerate(looks) for part in _row(look, TOP + ROW * row)]
    said = " ".join(_said(look, zero_point) for look in looks)
    scale = f"{float(qparams.scale):.3g}"
    label = f"{_signed(x)} with a scale of {scale} and a zero point of {zero_point}. {said}"
    return Drawing(label, tuple(parts), TOP + ROW * 2 + 40)


def _look(rule: Rounding, x: float, qparams: QParams) -> Look:
    """Return what the rule rounds to a whole number: what float32 left of it."""
    number = torch.tensor([x], dtype=torch.float32)
    zero_point = int(qparams.zero_point)
    reciprocal = 1 / qparams.scale
    if rule == "fma":
        steps = Fraction(fma(number, reciprocal, torch.tensor(float(zero_point))).item())
    elif rule == "add":
        steps = Fraction((number * reciprocal + zero_point).item())
    else:
        steps = Fraction((number * reciprocal).item())
    code = int(quantize(number, qparams, rounding=rule))
    return Look(rule, steps, rule != "nearest", code)


def _row(look: Look, y: int) -> Iterator[str]:
    """Yield one rule: two neighbours as marks, the tie between them, and the way taken."""
    low, tie = floor(look.steps), floor(look.steps) + Fraction(1, 2)
    middle = (LEFT + RIGHT) / 2
    x = middle + HAIR * ((look.steps > tie) - (look.steps < tie))
    goal = RIGHT if _rounded(look) > low else LEFT
    yield text(0, y - 38, look.rule, anchor="start", bold=True)
    yield text(100, y - 38, HOW[look.rule], anchor="end")
    yield line((LEFT - 14, y), (RIGHT + 12, y), REAL, width=1)
    yield line((middle, y - 14), (middle, y + 8), LOST, dashed=True)
    yield text(middle, y + 24, f"tie: {_signed(float(tie))}", size=11)
    for place, neighbour in ((LEFT, low), (RIGHT, low + 1)):
        yield line((place, y - 10), (place, y), CODE, width=2)
        even = " (even)" if neighbour % 2 == 0 else ""
        yield text(place, y + 24, f"{_signed(neighbour)}{even}", size=11)
    yield line((x, y - 7), (goal, y - 12), CODE, width=2)
    yield dot(goal, y - 12, CODE)
    yield dot(x, y - 7, REAL, filled=False, radius=4)
    yield text(100, y + 4, f"code {_signed(look.code)}", anchor="end", ink=CODE, bold=True)


def _rounded(look: Look) -> int:
    return round(look.steps)  # a Fraction's half goes to the even neighbour


def _said(look: Look, zero_point: int) -> str:
    tie = floor(look.steps) + Fraction(1, 2)
    near = "a tie" if look.steps == tie else "a hair beside a tie"
    then = "" if look.added else f" and adds {_signed(zero_point)}"
    steps = _signed(round(float(look.steps), 3))
    goal, code = _signed(_rounded(look)), _signed(look.code)
    return f"{look.rule} rounds {steps}, {near}, to {goal}{then}: code {code}."


def _signed(number: float) -> str:
    return f"{number:g}".replace("-", "−")
