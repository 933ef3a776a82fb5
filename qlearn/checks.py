"""What every function asks of a tensor that it is given."""

from __future__ import annotations

import torch
from torch import Tensor


def check_tensor(x: Tensor, name: str, wanted: str) -> None:
    """Raise TypeError unless ``x`` is a dense tensor that holds values."""
    if not isinstance(x, Tensor):
        raise TypeError(f"{name} is a {type(x).__name__}: pass {wanted}")
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
        way_out = f"{name}.float(), which rounds float64"
        if x.is_quantized:
            way_out = f"{name}.dequantize()"
        raise TypeError(f"{name} has dtype {x.dtype}, but the kernels read float32: pass {way_out}")


def check_flag(value: bool, name: str) -> None:
    """Raise TypeError unless ``value`` is True or False; "no", for one, would count as true."""
    if not isinstance(value, bool):
        raise TypeError(f"{name} is {value!r}, but it says yes or no: pass True or False")


def check_choice(value: str, name: str, choices: tuple[str, ...]) -> None:
    """Raise ValueError unless ``value`` is one of the words."""
    if not isinstance(value, str) or value not in choices:
        words = ", ".join(repr(choice) for choice in choices)
        raise ValueError(f"{name} is {value!r}, which is none of the words for it: pass {words}")
