"""Small formats: floats of eight bits and fewer, blocks with a shared scale, integers in groups."""

from qlearn.formats.double_quantization import dynamic_levels
from qlearn.formats.float_codes import decode_float, encode_float
from qlearn.formats.float_format import (
    E2M1FN,
    E2M3FN,
    E3M2FN,
    E4M3FN,
    E4M3FNUZ,
    E5M2,
    E5M2FNUZ,
    E8M0FNU,
    FloatFormat,
)
from qlearn.formats.float_rounding import round_to_float
from qlearn.formats.gguf import gguf_dequantize, gguf_quantize
from qlearn.formats.groups import GroupedTensor, quantize_groups
from qlearn.formats.microscaling import MXTensor, mx_quantize
from qlearn.formats.nf4 import NF4Tensor, nf4_levels, nf4_quantize
from qlearn.formats.nvfp4 import NVFP4Tensor, nvfp4_quantize
from qlearn.formats.packing import pack, unpack

__all__ = [
    "E2M1FN",
    "E2M3FN",
    "E3M2FN",
    "E4M3FN",
    "E4M3FNUZ",
    "E5M2",
    "E5M2FNUZ",
    "E8M0FNU",
    "FloatFormat",
    "GroupedTensor",
    "MXTensor",
    "NF4Tensor",
    "NVFP4Tensor",
    "decode_float",
    "dynamic_levels",
    "encode_float",
    "gguf_dequantize",
    "gguf_quantize",
    "mx_quantize",
    "nf4_levels",
    "nf4_quantize",
    "nvfp4_quantize",
    "pack",
    "quantize_groups",
    "round_to_float",
    "unpack",
]
