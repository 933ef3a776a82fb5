"""Ranges and qparams against torch's observers and tables, and the measures against exact sums."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.ao.quantization.observer import MinMaxObserver, PerChannelMinMaxObserver
from torch.ao.quantization.utils import calculate_qmin_qmax

from proofs.draw import Draw
from proofs.inputs import FEW, INT8, X, approximated, ranges, scales, values
from proofs.proof import proof
from proofs.public import Large, public
from qlearn import (
    QParams,
    choose_qparams,
    clipped_share,
    max_error,
    mse,
    quant_range,
    split_mse,
    sqnr,
    textbook_qparams,
)
from qlearn.numbers.qparams import SMALLEST_SCALE

EIGHT_BIT = (torch.int8, torch.uint8)
DTYPES = (*EIGHT_BIT, torch.int32)
# Every range of codes that has a name: dtype, bits (None for the whole dtype), reduce_range.
NAMED = [
    *((dtype, None, reduced) for dtype in DTYPES for reduced in (False, True)),
    *((dtype, bits, reduced) for dtype in EIGHT_BIT for bits in range(2, 9) for reduced in (0, 1)),
]
OWN_RANGES = [{}, {"quant_min": -8, "quant_max": 7}, {"quant_min": -127, "quant_max": 127}]
OWN_UNSIGNED = [{}, {"quant_min": 0, "quant_max": 15}, {"quant_min": 0, "quant_max": 127}]


@proof("quant_range", "torch.ao.quantization.utils.calculate_qmin_qmax", cases=len(NAMED))
def named_ranges(draw: Draw) -> tuple[Any, Any]:
    """Compare each range that has a name once."""
    dtype, bits, reduced = NAMED[draw.number]
    ours = quant_range(dtype, bits=bits, reduce_range=bool(reduced))
    if bits is None:
        return ours, calculate_qmin_qmax(0, 0, False, dtype, bool(reduced))
    codes = 2**bits
    low = 0 if dtype == torch.uint8 else -(codes // 2)
    return ours, calculate_qmin_qmax(low, low + codes - 1, True, dtype, bool(reduced))


@proof(
    "quant_range", "ml_dtypes.iinfo of int2, int4, uint2 and uint4", cases=4, package="ml_dtypes"
)
def small_integers(draw: Draw) -> tuple[Any, Any]:
    """Compare the types of which several share a byte."""
    import ml_dtypes

    name = ("int2", "int4", "uint2", "uint4")[draw.number]
    limits = ml_dtypes.iinfo(getattr(ml_dtypes, name))
    dtype = torch.uint8 if name.startswith("u") else torch.int8
    return quant_range(dtype, bits=int(name[-1])), (int(limits.min), int(limits.max))


@proof("QParams", "numpy: float32(scale), refused where it or its reciprocal is not finite")
def valid_scales(draw: Draw) -> tuple[Any, Any]:
    """Compare what is kept, and what is refused, over the whole range of float64."""
    scale = float(f"{draw.integer(100, 999)}e{draw.integer(-48, 38)}")
    zero_point = draw.integer(-200, 200)
    try:
        qparams = QParams(scale, zero_point, -128, 127, torch.int8)
        ours = (True, qparams.scale.item(), int(qparams.zero_point))
    except ValueError:
        ours = (False, 0.0, 0)
    with np.errstate(all="ignore"):
        rounded = np.float32(scale)
        valid = bool(rounded > 0 and np.isfinite(rounded) and np.isfinite(np.float32(1) / rounded))
    valid = valid and -128 <= zero_point <= 127
    assert SMALLEST_SCALE < 1e-38
    return ours, (valid, float(rounded), zero_point) if valid else (False, 0.0, 0)


def extremes_to_choose_from(draw: Draw, channels: int | None) -> tuple[Tensor, Tensor]:
    """Return min and max: around 0, one-sided, a point, all zeros, over twelve decades."""
    shape = () if channels is None else (channels,)
    magnitude = torch.tensor([draw.scale(12) for _ in range(channels or 1)]).reshape(shape) / 100
    pair = draw.normal(2, *shape) * magnitude
    kind = draw.integer(0, 24)
    if kind < 5:
        pair = pair.abs()
    elif kind < 10:
        pair = -pair.abs()
    elif kind < 14:
        pair[1] = pair[0]
    elif kind == 14:
        pair = torch.zeros_like(pair)
    return pair.amin(0), pair.amax(0)


@proof("choose_qparams", "torch's MinMaxObserver and PerChannelMinMaxObserver")
def observers_rule(draw: Draw) -> tuple[Any, Any]:
    """Compare dtypes, schemes, reduced and customized ranges, per tensor and per channel."""
    dtype, symmetric = draw.choice(DTYPES), draw.chance(0.5)
    channels = draw.choice([None, 1, 7])
    low, high = extremes_to_choose_from(draw, channels)
    options: dict[str, Any] = dict(
        draw.choice(OWN_UNSIGNED if dtype == torch.uint8 else OWN_RANGES)
    )
    # torch refuses symmetric quint8 with reduce_range. To int32 it overflows where most of the
    # range lies below 0.
    if draw.chance(0.3) and not (dtype == torch.uint8 and symmetric and not options):
        options["reduce_range"] = True
    if dtype == torch.int32 and not symmetric:
        high = high.abs() + low.abs()
    scope = "per_tensor" if channels is None else "per_channel"
    qscheme = getattr(torch, f"{scope}_{'symmetric' if symmetric else 'affine'}")
    kind = MinMaxObserver if channels is None else PerChannelMinMaxObserver
    observer = kind(dtype=dtype, qscheme=qscheme, **options)
    observer(torch.stack([low, high], dim=-1))
    scale, zero_point = observer.calculate_qparams()
    axis = None if channels is None else 0
    ours = choose_qparams(low, high, dtype=dtype, symmetric=symmetric, axis=axis, **options)
    return (ours.scale.reshape(-1), ours.zero_point.reshape(-1)), (scale, zero_point.int())


@proof("textbook_qparams", "the rule as written, in numpy's float32; no kernel follows it")
def textbooks_rule(draw: Draw) -> tuple[Any, Any]:
    """Compare int8, symmetric and affine."""
    x = draw.normal(draw.integer(1, 9)) * draw.scale() + (draw.scale() if draw.chance(0.3) else 0)
    a = x.numpy()
    if draw.chance(0.5):
        ours, scale = textbook_qparams(x), np.abs(a).max() / np.float32(127)
        zero_point = 0
    else:
        ours = textbook_qparams(x, symmetric=False)
        scale = np.maximum((a.max() - a.min()) / np.float32(255), np.float32(1e-8))
        zero_point = int(np.clip(np.float32(-128) - np.rint(a.min() / scale), -128, 127))
    return (ours.scale, int(ours.zero_point)), (torch.tensor(scale), zero_point)


def reference_and_approximation(draw: Draw) -> tuple[Tensor, Tensor]:
    """Return float32 values of any size, and the same values with an error."""
    x = draw.normal(draw.integer(1, 300)) * draw.scale(30)
    return x, x * (1 + draw.normal(x.numel()) * draw.scale())


ROUNDING_OF_SUMS = "the order of a float64 sum; the ratio of the two is compared with 1"


@proof("mse", "math.fsum, which sums exactly", tolerance=1e-13, why=ROUNDING_OF_SUMS)
def mean_squared_error(draw: Draw) -> tuple[Any, Any]:
    """Compare by their ratio."""
    a, b = reference_and_approximation(draw)
    exact = math.fsum((p - q) ** 2 for p, q in zip(a.tolist(), b.tolist(), strict=True))
    ratio = mse(a, b) / (exact / a.numel()) if exact else 1.0 + mse(a, b)
    return torch.tensor(ratio, dtype=torch.float64), torch.tensor(1.0, dtype=torch.float64)


@proof("max_error", "numpy's float64")
def largest_error(draw: Draw) -> tuple[Any, Any]:
    """Compare in every bit."""
    a, b = reference_and_approximation(draw)
    theirs = np.abs(a.numpy().astype("f8") - b.numpy().astype("f8")).max()
    return torch.tensor(max_error(a, b), dtype=torch.float64), torch.tensor(theirs)


@proof("sqnr", "math.fsum, in decibels", tolerance=1e-11, why="the order of a float64 sum")
def signal_to_noise(draw: Draw) -> tuple[Any, Any]:
    """Compare in decibels."""
    a, b = reference_and_approximation(draw)
    pairs = list(zip(a.tolist(), b.tolist(), strict=True))
    noise = math.fsum((p - q) ** 2 for p, q in pairs)
    theirs = 10 * math.log10(math.fsum(p * p for p, _ in pairs) / noise) if noise else math.inf
    return (
        torch.tensor(sqnr(a, b), dtype=torch.float64),
        torch.tensor(theirs, dtype=torch.float64),
    )


@proof(
    "split_mse",
    "math.fsum over the two sides of torch's mask of fake_quantize_per_tensor_affine_cachemask",
    tolerance=1e-13,
    why=ROUNDING_OF_SUMS,
)
def rounding_and_clipping(draw: Draw) -> tuple[Any, Any]:
    """Compare each part by its ratio."""
    low, high = quant_range(torch.int8, bits=draw.integer(2, 8))
    scale, zero_point = draw.scale(), draw.integer(low, high)
    x = draw.normal(draw.integer(1, 300)) * scale * draw.choice([1.0, 30.0, 300.0])
    operator = torch.ops.aten.fake_quantize_per_tensor_affine_cachemask
    restored, inside = operator(x, scale, zero_point, low, high)
    squares = ((x.double() - restored.double()) ** 2).tolist()
    ours = split_mse(x, QParams(scale, zero_point, low, high, torch.int8))
    ratios = []
    for part, mask in zip(ours, (inside, ~inside), strict=True):
        chosen = [square for square, this in zip(squares, mask.tolist(), strict=True) if this]
        exact = math.fsum(chosen) / x.numel()
        ratios.append(part / exact if exact else 1.0 + part)
    return torch.tensor(ratios, dtype=torch.float64), torch.ones(2, dtype=torch.float64)


@proof("clipped_share", "the mask of torch.ops.aten.fake_quantize_per_tensor_affine_cachemask")
def share_clipped(draw: Draw) -> tuple[Any, Any]:
    """Compare hard values, at both ends of narrow ranges too."""
    low, high = quant_range(torch.int8, bits=draw.integer(2, 8))
    scale, zero_point = draw.scale(), draw.integer(low, high)
    x = draw.hard_values(scale)
    operator = torch.ops.aten.fake_quantize_per_tensor_affine_cachemask
    _, inside = operator(x, scale, zero_point, low, high)
    ours = clipped_share(x, QParams(scale, zero_point, low, high, torch.int8))
    return ours, (~inside).double().mean().item()


public(
    "quant_range",
    "numbers/quantized_tensors_to_the_bit",
    {"dtype": torch.int8, "bits": 4},
    not_large="it takes no tensor",
)
public(
    "QParams",
    "numbers/quantized_tensors",
    {
        "scale": 0.1,
        "zero_point": 10,
        "quant_min": -128,
        "quant_max": 127,
        "dtype": torch.int8,
        "axis": None,
    },
    Large("many channels", scales, lambda scale, zero: QParams(scale, zero, -8, 7, torch.int8, 0)),
)
public(
    "choose_qparams",
    "numbers/scale_and_zero_point",
    {
        "min_val": -1.0,
        "max_val": 2.0,
        "dtype": torch.int8,
        "symmetric": False,
        "quant_min": -8,
        "quant_max": 7,
        "axis": None,
    },
    Large("many channels", ranges, lambda *ends: choose_qparams(*ends, axis=0)),
)
public(
    "textbook_qparams",
    "numbers/scale_and_zero_point",
    {"x": X, "dtype": torch.int8, "symmetric": False, "axis": 0},
    Large("", values, textbook_qparams),
)
public(
    "max_error",
    "numbers/scale_and_zero_point",
    {"reference": X, "approximation": X + 1},
    Large("", approximated, max_error),
)
public(
    "sqnr",
    "numbers/scale_and_zero_point",
    {"reference": X, "approximation": X + 1},
    Large("", approximated, sqnr),
)
public(
    "mse",
    "numbers/rounding_and_clipping",
    {"reference": X, "approximation": X + 1},
    Large("", approximated, mse),
)
public(
    "split_mse",
    "numbers/rounding_and_clipping",
    {"x": X, "qparams": FEW},
    Large("", values, lambda x: split_mse(x, INT8)),
)
public(
    "clipped_share",
    "numbers/rounding_and_clipping",
    {"x": X, "qparams": FEW},
    Large("", values, lambda x: clipped_share(x, INT8)),
)
