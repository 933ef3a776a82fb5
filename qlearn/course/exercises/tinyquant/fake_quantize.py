"""Step 7: a rounding with a gradient."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from qlearn.course.exercises.exercise import Case, Exercise, Parts, WrongError, at
from qlearn.course.exercises.tinyquant import quantize
from qlearn.course.exercises.tinyquant.ruler import Ruler, ruler


def straight_through(y: Tensor, x: Tensor, passes: Tensor | float) -> Tensor:
    """Return y exactly, with a gradient that is multiplied by `passes`."""
    return y + (x - x.detach()) * passes


def steps_of(x: Tensor, ruler: Ruler) -> Tensor:
    """Return the codes before clipping."""
    return torch.round(x.detach() * (1 / ruler.scale)) + ruler.zero_point


def there_and_back(x: Tensor, ruler: Ruler) -> Tensor:
    """Return what comes back from the codes, without a gradient."""
    return quantize.numbers(quantize.right(x.detach(), ruler), ruler)


def right(x: Tensor, ruler: Ruler) -> Tensor:
    """Let the gradient pass where nothing was clipped."""
    codes = steps_of(x, ruler)
    inside = (codes >= ruler.quant_min) & (codes <= ruler.quant_max)
    return straight_through(there_and_back(x, ruler), x, inside.to(torch.float32))


def divided(x: Tensor, ruler: Ruler) -> Tensor:
    """Divide by the scale."""
    codes = torch.round(x.detach() / ruler.scale) + ruler.zero_point
    inside = (codes >= ruler.quant_min) & (codes <= ruler.quant_max)
    y = quantize.numbers(quantize.clipped(codes, ruler), ruler)
    return straight_through(y, x, inside.to(torch.float32))


def everywhere(x: Tensor, ruler: Ruler) -> Tensor:
    """Let the gradient pass where numbers are clipped, too."""
    return straight_through(there_and_back(x, ruler), x, 1.0)


def nowhere(x: Tensor, ruler: Ruler) -> Tensor:
    """Differentiate the rounding itself."""
    return straight_through(there_and_back(x, ruler), x, 0.0)


def between_the_ends(x: Tensor, ruler: Ruler) -> Tensor:
    """Ask whether the number lies between the ends, instead of its code."""
    ends = torch.tensor([ruler.quant_min, ruler.quant_max])
    low, high = (ruler.scale * (ends - ruler.zero_point)).tolist()
    passes = (x.detach() >= low) & (x.detach() <= high)
    return straight_through(there_and_back(x, ruler), x, passes.to(torch.float32))


def strictly_inside(x: Tensor, ruler: Ruler) -> Tensor:
    """Stop the gradient at the end codes."""
    codes = steps_of(x, ruler)
    inside = (codes > ruler.quant_min) & (codes < ruler.quant_max)
    return straight_through(there_and_back(x, ruler), x, inside.to(torch.float32))


def before_the_shift(x: Tensor, ruler: Ruler) -> Tensor:
    """Compare the steps, which lack the zero point, with the end codes."""
    steps = steps_of(x, ruler) - ruler.zero_point
    inside = (steps >= ruler.quant_min) & (steps <= ruler.quant_max)
    return straight_through(there_and_back(x, ruler), x, inside.to(torch.float32))


def times(factor: float) -> Any:
    """Return the function whose gradient is multiplied by a power of the scale."""
    return lambda x, ruler: straight_through(
        there_and_back(x, ruler), x, float(ruler.scale) ** factor
    )


def returns_codes(x: Tensor, ruler: Ruler) -> Tensor:
    """Forget the way back."""
    codes = quantize.right(x.detach(), ruler).to(torch.float32)
    return straight_through(codes, x, 1.0)


def drive(subject: Any, x: Tensor, ruler: Ruler) -> Parts:
    """Return the numbers and their gradient.

    Raises:
        WrongError: the result has no gradient at all.
    """
    with torch.enable_grad():
        leaf = x.requires_grad_()
        y = subject(leaf, ruler)
        if not isinstance(y, Tensor):
            return {"numbers": y}
        if y.is_floating_point() and not y.requires_grad:
            raise WrongError(
                "Your numbers have no gradient: nothing leads from them back to x. Detach the "
                "rounded numbers alone, and let x join them."
            )
        if y.requires_grad:
            y.sum().backward()
    gradient = torch.zeros_like(x) if leaf.grad is None else leaf.grad
    return {"numbers": y.detach(), "gradient": gradient.detach()}


ENDS = torch.tensor([-4.4, -3.9, 1.0, 3.4, 3.6, 9.0])

FAKE_QUANTIZE = Exercise(
    name="fake_quantize",
    call="fake_quantize(x, ruler)",
    task="dequantize(quantize(x)), with the gradient 1 where nothing is clipped and 0 elsewhere",
    drive=drive,
    right=right,
    cases=(
        Case("numbers on the ruler", (torch.tensor([0.26, 0.9, -1.2]), ruler(0.5, 0))),
        Case("numbers beyond the ruler", (torch.tensor([0.26, 9.0, -9.0]), ruler(0.5, 0, -8, 7))),
        Case("numbers next to the ends", (ENDS, ruler(1.0, 0, -4, 3))),
        Case("a zero point", (torch.tensor([-0.4, 1.0, 62.0, 80.0]), ruler(0.5, 100, 0, 255))),
        Case(
            "a scale for which 1 / scale is rounded",
            (torch.arange(-100, 100) * 0.1 + 0.05, ruler(0.1, 0)),
        ),
        Case("a matrix", (torch.tensor([[0.1, 5.0], [-0.3, -5.0]]), ruler(0.25, -3, -8, 7))),
    ),
    mistakes={
        "You return codes: the numbers that they mean should come back.": returns_codes,
        "Your gradient is 0 everywhere: a staircase is flat. Let the gradient pass as if nothing "
        "had been rounded.": nowhere,
        "Your gradient passes where numbers were clipped: multiply it by 0 there.": everywhere,
        "Your gradient stops within half a step beyond the ends. Those numbers still get the last "
        "code without clipping: compare codes, not numbers.": between_the_ends,
        "Your gradient stops at the first and the last code: these are not clipped.": (
            strictly_inside
        ),
        "You compare steps with the ends of the codes: add the zero point first.": (
            before_the_shift
        ),
        "Your gradient is multiplied by the scale: the way there and the way back cancel.": times(
            1.0
        ),
        "Your gradient is divided by the scale: the way there and the way back cancel.": times(
            -1.0
        ),
        "You divide by the scale: multiply by 1 / scale as your quantize does, or call it.": (
            divided
        ),
    },
    hints=(
        "A number is clipped if its code before clamp lies beyond quant_min … quant_max.",
        "x - x.detach() is 0, and its gradient is 1: add it to numbers that have none.",
    ),
    praise="Numbers and gradients are those of torch.fake_quantize_per_tensor_affine, but for the "
    "last bits.",
    last_bits=False,
    place=at("x"),
)
