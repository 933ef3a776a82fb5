"""Step 1: from numbers to codes, and back."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from qlearn.course.exercises.exercise import Case, Exercise, at, one
from qlearn.course.exercises.tinyquant.ruler import Ruler, ruler

Round = Callable[[Tensor], Tensor]


def right(x: Tensor, ruler: Ruler) -> Tensor:
    """Return the codes that PyTorch's fake_quantize and torchao compute."""
    return clipped(torch.round(x * (1 / ruler.scale)) + ruler.zero_point, ruler)


def clipped(codes: Tensor, ruler: Ruler) -> Tensor:
    """Clip to the ruler's codes, and store them in its type."""
    return codes.clamp(ruler.quant_min, ruler.quant_max).to(ruler.dtype)


def rounding(by: Round) -> Callable[[Tensor, Ruler], Tensor]:
    """Return the function that rounds in another way."""
    return lambda x, ruler: clipped(by(x * (1 / ruler.scale)) + ruler.zero_point, ruler)


def away_from_zero(steps: Tensor) -> Tensor:
    """Round halves away from zero."""
    return torch.sign(steps) * torch.floor(steps.abs() + 0.5)


def wrapped(x: Tensor, ruler: Ruler) -> Tensor:
    """Forget to clip: the lowest eight bits remain."""
    codes = torch.round(x * (1 / ruler.scale)) + ruler.zero_point
    return codes.to(torch.int64).to(ruler.dtype)


def integers_before_clipping(x: Tensor, ruler: Ruler) -> Tensor:
    """Convert to int32 before clipping, which large numbers do not fit."""
    steps = torch.round(x * (1 / ruler.scale)).to(torch.int32)
    return clipped(steps + ruler.zero_point, ruler)


def clipped_before_the_shift(x: Tensor, ruler: Ruler) -> Tensor:
    """Clip first, and add the zero point then."""
    steps = torch.round(x * (1 / ruler.scale)).clamp(ruler.quant_min, ruler.quant_max)
    return (steps + ruler.zero_point).to(torch.int64).to(ruler.dtype)


def clipped_twice(x: Tensor, ruler: Ruler) -> Tensor:
    """Clip before the shift, and after it once more."""
    steps = torch.round(x * (1 / ruler.scale)).clamp(ruler.quant_min, ruler.quant_max)
    return clipped(steps + ruler.zero_point, ruler)


QUANTIZE = Exercise(
    name="quantize",
    call="quantize(x, ruler)",
    task="the codes of the numbers in x, in the dtype ruler.dtype",
    drive=one("codes"),
    right=right,
    cases=(
        Case(
            "a ruler whose zero point is 0", (torch.tensor([0.0, 0.3, -0.7, 1.9]), ruler(0.25, 0))
        ),
        Case("the zero point 10", (torch.tensor([[0.0, 1.1], [-1.3, 2.6]]), ruler(0.25, 10))),
        Case(
            "numbers halfway between two codes",
            (torch.tensor([0.25, 0.75, 1.25, -0.25, -0.75]), ruler(0.5, 0)),
        ),
        Case(
            "numbers halfway between two codes and an odd zero point",
            (torch.tensor([0.25, 0.75, 1.25, -0.25, -0.75]), ruler(0.5, 3)),
        ),
        Case(
            "numbers beyond the ruler",
            (torch.tensor([70.0, 64.5, -64.5, 1e9, -1e9]), ruler(0.5, 21)),
        ),
        Case("numbers too large for int32", (torch.tensor([1e10, -1e10]), ruler(0.25, 10, 0, 255))),
        Case("codes from 0 to 255", (torch.tensor([-3.0, 40.0, 100.0]), ruler(0.25, 64, 0, 255))),
        Case("four bits", (torch.tensor([-9.0, 9.0, 0.4]), ruler(1.0, 0, -8, 7))),
        Case("a single number", (torch.tensor(0.8), ruler(0.1, 0))),
        Case(
            "a scale for each row",
            (
                torch.tensor([[0.3, -0.5], [3.0, -5.0]]),
                Ruler(torch.tensor([[0.1], [1.0]]), torch.tensor([[0], [2]]), -128, 127),
            ),
        ),
        Case(
            "a scale for which 1 / scale is rounded",
            (torch.arange(-300, 300) * 0.1 + 0.05, ruler(0.1, 0)),
        ),
    ),
    mistakes={
        "You cut the fraction off: round to the nearest code.": rounding(torch.trunc),
        "You round down: round to the nearest code.": rounding(torch.floor),
        "You round up: round to the nearest code.": rounding(torch.ceil),
        "You multiply by the scale: a number has x / scale steps.": lambda x, ruler: clipped(
            torch.round(x * ruler.scale) + ruler.zero_point, ruler
        ),
        "You forgot the zero point: add it to the rounded steps.": lambda x, ruler: clipped(
            torch.round(x * (1 / ruler.scale)), ruler
        ),
        "You subtract the zero point: codes count from it, so add it.": lambda x, ruler: clipped(
            torch.round(x * (1 / ruler.scale)) - ruler.zero_point, ruler
        ),
        "Your codes are off by one at ties: PyTorch rounds halves to even, "
        "you round them away from zero.": rounding(away_from_zero),
        "Your codes are off by one at ties: PyTorch rounds halves to even, "
        "you round them up.": rounding(lambda steps: torch.floor(steps + 0.5)),
        "Your codes are off by one at ties: you add the zero point before you round, so halves go "
        "to even codes. `fake_quantize` rounds the steps first.": lambda x, ruler: clipped(
            torch.round(x * (1 / ruler.scale) + ruler.zero_point), ruler
        ),
        "You clip before you add the zero point, so codes wrap around: clip last.": (
            clipped_before_the_shift
        ),
        "You clip before you add the zero point, and lose codes that fit: clip last.": (
            clipped_twice
        ),
        "Codes beyond the ruler wrap around when they become eight bits: clip them before you "
        "convert them.": wrapped,
        "You convert to integers before you clip: large numbers do not fit into int32. Clip "
        "first.": integers_before_clipping,
        "You clip to -127: the ruler begins at quant_min, and has one code more.": (
            lambda x, ruler: right(x, ruler).clamp(min=ruler.quant_min + 1)
        ),
        "You clip to eight bits: clip to quant_min and quant_max of the ruler.": lambda x, ruler: (
            right(x, Ruler(ruler.scale, ruler.zero_point, *limits(ruler.dtype)))
        ),
        "You compute in float64. PyTorch computes in float32, and next to a tie that gives another "
        "code.": lambda x, ruler: clipped(
            torch.round(x.double() * (1 / ruler.scale.double())) + ruler.zero_point, ruler
        ),
        "You multiply in float64. PyTorch rounds the product to float32, and next to a tie that "
        "gives another code.": lambda x, ruler: clipped(
            torch.round(x.double() * (1 / ruler.scale).double()) + ruler.zero_point, ruler
        ),
        "You divide by the scale. PyTorch multiplies by 1 / scale, which is rounded to float32; "
        "next to a tie that gives another code.": lambda x, ruler: clipped(
            torch.round(x / ruler.scale) + ruler.zero_point, ruler
        ),
    },
    hints=(
        "Four things happen in this order: steps, rounding, shift, clipping. Last the codes get "
        "the type of the ruler.",
        "Look at torch.round, Tensor.clamp and Tensor.to in the documentation of torch.",
    ),
    praise="Your codes are those of torch.fake_quantize_per_tensor_affine, at ties and ends too.",
    place=at("x"),
)


