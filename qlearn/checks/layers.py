"""Checks of what a layer is given: input, weight, bias, output and engine."""

from __future__ import annotations

from typing import Literal, get_args

import torch
from torch import Tensor

from qlearn.checks.arguments import check_choice, check_flag
from qlearn.checks.codes import check_qparams
from qlearn.checks.layer_inputs import check_bias
from qlearn.numbers.qparams import QParams
from qlearn.numbers.qtensor import QTensor

# A set of kernels that torch may compute with
Engine = Literal["fbgemm", "x86", "onednn", "qnnpack"]

WAY = "use qparams with 0 … 255; a signed zero point becomes unsigned by adding 128"


# A weight's dimensions by their number, outputs first
LAYOUTS = {2: "(n, k)", 4: "(n, c/groups, height, width)"}


def check_layer(weight: QTensor, bias: Tensor | None, engine: str, ndim: int = 2) -> None:
    """Raise unless the engine exists and takes a weight of ``ndim`` dimensions, and this bias."""
    check_choice(engine, "engine", get_args(Engine))
    if not isinstance(weight, QTensor) or weight.values.dtype != torch.int8:
        kind = weight.values.dtype if isinstance(weight, QTensor) else type(weight).__name__
        raise TypeError(
            f"weight is {kind}: pass a QTensor of torch.int8 codes, shape {LAYOUTS[ndim]}"
        )
    if weight.values.ndim != ndim:
        raise ValueError(
            f"weight has shape {tuple(weight.values.shape)}, but its dimensions must be "
            + LAYOUTS[ndim]
        )
    if weight.qparams.axis not in (None, 0, -weight.values.ndim):
        raise ValueError(
            f"the weight's channels run along axis {weight.qparams.axis}, but a scale can be "
            "taken out of the sum only for each output: use axis 0"
        )
    if engine == "onednn" and weight.qparams.zero_point.any():
        raise ValueError("onednn takes weights with the zero point 0 only: quantize symmetrically")
    if bias is not None:
        check_bias(bias, weight.values)


def check_static(x: QTensor, output: QParams, relu: bool) -> None:
    """Raise unless x holds uint8 codes, and the output is to hold them too."""
    check_qparams(output)
    check_flag(relu, "relu")
    if not isinstance(x, QTensor) or x.values.dtype != torch.uint8:
        kind = x.values.dtype if isinstance(x, QTensor) else type(x).__name__
        raise TypeError(f"x is {kind}, but the kernels read a QTensor of torch.uint8 codes: {WAY}")
    if output.dtype != torch.uint8:
        raise TypeError(f"the output is {output.dtype}, but kernels store torch.uint8: {WAY}")
    for name, qparams in (("x", x.qparams), ("output", output)):
        if qparams.axis is not None:
            raise ValueError(
                f"the qparams of {name} have axis {qparams.axis}, but only a weight may have a "
                "scale for each channel: use axis=None"
            )


def check_last_dimension(x: Tensor, weight: QTensor) -> None:
    """Raise unless x can be multiplied by a weight of shape (n, k)."""
    if x.ndim < 1 or x.shape[-1] != weight.values.shape[1]:
        raise ValueError(
            f"x has shape {tuple(x.shape)} and weight {tuple(weight.values.shape)}: the last "
            "dimension of x and that of the weight (n, k) must both be k"
        )
