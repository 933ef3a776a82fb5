"""What can be done to keys or values of a window, for comparisons: each returns them changed."""

from __future__ import annotations

import torch

from qlearn.course.language.net import rotary
from qlearn.course.language.rounded_cache import Change
from qlearn.formats.float_format import E4M3FN, FloatFormat
from qlearn.formats.float_rounding import round_to_float
from qlearn.formats.groups import quantize_groups
from qlearn.language.cache import Axis, quantize_cache
from qlearn.language.quantized_cache import Heads


def in_codes(bits: int, axis: Axis) -> Change:
    """Return a change to codes with a scale for each token, or each channel of a window."""
    return lambda x: quantize_cache(x, bits=bits, axis=axis).dequantize()


def in_groups(bits: int, group_size: int, *, symmetric: bool = True, axis: int = -2) -> Change:
    """Return a change to codes in groups of tokens (axis −2) or of channels (−1)."""
    kind = {"bits": bits, "group_size": group_size, "symmetric": symmetric, "axis": axis}
    return lambda x: quantize_groups(x, **kind).dequantize()  # type: ignore[arg-type]


def in_float8(*, scaled: bool = True, kind: FloatFormat = E4M3FN) -> Change:
    """Return a change to float8, with one scale for all of a layer, or with none."""

    def change(x: Heads) -> Heads:
        scale = x.abs().max() / kind.max if scaled else torch.tensor(1.0)
        return round_to_float(x / scale, kind) * scale

    return change


def before_rotary(change: Change) -> Change:
    """Return a change made before rotary positions: turned back, changed, turned again."""

    def turned(x: Heads) -> Heads:
        return rotary(change(turned_back(x)), 0)

    return turned


def turned_back(x: Heads) -> Heads:
    """Return keys of positions from 0 on as they were before they were turned."""
    first, second = x.chunk(2, -1)
    turned = rotary(torch.cat([first, -second], -1), 0)  # the mirror image turns the other way
    first, second = turned.chunk(2, -1)
    return torch.cat([first, -second], -1)
