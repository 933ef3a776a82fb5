"""Integers of few bits in groups: some numbers side by side share a scale and a zero point.

The rule is torchao's, that of ``IntxWeightOnlyConfig``; torchao itself is not needed here. As it
does, each step is computed in the dtype of the input: with bfloat16 weights the scale, its
reciprocal and the products are rounded to bfloat16, which gives other codes than float32 would.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int8
from torch import Tensor

from qlearn.checks import check_flag, check_integer
from qlearn.checks.blocks import check_divides
from qlearn.checks.finite import check_finite
from qlearn.checks.formats import check_rounded_dtype
from qlearn.checks.groups import (
    check_code_dtype,
    check_grid,
    check_in_range,
    check_one_for_each,
    check_scales,
)
from qlearn.formats.blocks import in_blocks
from qlearn.numbers.ranges import quant_range

# What a stored scale, and a stored zero point, are counted as in bits_per_weight.
STORED_BITS = 16


@dataclass(frozen=True, eq=False)
class GroupedTensor:
    """Integer codes, and for each group along one axis the scale and the zero point it shares.

    A code means ``scale · (code − zero_point)``. With b bits it lies in −2^(b−1) … 2^(b−1) − 1.

    Attributes:
        codes: in the shape of the tensor, one in each int8, as torchao keeps them; :func:`pack`
            puts them closer together.
        scales: one for each group: that shape with the axis ``group_size`` times shorter; in the
            dtype that the codes were computed in, and that the numbers get back.
        zero_points: the codes of 0.0, in the shape of the scales; all 0 where symmetric.
        bits: how many bits a code has, 1 to 8.
        group_size: how many neighbours along the axis make a group.
        symmetric: whether the zero points are all 0 by rule, and so need not be stored.
        axis: the dimension that the groups lie along.

    Raises:
        TypeError: codes or zero points are not int8, scales not float32, bfloat16 or float16; bits
            or the group size are no integers.
        ValueError: bits outside 1 … 8; shapes that do not belong together; a code beyond the range
            of the bits; a zero point other than 0 though symmetric; scales that are infinite or
            NaN.

    Source: ``torchao.quantization.IntxUnpackedToInt8Tensor``, whose ``qdata``, ``scale`` and
    ``zero_point`` are the codes, the scales and the zero points.

    >>> codes = torch.tensor([[-8, 7, 1, 3]], dtype=torch.int8)
    >>> zero_points = torch.zeros(1, 2, dtype=torch.int8)
    >>> GroupedTensor(codes, torch.tensor([[0.5, 2.0]]), zero_points, 4, 2).dequantize()
    tensor([[-4.0000,  3.5000,  2.0000,  6.0000]])
    """

    codes: Int8[Tensor, "*shape"]
    scales: Float[Tensor, "*groups"]
    zero_points: Int8[Tensor, "*groups"]
    bits: int = 4
    group_size: int = 32
    symmetric: bool = True
    axis: int = -1

    def __post_init__(self) -> None:
        """Check that the parts fit together."""
        check_integer(self.bits, "bits", 1, 8)
        quant_min, quant_max = quant_range(torch.int8, bits=self.bits)
        check_flag(self.symmetric, "symmetric")
        check_code_dtype(self.codes, "codes", torch.int8)
        check_divides(self.group_size, self.codes, "group_size", self.axis)
        check_in_range(self.codes, "codes", quant_min, quant_max)
        groups = list(self.codes.shape)
        groups[self.axis] //= self.group_size
        check_scales(self.scales, groups)
        check_code_dtype(self.zero_points, "zero_points", torch.int8)
        check_one_for_each(self.zero_points, "zero_points", groups)
        ends = (0, 0) if self.symmetric else (quant_min, quant_max)
        check_in_range(
            self.zero_points,
            "zero_points",
            *ends,
            "clamp them, and pass symmetric=False if they are others than 0",
        )

    @property
    def bits_per_weight(self) -> float:
        """Return what a number costs in a file: its code and its share of what the group stores.

        That is the scale, in 16 bits as files hold it, and where there are zero points 16 more,
        as in Q4_1 and in the layout of torch's int4 kernels. With 4 bits: 4.5 in groups of 32 and
        4.125 in groups of 128, with a zero point 5 and 4.25. This tensor in memory is larger.
        """
        stored = STORED_BITS if self.symmetric else 2 * STORED_BITS
        return self.bits + stored / self.group_size

    def dequantize(self) -> Float[Tensor, "*shape"]:
        """Return ``(codes − zero_points) · scales``, in the dtype of the scales."""
        members = self.axis % self.codes.ndim + 1
        scales = self.scales.unsqueeze(members)
        zero_points = self.zero_points.unsqueeze(members).to(scales.dtype)
        codes = in_blocks(self.codes, self.group_size, self.axis).to(scales.dtype)
        return ((codes - zero_points) * scales).flatten(members - 1, members)


def quantize_groups(
    x: Float[Tensor, "*shape"],
    *,
    bits: int = 4,
    group_size: int = 32,
    symmetric: bool = True,
    axis: int = -1,
) -> GroupedTensor:
    """Return ``clamp(rint(f(x · f(1/scale))) + zero_point)``, with a scale and zero point a group.

    The range of a group is widened to hold 0: low ≤ 0 ≤ high; f rounds to the dtype of x. With b
    bits,

    * symmetric: ``scale = max(−low, high) / ((2^b − 1)/2)`` and ``zero_point = 0``;
    * else: ``scale = (high − low) / (2^b − 1)`` and
      ``zero_point = clamp(−2^(b−1) − rint(low/scale))``.

    The scale is at least the smallest normal number, so that its reciprocal is finite: a group of
    zeros, or of denormal numbers, becomes finite numbers again. Ties round to even; −0.0 becomes
    0.0. With a symmetric scale of 4 bits the largest number lies 7.5 steps from 0, half a step
    beyond the code 7: where it is positive, it is clipped.

    Args:
        x: float32, bfloat16 or float16, of any shape but (); it may be empty or non-contiguous.
        bits: 1 to 8.
        group_size: must divide the length of the axis.
        symmetric: False for a zero point in each group, where a group lies to one side of 0.
        axis: the dimension that the groups lie along: the last for weights, and for a cache of
            keys that of the tokens.

    Raises:
        TypeError: ``x`` is no such tensor: float64 is refused because it would be rounded; bits or
            the group size are no integers.
        ValueError: infinities or NaN, which have no code; a group size that does not divide;
            bits outside 1 … 8; a group whose width, or what its end codes mean, is more than the
            dtype can hold.

    Source: ``torchao.quantization.IntxWeightOnlyConfig``, with ``MappingType.SYMMETRIC`` and
    ``MappingType.ASYMMETRIC``, bit for bit in the three dtypes. torchao has no groups of one
    number, and makes infinities where this function refuses. Groups are ZeroQuant's, arXiv
    2206.01861.

    >>> grouped = quantize_groups(torch.tensor([[7.5, 1.0, -7.5, 30.0]]), group_size=2)
    >>> grouped.codes, grouped.scales
    (tensor([[ 7,  1, -2,  7]], dtype=torch.int8), tensor([[1., 4.]]))
    >>> grouped.dequantize()
    tensor([[ 7.,  1., -8., 28.]])
    """
    check_rounded_dtype(x)
    check_flag(symmetric, "symmetric")
    check_divides(group_size, x, "group_size", axis)
    groups, members = in_blocks(x.detach(), group_size, axis), axis % x.ndim + 1
    low, high = groups.amin(members), groups.amax(members)
    check_finite(x, low, high)
    scales, zero_points = group_qparams(low, high, bits=bits, symmetric=symmetric)
    each = scales.unsqueeze(members), zero_points.unsqueeze(members)
    codes = group_codes(groups, *each, bits=bits).flatten(members - 1, members)
    return GroupedTensor(codes, scales, zero_points, bits, group_size, symmetric, axis)


def group_qparams(
    low: Float[Tensor, "*groups"], high: Float[Tensor, "*groups"], *, bits: int, symmetric: bool
) -> tuple[Float[Tensor, "*groups"], Int8[Tensor, "*groups"]]:
    """Return scales and zero points of groups whose numbers reach from low to high.

    Raises:
        TypeError: bits is no integer; quant_range would take None for all eight.
        ValueError: bits is outside 1 … 8, or the end codes of a group would mean numbers beyond
            the dtype.
    """
    check_integer(bits, "bits", 1, 8)
    quant_min, quant_max = quant_range(torch.int8, bits=bits)
    low, high = low.clamp_max(0.0), high.clamp_min(0.0)
    if symmetric:
        scales = torch.maximum(-low, high) / ((quant_max - quant_min) / 2)
    else:
        scales = (high - low) / (quant_max - quant_min)
    scales = scales.clamp_min(torch.finfo(low.dtype).smallest_normal)
    if symmetric:
        zero_points = torch.zeros_like(scales)
    else:
        zero_points = (quant_min - torch.round(low / scales)).clamp(quant_min, quant_max)
    check_grid((quant_min - zero_points) * scales, (quant_max - zero_points) * scales)
    return scales, zero_points.to(torch.int8)


def group_codes(
    groups: Float[Tensor, "..."],
    scales: Float[Tensor, "..."],
    zero_points: Int8[Tensor, "..."],
    *,
    bits: int,
) -> Int8[Tensor, "..."]:
    """Return the codes of numbers with scales and zero points that broadcast against them."""
    quant_min, quant_max = quant_range(torch.int8, bits=bits)
    codes = torch.round(groups * (1.0 / scales)) + zero_points
    return codes.clamp(quant_min, quant_max).to(torch.int8).contiguous()
