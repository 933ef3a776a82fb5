"""Operators from codes to codes, and the same of floats."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from qlearn.models.diagnosis.roundings import first_rows
from qlearn.models.diagnosis.runs import floats

PRODUCTS = (
    *(f"quantized::{kind}{relu}" for kind in ("linear", "conv2d") for relu in ("", "_relu")),
    "quantized::conv_transpose2d",
)
OTHERS: dict[str, Callable[..., Tensor]] = {
    "quantized::add": lambda a, b, *_: a + b,
    "quantized::add_relu": lambda a, b, *_: (a + b).relu(),
    "quantized::mul": lambda a, b, *_: a * b,
    "quantized::mul_relu": lambda a, b, *_: (a * b).relu(),
    "quantized::cat": lambda parts, axis, *_: torch.cat(parts, axis),
    "quantized::sigmoid": lambda x, *_: x.sigmoid(),
    "quantized::softmax": lambda x, axis, *_: x.softmax(axis),
}
# Those of torch that take codes, too; they are called again with floats.
ALIKE = (
    *("aten::cat", "aten::constant_pad_nd", "aten::mean", "aten::avg_pool2d", "aten::sigmoid"),
    *("aten::_adaptive_avg_pool2d", "aten::adaptive_avg_pool2d", "aten::tanh", "aten::hardtanh"),
    *("aten::hardsigmoid", "aten::elu", "aten::leaky_relu", "aten::clamp", "aten::relu"),
)


class Kernel(NamedTuple):
    """The codes that a kernel put out, beside those of the same operator on floats.

    Attributes:
        place: the layer.
        operator: its name.
        wrong: share of the codes that are more than one away.
        worst: by how many codes at most.
    """

    place: str
    operator: str
    wrong: float
    worst: int


def on_floats(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Tensor | None:
    """Compute what an operator on codes should put out; None if it is not known here.

    Of a product only the first rows are computed.
    """
    name = func._schema.name if hasattr(func, "_schema") else ""
    if name in PRODUCTS:
        return _product(name, *args[:2])
    if name in OTHERS:
        return OTHERS[name](*floats(args))
    return func(*floats(args), **floats(kwargs)) if name in ALIKE else None


def compared(place: str, operator: str, expected: Tensor, codes: Tensor) -> Kernel:
    """Compare a kernel's codes with those expected."""
    apart = (codes.int_repr()[: len(expected)].float() - expected).abs()
    wrong = (apart > 1).float().mean().item()
    return Kernel(place, operator, wrong, int(apart.max().item()))


def expected_codes(y: Tensor, codes: Tensor) -> Tensor:
    """Return the codes of y in a tensor like this one."""
    first, last = ends(codes)
    return ((y / codes.q_scale()).round() + codes.q_zero_point()).clamp(first, last)


def ends(codes: Tensor) -> tuple[int, int]:
    """Return the first and the last code of a quantized tensor's type."""
    kind = torch.iinfo(codes.int_repr().dtype)
    return kind.min, kind.max


def _product(name: str, x: Tensor, packed: Any) -> Tensor:
    """Multiply the codes that a kernel was given, and its packed weight, as floats."""
    weight, bias = packed.unpack()
    given = first_rows(x).dequantize(), weight.dequantize(), bias
    if "transpose" in name:
        rest = packed.output_padding(), packed.groups(), packed.dilation()
        y = functional.conv_transpose2d(*given, packed.stride(), packed.padding(), *rest)
    elif "conv2d" in name:
        sizes = packed.stride(), packed.padding(), packed.dilation(), packed.groups()
        y = functional.conv2d(*given, *sizes)
    else:
        y = functional.linear(*given)
    return y.relu() if name.endswith("relu") else y
