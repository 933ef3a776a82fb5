"""torchao's tensor of codes in groups, the oracle of quantize_groups."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor


def torchaos_groups(x: Tensor, bits: int, group_size: int, symmetric: bool, axis: int = -1) -> Any:
    """Return what IntxWeightOnlyConfig makes of a weight; the package is imported here alone."""
    from torchao.quantization import IntxUnpackedToInt8Tensor

    from proofs.torchao_quietly import torchao

    mapping = torchao.MappingType.SYMMETRIC if symmetric else torchao.MappingType.ASYMMETRIC
    block = [1] * x.ndim
    block[axis] = group_size
    dtype = getattr(torch, f"int{bits}")
    return IntxUnpackedToInt8Tensor.from_hp(x.contiguous(), block, dtype, mapping_type=mapping)
