"""Checks of what belongs to NF4."""

from __future__ import annotations

from torch import Tensor

from qlearn.checks import check_same_shape
from qlearn.formats.double_quantization import QuantizedScales


def check_quantized_scales(quantized: QuantizedScales | None, scales: Tensor) -> None:
    """Raise unless these are quantized scales, one for each of ``scales``, or None."""
    if quantized is None:
        return
    if not isinstance(quantized, QuantizedScales):
        raise TypeError(
            f"quantized_scales is a {type(quantized).__name__}: pass what quantize_scales returns, "
            "or None"
        )
    check_same_shape(quantized.codes, scales, ("quantized_scales", "scales"))
