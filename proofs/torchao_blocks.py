"""torchao's microscaling and NVFP4, the oracles of blocks of small floats."""

from __future__ import annotations

import logging
import warnings
from functools import cache
from typing import Any

import torch
from torch import Tensor

from qlearn import E2M1FN, E2M3FN, E3M2FN, E4M3FN, E5M2, FloatFormat

# What torchao calls the elements' formats.
ELEMENTS = {
    E4M3FN: torch.float8_e4m3fn,
    E5M2: torch.float8_e5m2,
    E3M2FN: "fp6_e3m2",
    E2M3FN: "fp6_e2m3",
    E2M1FN: torch.float4_e2m1fn_x2,
}


@cache
def torchaos_blocks() -> Any:
    """Return torchao's modules of blocks, imported without what it logs and warns of."""
    from proofs.torchao_quietly import torchao

    assert torchao  # first, since it knows how to be quiet
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings(action="ignore"):
            from torchao.prototype.mx_formats import kernels, mx_tensor, nvfp4_tensor
    finally:
        logging.disable(logging.NOTSET)
    return kernels, mx_tensor, nvfp4_tensor


def torchaos_mx(
    x: Tensor, format: FloatFormat, block_size: int, rule: str
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the scales, the codes and the numbers that torchao makes of x."""
    kernels, mx_tensor, _ = torchaos_blocks()
    mode = mx_tensor.ScaleCalculationMode[rule.upper()]
    scales, codes = mx_tensor.to_mx(x.contiguous(), ELEMENTS[format], block_size, mode)
    numbers = mx_tensor.to_dtype(codes, scales, ELEMENTS[format], block_size, torch.float32)
    if format == E2M1FN:
        codes = kernels.unpack_uint4(codes)
    return scales.view(torch.uint8), codes.view(torch.uint8), numbers


def torchaos_mx_numbers(
    codes: Tensor, scales: Tensor, format: FloatFormat, block_size: int
) -> Tensor:
    """Return the numbers that torchao reads from codes and scales."""
    kernels, mx_tensor, _ = torchaos_blocks()
    kind = ELEMENTS[format]
    if format == E2M1FN:
        codes = kernels.pack_uint4(codes)
    elif isinstance(kind, torch.dtype):
        codes = codes.view(kind)
    scales = scales.view(torch.float8_e8m0fnu)
    return mx_tensor.to_dtype(codes, scales, kind, block_size, torch.float32)


def torchaos_nvfp4(x: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return the tensor's scale, the blocks' scales, the codes and the numbers of a matrix."""
    kernels, _, nvfp4 = torchaos_blocks()
    tensor_scale = nvfp4.per_tensor_amax_to_scale(x.abs().max())
    made = nvfp4.NVFP4Tensor.to_nvfp4(x.contiguous(), per_tensor_scale=tensor_scale)
    scales, codes = made.scale.view(torch.uint8), kernels.unpack_uint4(made.qdata)
    return tensor_scale, scales, codes, made.dequantize(torch.float32)


def torchaos_nvfp4_numbers(codes: Tensor, scales: Tensor, tensor_scale: Tensor) -> Tensor:
    """Return the numbers that torchao reads from a matrix of codes and scales."""
    kernels, _, nvfp4 = torchaos_blocks()
    packed, scales = kernels.pack_uint4(codes), scales.view(torch.float8_e4m3fn)
    made = nvfp4.NVFP4Tensor(packed, scales, 16, torch.float32, tensor_scale)
    return made.dequantize(torch.float32)