def limits(dtype: torch.dtype) -> tuple[int, int]:
    """Return the first and the last code of a type."""
    return torch.iinfo(dtype).min, torch.iinfo(dtype).max


def numbers(q: Tensor, ruler: Ruler) -> Tensor:
    """Return what codes mean."""
    return ruler.scale * (q.to(torch.float32) - ruler.zero_point)


def small_difference(q: Tensor, ruler: Ruler) -> Tensor:
    """Subtract in the eight bits of the codes, which wrap around."""
    return ruler.scale * (q - ruler.zero_point.to(q.dtype)).to(torch.float32)


DEQUANTIZE = Exercise(
    name="dequantize",
    call="dequantize(q, ruler)",
    task="the numbers that the codes q mean, in float32",
    drive=one("numbers"),
    right=numbers,
    cases=(
        Case("a zero point of 10", (torch.tensor([5, 10, 30], dtype=torch.int8), ruler(0.5, 10))),
        Case(
            "codes in uint8 below the zero point",
            (torch.tensor([[3, 0], [64, 255]], dtype=torch.uint8), ruler(0.25, 64, 0, 255)),
        ),
        Case(
            "a scale for each row",
            (
                torch.tensor([[3, -5], [3, -5]], dtype=torch.int8),
                Ruler(torch.tensor([[0.1], [1.0]]), torch.tensor([[0], [2]]), -128, 127),
            ),
        ),
        Case("all codes in uint8", (torch.arange(256).to(torch.uint8), ruler(0.1, 7, 0, 255))),
    ),
    mistakes={
        "You multiply the code and the zero point apart, which rounds twice: subtract first, then "
        "multiply once.": lambda q, ruler: (
            ruler.scale * q.to(torch.float32) - ruler.scale * ruler.zero_point
        ),
        "You forgot the zero point: subtract it before you multiply.": lambda q, ruler: (
            ruler.scale * q
        ),
        "You add the zero point: subtract it.": lambda q, ruler: (
            ruler.scale * (q.to(torch.float32) + ruler.zero_point)
        ),
        "You subtract the zero point after you multiplied: it is a code, so subtract it from the "
        "code.": lambda q, ruler: ruler.scale * q - ruler.zero_point,
        "You divide by the scale: q - zero_point steps of this size make the number.": (
            lambda q, ruler: (q.to(torch.float32) - ruler.zero_point) / ruler.scale
        ),
        "You make the codes int8, which ends at 127: make them float32.": lambda q, ruler: (
            ruler.scale * (q.to(torch.int8).to(torch.float32) - ruler.zero_point)
        ),
        "You divide by 1 / scale, which is rounded: multiply by the scale.": lambda q, ruler: (
            (q.to(torch.float32) - ruler.zero_point) / (1 / ruler.scale)
        ),
        "You subtract in eight bits, and a negative difference wraps around: make the codes float "
        "first.": small_difference,
    },
    hints=(
        "It is the way back: the last thing that quantize adds is the first to take off.",
        "A difference of codes may need nine bits: convert with .to(torch.float32) before.",
    ),
    praise="Your numbers are those of Tensor.dequantize.",
    place=at("q"),
)
