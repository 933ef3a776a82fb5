"""oneDNN's linear layers on ARM with one weight scale: the Arm Compute Library computes them.

There PyTorch gives a weight with one scale to that library. oneDNN itself keeps a weight with a
scale per row; if that weight has one row only, it lets the library multiply in the dynamic layer.
The library rounds by other rules. The dynamic layer scales back the sum and the zero point's share
one after the other. In the static one the multiplier becomes an integer and a shift, as in Jacob et
al. (2018), and two roundings follow one another. Found by comparing with torch 2.13 on Linux, on an
emulated Neoverse N1 with one thread; other ARM processors may have other kernels.
"""

from __future__ import annotations

import math

import torch
from jaxtyping import Float32, Int8, Int32, Int64, UInt8
from torch import Tensor

from qlearn.checks.layers import Engine
from qlearn.integers.matmul import accumulate, unsigned
from qlearn.machine import onednn_uses_arm_compute
from qlearn.numbers.fma import fma
from qlearn.numbers.qparams import QParams
from qlearn.numbers.qtensor import QTensor
from qlearn.numbers.rules.kernel import choose_dynamic

VECTOR = 16  # how many numbers its quantization takes at a time
# The longest sum that a Neoverse N1's kernel does not cut: half of 32 KiB, by twelve columns, down
# to a multiple of four.
LONGEST_SUM = 2**14 // 12 // 4 * 4
LONGEST_SHIFT = 62  # what is left of an int32 sum is 0 long before


def computes(engine: Engine, weight: QTensor) -> bool:
    """Say whether PyTorch hands a linear layer with this weight to the library on this machine.

    >>> weight = QTensor(torch.ones(1, 1, dtype=torch.int8), QParams(1.0, 0, -128, 127, torch.int8))
    >>> computes("fbgemm", weight)
    False
    """
    return engine == "onednn" and weight.qparams.axis is None and onednn_uses_arm_compute()


def multiplies(engine: Engine, weight: QTensor) -> bool:
    """Say whether the library multiplies for oneDNN, which has quantized the activations itself.

    It does in a dynamic layer whose weight is a single row with a scale of its own.

    >>> weight = QTensor(torch.ones(2, 1, dtype=torch.int8),
    ...                  QParams([1.0, 2.0], [0, 0], -128, 127, torch.int8, axis=0))
    >>> multiplies("onednn", weight)
    False
    """
    one_row = weight.qparams.axis in (0, -2) and len(weight.values) == 1
    return engine == "onednn" and one_row and onednn_uses_arm_compute()


def dynamic_layer(
    x: Float32[Tensor, "m k"],
    ends: tuple[float, float],
    weight: QTensor,
    bias: Float32[Tensor, " n"] | None,
    *,
    reduce_range: bool,
) -> Float32[Tensor, "m n"]:
    """Return the dynamic layer: int8 codes, and their product scaled back.

    ``ends`` are the smallest and the largest number of x, all of which are finite.
    """
    scale, zero_point = choose_dynamic(*ends, reduce_range=reduce_range, dtype=torch.int8)
    step = torch.tensor(scale, dtype=torch.float32)
    codes = torch.round(_steps(x, step)).add_(zero_point).clamp_(-128, 127).to(torch.int8)
    return scaled_back(codes, zero_point, weight, step * weight.qparams.scale, bias)


