"""Step 5: from the sums of one layer to the codes of the next."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from qlearn.course.exercises.exercise import Case, Exercise, one
from qlearn.course.exercises.tinyquant.quantize import away_from_zero
from qlearn.course.exercises.tinyquant.quantize import right as quantize
from qlearn.course.exercises.tinyquant.ruler import Ruler, ruler


def right(
    total: Tensor,
    step: Tensor,
    bias: Tensor,
    output: Ruler,
    relu: bool = False,
    *,
    by: Any = torch.round,
    shift: int = 1,
    dtype: torch.dtype = torch.float32,
) -> Tensor:
    """Return the codes that fbgemm makes; the last three make known mistakes."""
    steps = by((total.to(dtype) + bias / step) * (step / output.scale))
    lowest = max(int(output.zero_point), output.quant_min) if relu else output.quant_min
    return (steps + shift * output.zero_point).clamp(lowest, output.quant_max).to(output.dtype)


def with_options(**options: Any) -> Any:
    """Return the function with a mistake."""
    return lambda *args: right(*args, **options)


def shifted(steps: Tensor, output: Ruler, relu: bool) -> Tensor:
    """Return the codes that lie so many steps from the zero point."""
    lowest = int(output.zero_point) if relu else output.quant_min
    return (steps + output.zero_point).clamp(lowest, output.quant_max).to(output.dtype)


def raw_bias(
    total: Tensor, step: Tensor, bias: Tensor, output: Ruler, relu: bool = False
) -> Tensor:
    """Add the bias to the sum as it is."""
    return right(total, step, bias * step, output, relu)


def integer_bias(
    total: Tensor, step: Tensor, bias: Tensor, output: Ruler, relu: bool = False
) -> Tensor:
    """Round the bias to whole steps, as qnnpack does."""
    return right(total, step, torch.round(bias / step) * step, output, relu)


def cut_bias(
    total: Tensor, step: Tensor, bias: Tensor, output: Ruler, relu: bool = False
) -> Tensor:
    """Make the bias an integer, as .to(torch.int32) does."""
    return right(total, step, torch.trunc(bias / step) * step, output, relu)


def multiplied_bias(
    total: Tensor, step: Tensor, bias: Tensor, output: Ruler, relu: bool = False
) -> Tensor:
    """Multiply the bias by the step."""
    return right(total, step, bias * step * step, output, relu)


def times_the_reciprocal(
    total: Tensor, step: Tensor, bias: Tensor, output: Ruler, relu: bool = False
) -> Tensor:
    """Multiply by 1 / scale, as quantize does."""
    steps = torch.round((total.to(torch.float32) + bias / step) * (step * (1 / output.scale)))
    return shifted(steps, output, relu)


def in_float64(
    total: Tensor, step: Tensor, bias: Tensor, output: Ruler, relu: bool = False
) -> Tensor:
    """Compute with more bits throughout."""
    wide = output._replace(scale=output.scale.double())
    return right(total, step.double(), bias.double(), wide, relu, dtype=torch.float64)


def in_real_units(
    total: Tensor, step: Tensor, bias: Tensor, output: Ruler, relu: bool = False
) -> Tensor:
    """Make real numbers first."""
    steps = torch.round((total * step + bias) / output.scale)
    return shifted(steps, output, relu)


def as_quantize_does(
    total: Tensor, step: Tensor, bias: Tensor, output: Ruler, relu: bool = False
) -> Tensor:
    """Make real numbers, and quantize them."""
    codes = quantize(total * step + bias, output)
    return codes.clamp(min=int(output.zero_point)) if relu else codes


def multiplied_and_divided(
    total: Tensor, step: Tensor, bias: Tensor, output: Ruler, relu: bool = False
) -> Tensor:
    """Take two steps for the one multiplication."""
    steps = torch.round((total + bias / step) * step / output.scale)
    return shifted(steps, output, relu)


def rounded_after_the_shift(
    total: Tensor, step: Tensor, bias: Tensor, output: Ruler, relu: bool = False
) -> Tensor:
    """Add the zero point first, so that halves go to even codes."""
    codes = torch.round((total + bias / step) * (step / output.scale) + output.zero_point)
    lowest = int(output.zero_point) if relu else output.quant_min
    return codes.clamp(lowest, output.quant_max).to(output.dtype)


def bias_in_output_steps(
    total: Tensor, step: Tensor, bias: Tensor, output: Ruler, relu: bool = False
) -> Tensor:
    """Add the bias after the multiplication."""
    steps = torch.round(total * (step / output.scale) + bias / output.scale)
    return shifted(steps, output, relu)


def relu_before_bias(
    total: Tensor, step: Tensor, bias: Tensor, output: Ruler, relu: bool = False
) -> Tensor:
    """Make negative sums 0, and add the bias then."""
    return right(total.clamp(min=0) if relu else total, step, bias, output)


def inverse_factor(
    total: Tensor, step: Tensor, bias: Tensor, output: Ruler, relu: bool = False
) -> Tensor:
    """Multiply by the inverse of the factor."""
    steps = torch.round((total + bias / step) * (output.scale / step))
    return shifted(steps, output, relu)


def divided_by_the_inverse(
    total: Tensor, step: Tensor, bias: Tensor, output: Ruler, relu: bool = False
) -> Tensor:
    """Divide by the inverse of the factor."""
    steps = torch.round((total + bias / step) / (output.scale / step))
    return shifted(steps, output, relu)


def on_a_ruler_of_sums(
    total: Tensor, step: Tensor, bias: Tensor, output: Ruler, relu: bool = False
) -> Tensor:
    """Quantize the sums on a ruler whose scale is output.scale / step."""
    steps = torch.round((total + bias / step) * (1 / (output.scale / step)))
    return shifted(steps, output, relu)


def for_each_row(
    total: Tensor, step: Tensor, bias: Tensor, output: Ruler, relu: bool = False
) -> Tensor:
    """Turn step and bias into columns."""
    return right(total, step[:, None], bias[:, None], output, relu)


def clipped_to_bytes(
    total: Tensor, step: Tensor, bias: Tensor, output: Ruler, relu: bool = False
) -> Tensor:
    """Clip to 0 … 255 whatever the ruler is."""
    lowest = max(int(output.zero_point), 0) if relu else 0
    return right(total, step, bias, output._replace(quant_min=lowest, quant_max=255)).to(
        output.dtype
    )


def wrapped(total: Tensor, step: Tensor, bias: Tensor, output: Ruler, relu: bool = False) -> Tensor:
    """Forget to clip."""
    steps = torch.round((total.to(torch.float32) + bias / step) * (step / output.scale))
    codes = (steps + output.zero_point).to(torch.int64)
    return (codes.clamp(min=int(output.zero_point)) if relu else codes).to(output.dtype)


def clipped_before_the_shift(
    total: Tensor, step: Tensor, bias: Tensor, output: Ruler, relu: bool = False
) -> Tensor:
    """Clip first, and add the zero point then."""
    steps = torch.round((total.to(torch.float32) + bias / step) * (step / output.scale))
    lowest = 0 if relu else output.quant_min
    codes = steps.clamp(lowest, output.quant_max) + output.zero_point
    return codes.to(torch.int64).to(output.dtype)


def tensor(*numbers: float) -> Tensor:
    """Return numbers in float32."""
    return torch.tensor(numbers, dtype=torch.float32)


def sums(*rows: list[int]) -> Tensor:
    """Return sums in int32."""
    return torch.tensor(rows, dtype=torch.int32)


HAND = tensor(0.0005), tensor(0.1), ruler(0.05, 60, 0, 255)
WIDE = torch.arange(-60_000, 60_000, 25, dtype=torch.int32).reshape(-1, 2)
SCALES = tensor(0.0002, 0.00031)

REQUANTIZE = Exercise(
    name="requantize",
    call="requantize(total, step, bias, output, relu=False)",
    task="the codes of the layer's output, in the dtype output.dtype",
    drive=one("codes"),
    right=right,
    cases=(
        # A factor of 1.5, whose inverse or whose parts alone make codes that are not clipped.
        Case(
            "a step of 0.75 and no bias",
            (sums([12], [-20]), tensor(0.75), tensor(0.0), ruler(0.5, 60, 0, 255)),
        ),
        Case("a sum of 3,160 and no bias", (sums([3160]), HAND[0], tensor(0.0), HAND[2])),
        Case(
            "a bias of 3 and a step of 0.5",
            (sums([4], [10]), tensor(0.5), tensor(3.0), ruler(0.5, 60, 0, 255)),
        ),
        Case("the sums 3,160 and -3,210 of the page", (sums([3160], [-3210]), *HAND)),
        Case(
            "sums halfway between two codes",
            (sums([50], [150], [250], [-50]), tensor(0.0625), tensor(0.0), ruler(6.25, 61, 0, 255)),
        ),
        Case(
            "sums beyond the ruler",
            (sums([90_000], [-90_000], [22_000]), *HAND[:1], tensor(0.0), HAND[2]),
        ),
        Case(
            "codes from -128 to 127",
            (sums([3160], [-3210], [90_000], [-90_000]), *HAND[:2], ruler(0.05, -20)),
        ),
        Case("a ReLU", (sums([3160], [-3210]), *HAND, True)),
        Case("a ReLU and large sums", (sums([22_000], [90_000], [-3210]), *HAND, True)),
        Case(
            "a step and a bias for each output",
            (
                sums([8000, 8000], [-5000, 100]),
                SCALES,
                tensor(0.11, -0.37),
                ruler(0.02, 100, 0, 255),
            ),
        ),
        # Four codes for a step of the sum: no integer stands for either bias.
        Case(
            "biases of 2.4 and 2.9 steps",
            (sums([10, 10]), tensor(0.5, 0.5), tensor(1.2, 1.45), ruler(0.125, 60, 0, 255)),
        ),
        Case(
            "a sum of 25,982",
            (
                sums([25_982]),
                tensor(0.0005062566488),
                tensor(0.0),
                ruler(0.0868221819, 0, 0, 255),
            ),
        ),
        Case("4,800 sums", (WIDE, SCALES, tensor(0.11, -0.37), ruler(0.25, 128, 0, 255))),
        Case(
            "4,800 sums and a ReLU", (WIDE, SCALES, tensor(0.1, 0.2), ruler(0.1, 0, 0, 255), True)
        ),
        Case(
            "a sum of 18,676",
            (
                sums([18_676]),
                tensor(0.0003766805457),
                tensor(0.0),
                ruler(0.06309314817, 0, 0, 255),
            ),
        ),
    ),
    mistakes={
        "You forgot the zero point of the output: add it after you rounded.": with_options(shift=0),
        "You subtract the zero point of the output: add it.": with_options(shift=-1),
        "You cut the fraction off: round to the nearest code.": with_options(by=torch.trunc),
        "You round down: round to the nearest code.": with_options(by=torch.floor),
        "You forgot the bias.": lambda total, step, bias, *rest: right(
            total, step, bias * 0, *rest
        ),
        "You add the bias to the sum as it is. The sum counts steps: divide the bias by the "
        "step.": raw_bias,
        "Your codes are off by one at ties: PyTorch rounds halves to even, you round them away "
        "from zero.": with_options(by=away_from_zero),
        "Your codes are off by one at ties: PyTorch rounds halves to even, you round them up.": (
            with_options(by=lambda steps: torch.floor(steps + 0.5))
        ),
        "Your codes are off by one at ties: you add the zero point before you round, so halves go "
        "to even codes. Round first.": rounded_after_the_shift,
        "You clip to 0 … 255: clip to quant_min and quant_max of the output.": clipped_to_bytes,
        "You multiply by output.scale / step: the factor is step / output.scale.": inverse_factor,
        "You divide by output.scale / step, which is rounded otherwise: multiply by "
        "step / output.scale.": divided_by_the_inverse,
        "You multiply by 1 / (output.scale / step), as quantize does on a ruler of this scale. "
        "That is rounded twice: multiply by step / output.scale.": on_a_ruler_of_sums,
        "Your ReLU acts before the bias: add the bias first.": relu_before_bias,
        "Your step and your bias have the shape (n, 1), and so each row of sums gets its own. Each "
        "column needs one: leave them in the shape (n,).": for_each_row,
        "You add the bias in steps of the output. That is the same on paper, but not in float32: "
        "add bias / step to the sum, then multiply once.": bias_in_output_steps,
        "You clip before you add the zero point: clip last.": clipped_before_the_shift,
        "Codes beyond the ruler wrap around when they become eight bits: clip them before you "
        "convert them.": wrapped,
        "With relu=True let no code be smaller than the zero point, which means the number 0. The "
        "code 0 means another number.": (
            lambda total, step, bias, output, relu=False: right(total, step, bias, output)
        ),
        "Without a ReLU your codes never fall below the zero point: the lower end is quant_min "
        "then, and clipping comes last.": (
            lambda total, step, bias, output, relu=False: right(total, step, bias, output, True)
        ),
        "You multiply the bias by the step: divide it.": multiplied_bias,
        "You multiply by 1 / output.scale. Here FBGEMM divides: step / output.scale.": (
            times_the_reciprocal
        ),
        "You compute in float64. FBGEMM computes in float32, so the sums halfway between two codes "
        "fall otherwise.": with_options(dtype=torch.float64),
        "You compute in float64, the scales too. FBGEMM computes in float32, so sums next to the "
        "middle between two codes fall otherwise.": in_float64,
        "You round the bias to whole steps. Another of PyTorch's libraries does so as well; FBGEMM "
        "adds it in float32.": integer_bias,
        "You cut the fraction of the bias off: FBGEMM adds bias / step in float32.": cut_bias,
        "You make real numbers of the sums and divide then, which rounds twice: multiply once, by "
        "step / output.scale.": in_real_units,
        "You make real numbers of the sums and quantize them, which rounds several times: multiply "
        "once, by step / output.scale.": as_quantize_does,
        "You multiply by the step and divide by the scale, which rounds twice: compute "
        "step / output.scale first.": multiplied_and_divided,
    },
    hints=(
        "First bring the bias into the unit of the sums, then change the unit of both at once.",
        "A ReLU only moves the lower end of clamp.",
    ),
    praise="Your codes are those that FBGEMM makes of its sums.",
    place=lambda args, index: f"the sum {int(args[0][index]):,}",
)
