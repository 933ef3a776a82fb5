"""Checks of a layer's weight beside the inputs that it was given."""

from __future__ import annotations

from torch import Tensor

from qlearn.checks.finite import check_finite, check_no_nan
from qlearn.checks.tensors import check_float32


def check_weight(weight: Tensor) -> None:
    """Raise unless ``weight`` is a float32 matrix of finite numbers, and not empty."""
    check_float32(weight, "weight")
    if weight.ndim != 2 or weight.numel() == 0:
        raise ValueError(
            f"weight has shape {tuple(weight.shape)}, but a linear layer's is (outputs, inputs): "
            "pass layer.weight"
        )
    check_finite(weight, weight.aminmax().min, weight.aminmax().max, name="weight")


def check_rows(rows: Tensor, name: str, weight: Tensor) -> None:
    """Raise unless these are float32 rows of finite numbers, as wide as the weight's inputs."""
    check_float32(rows, name)
    if rows.ndim == 0 or rows.numel() == 0:
        raise ValueError(
            f"{name} has shape {tuple(rows.shape)} and no rows in it: run some inputs through the "
            "model, and pass what reaches the layer"
        )
    if rows.shape[-1] != weight.shape[1]:
        raise ValueError(
            f"{name} has {rows.shape[-1]} features and the weight takes {weight.shape[1]}: pass "
            "the inputs of this layer"
        )
    check_finite(rows, rows.aminmax().min, rows.aminmax().max, name=name)


def check_bias(bias: Tensor, weight: Tensor) -> None:
    """Raise unless ``bias`` is float32 and has a number for each output, infinite ones too."""
    check_float32(bias, "bias")
    if bias.shape != weight.shape[:1]:
        raise ValueError(
            f"bias has shape {tuple(bias.shape)} and the weight {len(weight)} outputs: pass one "
            "number for each"
        )
    check_no_nan(bias, "bias", "nothing can be added to that: pass finite numbers")