def scaled_back(
    codes: Int8[Tensor, "m k"],
    zero_point: int,
    weight: QTensor,
    factor: Float32[Tensor, "*n"],
    bias: Float32[Tensor, " n"] | None,
) -> Float32[Tensor, "m n"]:
    """Return the layer from its codes: ``fma(−z·Σq_w, factor, fma(Σ q_x·q_w, factor, bias))``.

    Raises:
        ValueError: more than 1,364 inputs. There the library's kernel for a Neoverse N1 cuts the
            sum into parts and scales each of them back. Other kernels may cut sooner.
    """
    if codes.shape[1] > LONGEST_SUM:
        raise ValueError(
            f"the layer has {codes.shape[1]:,} inputs and a weight with one scale, and from "
            f"{LONGEST_SUM + 1:,} on what the engine onednn computes on ARM depends on the kernel "
            "that it chooses, which qlearn does not model: take the engine qnnpack, or, if the "
            "weight has several rows, give each a scale"
        )
    total = accumulate(unsigned(codes), 128, weight.values, weight.qparams.zero_point)
    weight_sums = weight.values.sum(dim=1, dtype=torch.int32)
    factors = factor.expand(total.shape)
    start = factors.new_zeros(total.shape) if bias is None else bias.expand(total.shape)
    y = fma(total.to(torch.float32), factors, start)
    return fma((-zero_point * weight_sums).to(torch.float32).expand(total.shape), factors, y)


def _steps(x: Float32[Tensor, "m k"], step: Float32[Tensor, ""]) -> Float32[Tensor, "m k"]:
    """Return x in steps: sixteen numbers at a time by the reciprocal, the last few by division."""
    numbers = x.flatten()
    whole = numbers.numel() // VECTOR * VECTOR
    return torch.cat([numbers[:whole] * (1 / step), numbers[whole:] / step]).reshape(x.shape)


def requantize(
    total: Int32[Tensor, "m n"],
    x_scale: Float32[Tensor, ""],
    weight_scale: Float32[Tensor, ""],
    bias: Float32[Tensor, " n"] | None,
    output: QParams,
    *,
    relu: bool,
) -> UInt8[Tensor, "m n"]:
    """Return the static layer's codes, computed in integers alone from the bias on.

    Raises:
        ValueError: the multiplier ``x_scale · weight_scale / output.scale`` is 1 or more. The
            library has no integer for it, and multiplies by some other number.

    >>> requantize(torch.tensor([[1000, -1000]], dtype=torch.int32), torch.tensor(0.1),
    ...            torch.tensor(0.2), None, QParams(0.25, 100, 0, 255, torch.uint8), relu=False)
    tensor([[180,  20]], dtype=torch.uint8)
    """
    step = x_scale.item() * weight_scale.item()
    multiplier = torch.tensor(step / output.scale.item(), dtype=torch.float32).item()
    if multiplier >= 1:
        raise ValueError(
            f"x_scale · weight_scale / output scale is {multiplier:g}, but onednn on ARM takes "
            "less than 1 only, and else multiplies by some other number: choose a larger scale "
            "for the output, or another engine"
        )
    if bias is not None:
        total = total + _rounded_away(bias * torch.tensor(1 / step, dtype=torch.float32))
    codes = _times(total, multiplier) + output.zero_point
    return codes.clamp(int(output.zero_point) if relu else 0, 255).to(torch.uint8)


def _rounded_away(x: Float32[Tensor, " n"]) -> Int32[Tensor, " n"]:
    """Return the nearest integers, halves away from zero, as C's round does."""
    ends = torch.iinfo(torch.int32)
    double = x.to(torch.float64)
    whole = torch.sign(double) * torch.floor(double.abs() + 0.5)
    return whole.clamp(ends.min, ends.max).to(torch.int32)


def _times(total: Int32[Tensor, "m n"], multiplier: float) -> Int64[Tensor, "m n"]:
    """Return ``total · multiplier`` in integers, for a multiplier below 1.

    The product keeps its upper 32 bits, which rounds down; the shift that follows rounds to
    nearest, halves upwards. From 1/2 on there is no shift, so that 0.9 becomes 0.

    >>> _times(torch.tensor([[-3, -1, 1, 3]], dtype=torch.int32), 0.25)
    tensor([[-1,  0,  0,  1]])
    >>> _times(torch.tensor([[-1, 1]], dtype=torch.int32), 0.9)
    tensor([[-1,  0]])
    """
    fraction, exponent = math.frexp(multiplier)
    whole = int(fraction * 2**31)  # exact, since float32 has 24 bits
    high = total.long() * whole >> 31
    shift = min(-exponent, LONGEST_SHIFT)
    return high if shift == 0 else (high + (1 << (shift - 1))) >> shift
