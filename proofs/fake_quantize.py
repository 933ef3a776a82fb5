"""fake_quantize, the learnable and the fused one against torch's kernels, gradients too."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.ao.quantization import (
    FusedMovingAvgObsFakeQuantize,
    MovingAverageMinMaxObserver,
    MovingAveragePerChannelMinMaxObserver,
)

from proofs.draw import Draw
from proofs.inputs import INT8, INT32, ROWS, X, trained, with_gradient
from proofs.proof import proof
from proofs.public import Large, public
from qlearn import (
    FusedMovingAverageFakeQuantize,
    QParams,
    fake_quantize,
    learnable_fake_quantize,
    quant_range,
)
from qlearn.machine import int32_saturates

QUANTIZED = {torch.int8: torch.qint8, torch.uint8: torch.quint8, torch.int32: torch.qint32}
SIXTEEN_BITS = (torch.int32, -(2**15), 2**15 - 1)

# A range, and the dtype that holds it: whole, reduced, narrow and custom.
RANGES = [
    (torch.int8, -128, 127),
    (torch.uint8, 0, 255),
    (torch.uint8, 0, 127),
    (torch.int8, -64, 63),
    (torch.int8, -127, 127),
    (torch.int8, -8, 7),
    (torch.uint8, 0, 15),
    (torch.int8, -20, 100),
]


def _forward_and_backward(
    function: Callable[..., Tensor], inputs: tuple[Tensor, ...], dy: Tensor
) -> tuple[Tensor, ...]:
    """Return what the function gives and the gradients of its inputs for the gradient dy."""
    leaves = [given.detach().requires_grad_() for given in inputs]
    y = function(*leaves)
    return y.detach(), *torch.autograd.grad(y, leaves, dy)


def _gradient_for(draw: Draw, x: Tensor) -> Tensor:
    """Return an incoming gradient; now and then one that is infinite or laid out differently."""
    dy = draw.normal(x.numel()).reshape(x.shape)
    if x.numel() and draw.chance(0.05):
        dy.view(-1)[draw.integer(0, x.numel() - 1)] = draw.choice(
            [math.inf, -math.inf, 1e-42, -0.0]
        )
    if x.ndim == 2 and draw.chance(0.1):
        dy = dy.t().contiguous().t()
    return dy


def _without_overflow(x: Tensor, scale: float) -> Tensor:
    """Return x below 2^62 steps; beyond 2^63 torch's kernels for channels and learning overflow."""
    return x if x.numel() == 0 else x.clamp(max=min(scale * 2.0**62, 3e38))


def _without_nan_on_arm(x: Tensor) -> Tensor:
    """Return x without NaN where torch's kernels for channels and learning take it for code 0."""
    return x.nan_to_num(0.0, math.inf, -math.inf) if int32_saturates() else x


