"""Checks of what belongs to NF4."""

from __future__ import annotations

from qlearn.formats.double_quantization import QuantizedScales


def check_quantized_scales(scales: QuantizedScales | None) -> None:
    """Raise TypeError unless these are quantized scales, or None."""
    if scales is not None and not isinstance(scales, QuantizedScales):
        raise TypeError(
            f"quantized_scales is a {type(scales).__name__}: pass what quantize_scales returns, or "
            "None"
        )
