"""nudged_range and tensorflow_fake_quantize against TensorFlow's kernels, gradients too."""

from __future__ import annotations

import importlib
import math
import os
from functools import cache
from typing import Any

import torch
from torch import Tensor

from proofs.draw import Draw
from proofs.inputs import X, ranges, trained, with_gradient
from proofs.proof import proof
from proofs.public import Large, public
from qlearn import nudged_range, tensorflow_fake_quantize


@cache
def _tensorflow() -> Any:
    """Return TensorFlow, which is slow to import, told to be silent."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")  # which it would announce
    return importlib.import_module("tensorflow")


def _tensorflows(
    x: Tensor, low: Tensor, high: Tensor, dy: Tensor, options: dict[str, Any]
) -> tuple[Tensor, ...]:
    """Return the result of the kernel for one range or for channels, and its three gradients."""
    tensorflow = _tensorflow()
    kernels = tensorflow.quantization
    kernel = (
        kernels.fake_quant_with_min_max_vars_per_channel
        if low.ndim
        else kernels.fake_quant_with_min_max_vars
    )
    inputs = [tensorflow.constant(given.numpy()) for given in (x, low, high)]
    with tensorflow.GradientTape() as tape:
        tape.watch(inputs)
        y = kernel(*inputs, num_bits=options["bits"], narrow_range=options["narrow_range"])
    gradients = tape.gradient(y, inputs, output_gradients=tensorflow.constant(dy.numpy()))
    return tuple(torch.tensor(result.numpy()) for result in (y, *gradients))


def _range(draw: Draw) -> tuple[float, float]:
    """Return a range with 0 inside, at an end, outside, or nothing but 0."""
    width, share = draw.scale(), torch.rand((), generator=draw.generator).item()
    low, high = {
        0: (0.0, width),
        1: (-width, 0.0),
        2: (share * width, share * width + width),
        3: (-share * width - width, -share * width),
        4: (0.0, 0.0),
        5: (-width, width),
    }.get(draw.integer(0, 19), (-share * width, (1 - share) * width))
    return low, high


def _options(draw: Draw) -> dict[str, Any]:
    return {"bits": draw.choice([8, 8, 4, *range(2, 17)]), "narrow_range": draw.chance(0.5)}


def _hard_values(draw: Draw, low: float, high: float, options: dict[str, Any]) -> Tensor:
    """Return ties of the step, both nudged ends and their neighbours, and what is easily lost."""
    start, stop, scale = nudged_range(low, high, **options)
    x = draw.hard_tensor(scale.item() or 1.0)
    ends = torch.stack([start, stop])
    infinity = torch.full((2,), math.inf)
    near = torch.cat([ends, torch.nextafter(ends, infinity), torch.nextafter(ends, -infinity)])
    return torch.cat([x.flatten(), near, draw.normal(9) * (stop - start)]) if x.ndim == 1 else x


def _gradients(draw: Draw, x: Tensor) -> Tensor:
    """Return whole numbers, whose sums are exact, so that the order of addition is no matter."""
    return draw.codes(x.shape, torch.float32, -64, 64)


def _ours(
    x: Tensor, low: Tensor, high: Tensor, dy: Tensor, options: dict[str, Any]
) -> tuple[Tensor, ...]:
    leaves = [given.detach().requires_grad_() for given in (x, low, high)]
    y = tensorflow_fake_quantize(*leaves, **options, axis=-1 if low.ndim else None)
    return y.detach(), *torch.autograd.grad(y, leaves, dy)


@proof(
    "tensorflow_fake_quantize",
    "tf.quantization.fake_quant_with_min_max_vars, forward and backward",
    package="tensorflow",
)
def per_tensor(draw: Draw) -> tuple[Any, Any]:
    """Compare 2 to 16 bits."""
    options, (low, high) = _options(draw), _range(draw)
    x = _hard_values(draw, low, high, options)
    case = x, torch.tensor(low), torch.tensor(high), _gradients(draw, x), options
    return _ours(*case), _tensorflows(*case)


@proof(
    "tensorflow_fake_quantize",
    "tf.quantization.fake_quant_with_min_max_vars_per_channel, forward and backward",
    package="tensorflow",
)
def per_channel(draw: Draw) -> tuple[Any, Any]:
    """Compare along the last axis of one to three dimensions."""
    options = _options(draw)
    ranges = [_range(draw) for _ in range(draw.integer(1, 4))]
    rows = [draw.hard_values(nudged_range(*ends, **options)[2].item() or 1.0, 6) for ends in ranges]
    shape = draw.choice([(-1,), (4, -1), ()])
    x = torch.stack(rows, dim=-1)
    x = x.reshape(*shape, len(rows)) if shape else x[draw.integer(0, 47)]
    low, high = torch.tensor(ranges).T.contiguous()
    case = x, low, high, _gradients(draw, x), options
    return _ours(*case), _tensorflows(*case)


@proof("nudged_range", "the ends and the first step of TensorFlow's kernel", package="tensorflow")
def nudged(draw: Draw) -> tuple[Any, Any]:
    """Compare with what the kernel makes of infinities, and of the step itself."""
    options, (low, high) = _options(draw), _range(draw)
    start, stop, scale = nudged_range(low, high, **options)
    sign = 1.0 if stop > 0 else -1.0
    x = torch.stack([torch.tensor(-math.inf), torch.tensor(math.inf), sign * scale])
    y, *_ = _tensorflows(x, torch.tensor(low), torch.tensor(high), x * 0, options)
    return torch.stack([start, stop, sign * scale + 0.0]), y  # + 0.0 turns −0.0 into 0.0


public(
    "tensorflow_fake_quantize",
    "models/qat_to_the_bit",
    {
        "x": X,
        "min_val": torch.tensor([-1.0, -2.0]),
        "max_val": torch.tensor([1.0, 2.0]),
        "bits": 4,
        "axis": 0,
    },
    Large("and backward", with_gradient, trained(lambda x: tensorflow_fake_quantize(x, -4.0, 5.0))),
    keeps_nan=True,
)
public(
    "nudged_range",
    "models/qat_to_the_bit",
    {"min_val": -1.0, "max_val": 2.0, "bits": 4, "narrow_range": True},
    Large("many channels", ranges, nudged_range),
)
