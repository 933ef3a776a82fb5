"""FusedMovingAverageFakeQuantize against torch's module, after each batch of a stream."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.ao.quantization import (
    FusedMovingAvgObsFakeQuantize,
    MovingAverageMinMaxObserver,
    MovingAveragePerChannelMinMaxObserver,
)

from proofs.draw import Draw
from proofs.fake_inputs import (
    RANGES,
    SIXTEEN_BITS,
    forward_and_backward,
    gradient_for,
    without_overflow,
)
from proofs.inputs import trained, with_gradient
from proofs.proof import proof
from proofs.public import Large, public
from qlearn import FusedMovingAverageFakeQuantize, quant_range

QUANTIZED = {torch.int8: torch.qint8, torch.uint8: torch.quint8, torch.int32: torch.qint32}


def _batch(draw: Draw, magnitude: float, channels: int, low: int, high: int) -> Tensor:
    """Return a finite batch: two-sided, one-sided, constant, zeros, or with tied zero points."""
    shape = draw.choice([(channels, 5), (channels, 1), (channels, 2, 3)])
    x = draw.normal(*shape) * magnitude
    if draw.chance(0.02):
        x = draw.normal(channels, 3000) * magnitude
    kind = draw.integer(0, 8)
    if kind == 5:  # a zero point half-way between two codes
        between = draw.integer(low + 1, high - 1) + 0.5
        ends = torch.tensor([low - between, high - between]) * magnitude
        return ends.expand(channels, 2)
    options = [x, x.abs(), -x.abs(), x * 0, torch.cat([x, -x], 1), x, x.abs() + magnitude, x, x]
    x = options[kind]
    return x if draw.chance(0.8) else x.transpose(-1, -2).contiguous().transpose(-1, -2)


def _fused_pair(
    draw: Draw, dtype: torch.dtype, low: int, high: int, per_channel: bool
) -> tuple[FusedMovingAverageFakeQuantize, FusedMovingAvgObsFakeQuantize]:
    """Return ours and torch's module with the same options."""
    symmetric = draw.chance(0.5)
    reduce_range = draw.chance(0.2) and not (symmetric and dtype == torch.uint8)  # torch refuses
    constant = draw.choice([0.01, 0.1, 0.5, 1.0])
    schemes = {
        (False, False): torch.per_tensor_affine,
        (False, True): torch.per_tensor_symmetric,
        (True, False): torch.per_channel_affine,
        (True, True): torch.per_channel_symmetric,
    }
    whole = (low, high) == quant_range(dtype) and draw.chance(0.5)
    ours = FusedMovingAverageFakeQuantize(
        dtype=dtype,
        symmetric=symmetric,
        averaging_constant=constant,
        reduce_range=reduce_range,
        quant_min=None if whole else low,
        quant_max=None if whole else high,
        axis=0 if per_channel else None,
    )
    return ours, FusedMovingAvgObsFakeQuantize(
        MovingAveragePerChannelMinMaxObserver if per_channel else MovingAverageMinMaxObserver,
        quant_min=low,
        quant_max=high,
        dtype=QUANTIZED[dtype],
        qscheme=schemes[per_channel, symmetric],
        averaging_constant=constant,
        reduce_range=reduce_range,
        **({"ch_axis": 0} if per_channel else {}),
    )


def _fused(draw: Draw, per_channel: bool) -> tuple[Any, Any]:
    """Compare output, gradient, range and qparams after each batch of a stream."""
    dtype, low, high = draw.choice([*RANGES, SIXTEEN_BITS])
    ours, torchs = _fused_pair(draw, dtype, low, high, per_channel)
    magnitude = draw.power_of_ten(*((-9, 5) if draw.number % 5 else (-42, 30)))
    channels = draw.integer(1, 4)
    results = []
    for step in range(draw.integer(1, 5)):
        x = _batch(draw, magnitude, channels, low, high)
        if step:
            ours.fake_quant_enabled = draw.chance(0.8)
            ours.observer_enabled = draw.chance(0.7)
        if not ours.observer_enabled:
            scale = ours.qparams().scale.min().item()
            x = without_overflow(x, scale) if per_channel else draw.hard_tensor(scale)
        torchs.enable_fake_quant(ours.fake_quant_enabled)
        torchs.enable_observer(ours.observer_enabled)
        dy = gradient_for(draw, x)
        # torch writes its qparams down when it uses them, so not for an empty batch.
        used = ours.fake_quant_enabled and x.numel() > 0
        results.append((*forward_and_backward(ours, (x,), dy), *_state(ours, used)))
        seen = forward_and_backward(torchs, (x,), dy)
        results.append((*seen, *_torchs_state(torchs, ours, used)))
    return tuple(results[::2]), tuple(results[1::2])


def _state(ours: FusedMovingAverageFakeQuantize, used: bool) -> tuple[Any, ...]:
    training, calibrated = ours.qparams(), ours.calibrated_qparams()
    return (
        ours.observer.min_val,
        ours.observer.max_val,
        *((training.scale, training.zero_point) if used else ()),
        calibrated.scale,
        calibrated.zero_point,
    )


def _torchs_state(
    torchs: FusedMovingAvgObsFakeQuantize, ours: FusedMovingAverageFakeQuantize, used: bool
) -> tuple[Any, ...]:
    """Return copies, for torch changes them in place; its qparams only where it has used them."""
    observer = torchs.activation_post_process
    assert ours.observer.min_val is not None
    shape = ours.observer.min_val.shape
    crossed = observer.min_val > observer.max_val  # by rounding; torch then asserts, ours does not
    if crossed.any():
        calibrated = ours.calibrated_qparams()
        scale, zero_point = calibrated.scale, calibrated.zero_point
    else:
        scale, zero_point = torchs.calculate_qparams()
    fresh = (torchs.scale, torchs.zero_point) if used else ()
    state = (observer.min_val, observer.max_val, *fresh, scale, zero_point.int())
    return tuple(part.detach().clone().reshape(shape) for part in state)


@proof(
    "FusedMovingAverageFakeQuantize",
    "torch.ao.quantization.FusedMovingAvgObsFakeQuantize per tensor, forward and backward",
)
def fused_per_tensor(draw: Draw) -> tuple[Any, Any]:
    """Compare a stream of batches; with the observer off, hard values too."""
    return _fused(draw, per_channel=False)


@proof(
    "FusedMovingAverageFakeQuantize",
    "torch.ao.quantization.FusedMovingAvgObsFakeQuantize per channel, forward and backward",
)
def fused_per_channel(draw: Draw) -> tuple[Any, Any]:
    """Compare along axis 0, the only one that torch has."""
    return _fused(draw, per_channel=True)


public(
    "FusedMovingAverageFakeQuantize",
    "models/qat_to_the_bit",
    {"dtype": torch.int8, "symmetric": True, "axis": 0},
    Large("and backward", with_gradient, trained(lambda x: FusedMovingAverageFakeQuantize()(x))),
)