def _channels(draw: Draw, scales: list[float], axis: int) -> Tensor:
    """Return hard values for each scale, laid along an axis of 1 to 4, seldom in many rows."""
    shape = draw.choice([(-1,), (4, -1), (2, 2, -1)]) if axis == 0 else (4, -1)
    rows = []
    for scale in scales:
        noise = draw.normal(2000) * scale * 100 if draw.number % 50 == 0 else torch.tensor([])
        row = torch.cat([draw.hard_values(scale, n=6), torch.full((4,), math.nan), noise])
        row = _without_nan_on_arm(row[: row.numel() // 4 * 4])
        rows.append(_without_overflow(row, scale))
    return torch.stack(rows).reshape(len(rows), *shape).movedim(0, axis)


@proof("fake_quantize", "torch.fake_quantize_per_tensor_affine, forward and backward")
def per_tensor(draw: Draw) -> tuple[Any, Any]:
    """Compare any range, also that of int32."""
    dtype, low, high = draw.choice([*RANGES, (torch.int32, *quant_range(torch.int32))])
    zero_point = draw.integer(max(low, -(2**20)), min(high, 2**20))
    qparams = QParams(draw.scale(), zero_point, low, high, dtype)
    scale = qparams.scale.item()
    x = draw.hard_tensor(scale)
    dy = _gradient_for(draw, x)
    return (
        _forward_and_backward(lambda t: fake_quantize(t, qparams), (x,), dy),
        _forward_and_backward(
            lambda t: torch.fake_quantize_per_tensor_affine(t, scale, zero_point, low, high),
            (x,),
            dy,
        ),
    )


@proof("fake_quantize", "torch.fake_quantize_per_channel_affine, forward and backward")
def per_channel(draw: Draw) -> tuple[Any, Any]:
    """Compare along each axis, below the 2^63 steps at which torch's kernel overflows."""
    dtype, low, high = draw.choice(RANGES)
    axis, scales = draw.integer(0, 2), [draw.scale() for _ in range(draw.integer(1, 4))]
    zero_points = [draw.integer(low, high) for _ in scales]
    qparams = QParams(scales, zero_points, low, high, dtype, axis)
    x = _channels(draw, qparams.scale.tolist(), axis)
    dy = _gradient_for(draw, x)
    return (
        _forward_and_backward(lambda t: fake_quantize(t, qparams), (x,), dy),
        _forward_and_backward(
            lambda t: torch.fake_quantize_per_channel_affine(
                t, qparams.scale, qparams.zero_point, axis, low, high
            ),
            (x,),
            dy,
        ),
    )


def _learned_zero_point(draw: Draw, low: int, high: int) -> float:
    """Return a float: an integer, half-way between two, anywhere, or outside the range."""
    code = draw.integer(low, high)
    return draw.choice(
        [
            code,
            code + 0.5,
            code + draw.normal(1).item(),
            10 * code,
            -0.5,
            0.49999997,
            1e9,
            -math.inf,
        ]
    )


def _learned(
    draw: Draw, scales: list[float], x: Tensor, axis: int | None, low: int, high: int
) -> tuple[Any, Any]:
    """Compare the gradients of x, scale and zero point, by the rounding of this processor."""
    factor = draw.choice([1.0, 0.1, 1 / math.sqrt(1 + x.numel() * high)])
    # On ARM the compiler fuses what ATen's default code for x86-64 computes in two steps.
    fused = int32_saturates() or torch.backends.cpu.get_cpu_capability() != "DEFAULT"
    zero_points = [float(_learned_zero_point(draw, low, high)) for _ in scales]
    inputs = (x, torch.tensor(scales), torch.tensor(zero_points))
    dy = _gradient_for(draw, x)

    def ours(x: Tensor, scale: Tensor, zero_point: Tensor) -> Tensor:
        return learnable_fake_quantize(
            x,
            scale,
            zero_point,
            quant_min=low,
            quant_max=high,
            axis=axis,
            grad_factor=factor,
            rounding="fma" if fused else "add",
        )

    def torchs(x: Tensor, scale: Tensor, zero_point: Tensor) -> Tensor:
        if axis is None:
            return torch._fake_quantize_learnable_per_tensor_affine(
                x, scale, zero_point, low, high, factor
            )
        return torch._fake_quantize_learnable_per_channel_affine(
            x, scale, zero_point, axis, low, high, factor
        )

    return _forward_and_backward(ours, inputs, dy), _forward_and_backward(torchs, inputs, dy)


@proof(
    "learnable_fake_quantize",
    "torch._fake_quantize_learnable_per_tensor_affine, forward and backward",
)
def learned_per_tensor(draw: Draw) -> tuple[Any, Any]:
    """Compare tensors that are not empty, below 2^63 steps."""
    _, low, high = draw.choice([*RANGES, SIXTEEN_BITS])
    scale = draw.scale()
    x = _without_overflow(_without_nan_on_arm(draw.hard_tensor(scale)), scale)
    return _learned(draw, [scale], x if x.numel() else torch.zeros(3), None, low, high)


@proof(
    "learnable_fake_quantize",
    "torch._fake_quantize_learnable_per_channel_affine, forward and backward",
)
def learned_per_channel(draw: Draw) -> tuple[Any, Any]:
    """Compare two and more dimensions."""
    _, low, high = draw.choice(RANGES)
    axis, scales = draw.integer(0, 2), [draw.scale() for _ in range(draw.integer(1, 4))]
    return _learned(draw, scales, _channels(draw, scales, axis), axis, low, high)


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
            x = _without_overflow(x, scale) if per_channel else draw.hard_tensor(scale)
        torchs.enable_fake_quant(ours.fake_quant_enabled)
        torchs.enable_observer(ours.observer_enabled)
        dy = _gradient_for(draw, x)
        # torch writes its qparams down when it uses them, so not for an empty batch.
        used = ours.fake_quant_enabled and x.numel() > 0
        results.append((*_forward_and_backward(ours, (x,), dy), *_state(ours, used)))
        seen = _forward_and_backward(torchs, (x,), dy)
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
    if (
        observer.min_val > observer.max_val
    ).any():  # by rounding; torch then asserts, ours does not
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
    "fake_quantize",
    "numbers/quantized_tensors",
    {"x": X, "qparams": ROWS},
    Large("and backward", with_gradient, trained(lambda x: fake_quantize(x, INT8))),
    Large("int32, and backward", with_gradient, trained(lambda x: fake_quantize(x, INT32))),
)
public(
    "learnable_fake_quantize",
    "models/qat_to_the_bit",
    {
        "x": X,
        "scale": torch.tensor([0.1]),
        "zero_point": torch.tensor([1.0]),
        "quant_min": -8,
        "quant_max": 7,
        "axis": None,
        "grad_factor": 0.5,
        "rounding": "fma",
    },
    Large(
        "and backward",
        with_gradient,
        trained(
            lambda x: learnable_fake_quantize(
                x, torch.tensor([0.03]), torch.tensor([1.0]), quant_min=-128, quant_max=127
            )
        ),
    ),
)
public(
    "FusedMovingAverageFakeQuantize",
    "models/qat_to_the_bit",
    {"dtype": torch.int8, "symmetric": True, "axis": 0},
    Large("and backward", with_gradient, trained(lambda x: FusedMovingAverageFakeQuantize()(x))),
)
