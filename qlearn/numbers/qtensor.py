"""Integers and what they mean, together."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float32, Int
from torch import Tensor

from qlearn.checks.codes import check_codes
from qlearn.numbers.qparams import QParams
from qlearn.numbers.quantize import dequantize


@dataclass(frozen=True, eq=False)
class QTensor:
    """A tensor of integer codes with the qparams that give them a meaning.

    This is what torch's own quantized tensor is, made of parts that stay: an ordinary integer
    tensor, which slices, permutes and saves like any other, and a QParams.

    Raises:
        TypeError: ``values`` is not a tensor of ``qparams.dtype``.
        ValueError: ``values`` and the qparams disagree on the channels, or a value lies outside
            quant_min … quant_max.

    >>> codes = torch.tensor([0, 10, 20, 127], dtype=torch.int8)
    >>> QTensor(codes, QParams(0.1, 10, -128, 127, torch.int8)).dequantize()
    tensor([-1.0000,  0.0000,  1.0000, 11.7000])
    """

    values: Int[Tensor, "*shape"]
    qparams: QParams

    def __post_init__(self) -> None:
        """Check that the integers and their meaning fit together."""
        check_codes(self.values, self.qparams)
        self.qparams.aligned_with(self.values)
        if self.values.numel() == 0:
            return
        low, high = (int(end) for end in torch.aminmax(self.values))
        if low < self.qparams.quant_min or high > self.qparams.quant_max:
            raise ValueError(
                f"the codes reach from {low} to {high}, beyond the range "
                f"{self.qparams.quant_min}..{self.qparams.quant_max} of these qparams: clamp the "
                "codes, or widen the range"
            )

    def dequantize(self) -> Float32[Tensor, "*shape"]:
        """Return the real numbers that the codes stand for, in float32."""
        return dequantize(self.values, self.qparams)
