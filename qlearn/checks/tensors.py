"""Checks of tensors: their kind, their dtype and their shape."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.parameter import UninitializedTensorMixin  # type: ignore[attr-defined]  # no stub

from qlearn.checks.arguments import check_integer

# torch's E2M1, whose codes lie two in a byte
PAIRS = torch.float4_e2m1fn_x2

# What float32 cannot hold of other dtypes.
ROUNDED = {torch.float64: ", which rounds float64"} | dict.fromkeys(
    (torch.int32, torch.int64), ", which rounds integers beyond 2^24"
)


def check_tensor(x: Tensor, name: str, wanted: str) -> None:
    """Raise TypeError unless ``x`` is a dense tensor that holds values."""
    if not isinstance(x, Tensor):
        raise TypeError(f"{name} is a {type(x).__name__}: pass {wanted}")
    if isinstance(x, UninitializedTensorMixin):
        raise TypeError(
            f"{name} belongs to a lazy module and has no shape yet: call the model once on a batch"
        )
    if x.layout != torch.strided:
        raise TypeError(
            f"{name} has the layout {x.layout}, but the kernels read dense tensors: pass "
            f"{name}.to_dense()"
        )
    if x.device.type == "meta":
        raise TypeError(
            f"{name} is on the device meta, where tensors have a shape and no values: pass {wanted}"
        )


def check_float32(x: Tensor, name: str = "x") -> None:
    """Raise TypeError unless ``x`` is a dense float32 tensor that holds values."""
    check_tensor(x, name, "a float32 tensor, for example torch.tensor([1.0])")
    if x.dtype != torch.float32:
        raise TypeError(
            f"{name} has dtype {x.dtype}, but the kernels read float32: pass {as_floats(x, name)}"
        )


def as_floats(x: Tensor, name: str) -> str:
    """Return how a tensor of another dtype becomes one of floats, without losing a part of it.

    >>> as_floats(torch.tensor(1j), "x")
    'x.real and x.imag one by one, because x.float() would drop the second'
    """
    if x.is_complex():
        return (
            f"{name}.real and {name}.imag one by one, because {name}.float() would drop the second"
        )
    if x.is_quantized:
        return f"{name}.dequantize()"
    if x.dtype == PAIRS:
        return f"decode_float({as_codes(name)}, E2M1FN)"
    return f"{name}.float(){ROUNDED.get(x.dtype, '')}"


def as_codes(name: str) -> str:
    """Return how the codes of a tensor that holds two in a byte become one in each."""
    return f'unpack({name}.view(torch.uint8), 4, order="onnx")'


def check_unpaired(x: Tensor, name: str) -> None:
    """Raise TypeError if ``x`` holds two numbers in a byte, with which torch computes nothing."""
    if x.dtype == PAIRS:
        raise TypeError(
            f"{name} has dtype {x.dtype}, two numbers in a byte, with which torch computes "
            f"nothing: pass {as_floats(x, name)}"
        )


def real_tensor(name: str, value: Any) -> Tensor:
    """Return ``value`` as a detached tensor; raise TypeError unless it holds real numbers."""
    given = as_tensor(name, value)
    check_tensor(given, name, "numbers")
    check_unpaired(given, name)
    given = given.detach()
    if given.dtype == torch.bool or given.is_complex() or given.is_quantized:
        raise TypeError(f"{name} has dtype {given.dtype}, but must hold real numbers: convert it")
    return given


def as_tensor(name: str, value: Any) -> Tensor:
    """Return ``value`` as a tensor; raise TypeError if torch cannot read it.

    Python's floats become float64, whatever torch's default dtype is, so that a message shows them
    as they were given; an array of NumPy's is copied, because torch reads only some in place.

    >>> as_tensor("scale", [0.1, 2])
    tensor([0.1000, 2.0000], dtype=torch.float64)
    """
    try:
        given = torch.as_tensor(value.copy() if isinstance(value, np.ndarray) else value)
        if given.is_floating_point() and not isinstance(value, Tensor | np.ndarray):
            given = torch.as_tensor(value, dtype=torch.float64)
        return given
    except (TypeError, ValueError, RuntimeError) as error:
        raise TypeError(f"{name} is {value!r}, which torch cannot read: {error}") from error


def check_axis(axis: int, x: Tensor) -> None:
    """Raise unless ``axis`` is an integer that numbers a dimension of ``x``."""
    check_integer(axis, "axis")
    if not -x.ndim <= axis < x.ndim:
        raise ValueError(
            f"axis {axis} does not exist in a tensor of shape {tuple(x.shape)}: "
            f"it has {x.ndim} dimensions"
        )


def check_same_shape(first: Tensor, second: Tensor, names: tuple[str, str]) -> None:
    """Raise ValueError unless the two, of which there is one each for a channel, are alike."""
    if first.shape != second.shape:
        raise ValueError(
            f"{names[0]} has shape {tuple(first.shape)} and {names[1]} {tuple(second.shape)}: "
            "they come in pairs, so the shapes must be equal"
        )
