"""The sawtooth of errors against what qlearn makes of each number."""

from __future__ import annotations

from bisect import bisect_left
from functools import cache
from math import nan
from pathlib import Path

import torch
from torch import Tensor

from proofs.draw import Draw
from qlearn import QParams, dequantize, quantize
from qlearn.course.widgets import Quantizer
from qlearn.course.widgets.shared.figure import SHARED
from tests.course.widgets.figures import call, with_other

SAWTOOTH = SHARED / "sawtooth.js"


@cache
def drawn_cases() -> list[tuple[Tensor, QParams]]:
    """Return numbers, and the parameters that a widget has for them at some setting."""
    draw = Draw(0)
    cases = []
    for i in range(24):
        numbers = draw.normal(500)
        widget = Quantizer(numbers, bits=2 + i % 7, signed=bool(i % 2), symmetric=i % 3 == 0)
        widget.scale = widget.qparams.scale.item() * (0.3, 1.0, 1.7)[i % 3]
        cases.append((numbers, widget.qparams))
    return cases


def teeth_of(numbers: Tensor, q: QParams) -> list:
    """Return the call of the module's function that makes the teeth."""
    given = {"scale": q.scale.item(), "zeroPoint": int(q.zero_point)}
    given |= {"quantMin": q.quant_min, "quantMax": q.quant_max}
    return ["teeth", given, [numbers.min().item() - 1, numbers.max().item() + 1]]


def errors_that_differ(node: str, module: Path) -> int:
    """Return at how many numbers a tooth is not the error that qlearn makes of them."""
    cases = drawn_cases()
    sawtooths = call(node, module, [teeth_of(*case) for case in cases])
    differing = 0
    for (numbers, q), teeth in zip(cases, sawtooths, strict=True):
        step = q.scale.item()
        ends = [right for _, (right, _) in teeth]
        assert ends == sorted(ends)
        found = [drawn(number, teeth[bisect_left(ends, number) :]) for number in numbers.tolist()]
        wanted = dequantize(quantize(numbers, q), q) - numbers
        # A number half-way between two codes belongs to both teeth.
        tied = (wanted.abs() - step / 2).abs() < 1e-5 * step
        far = (torch.tensor(found) - wanted).abs() > 1e-5 * max(step, 1)
        differing += int((far & ~tied).sum())
    return differing


def drawn(number: float, teeth: list) -> float:
    """Return the error that the teeth, of which none ends before it, show at a number."""
    for (left, first), (right, last) in teeth:
        if left <= number <= right:
            return first + (last - first) * (number - left) / (right - left)
    return nan


def test_the_teeth_are_the_errors_of_qlearn(node: str) -> None:
    assert errors_that_differ(node, SAWTOOTH) == 0


def test_teeth_that_rise_are_seen(node: str, tmp_path: Path) -> None:
    risen = "(...given) => right.teeth(...given).map((tooth) => tooth.map(([x, e]) => [x, -e]))"
    assert errors_that_differ(node, with_other(tmp_path, SAWTOOTH, "teeth", risen)) > 0
