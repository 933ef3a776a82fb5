"""Quantization as PyTorch's kernels do it, on plain integer tensors.

A function that stands for a torch kernel gives that kernel's bits, and its docstring names the
kernel; the book's chapters say why they are so. The textbook's rule and the measures of error
are here to compare with.
"""

import qlearn.surroundings  # noqa: F401  first: says in a sentence what is missing
from qlearn.calibration.histogram_observer import HistogramObserver
from qlearn.calibration.observers import (
    MinMaxObserver,
    MovingAverageMinMaxObserver,
    MovingAveragePerChannelMinMaxObserver,
    PerChannelMinMaxObserver,
)
from qlearn.calibration.percentile_observer import PercentileObserver
from qlearn.calibration.qconfig import Rule, module_entries, winning_rules
from qlearn.course.digits.dataset import load_digits
from qlearn.course.language.shipped import load_language_model
from qlearn.course.language.text import load_language_text
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
from qlearn.integers.dynamic_linear import linear_dynamic
from qlearn.integers.dynamic_lstm import LSTMWeights, lstm_dynamic
from qlearn.integers.fixed_point import fixed_point_multiplier, fixed_point_product
from qlearn.integers.per_token import linear_per_token, token_qparams
from qlearn.integers.requantization import requantize
from qlearn.integers.saturation import saturating_matmul
from qlearn.integers.static_conv import conv2d_static
from qlearn.integers.static_linear import linear_static
from qlearn.language.awq import awq_scales, scaled_groups
from qlearn.language.bits import bits_per_byte
from qlearn.language.cache import quantize_cache
from qlearn.language.clipping import clipped_groups
from qlearn.language.decomposed_product import decomposed_product
from qlearn.language.gptq import by_activation, gptq
from qlearn.language.hadamard import hadamard
from qlearn.language.llm_int8 import linear_llm_int8
from qlearn.language.quantized_cache import QuantizedCache
from qlearn.language.rotate import rotate
from qlearn.language.rounded_product import codes_and_step, rounded_product
from qlearn.language.smoothing import smooth_scales
from qlearn.machine import installed_rounding, kernels_saturate
from qlearn.models.bias_correction import bias_corrected
from qlearn.models.diagnosis.diagnose import diagnose
from qlearn.models.layer_table import layer_table
from qlearn.models.simulate import simulate
from qlearn.models.simulated_layer import SimulatedLayer
from qlearn.numbers.fake_quantize import fake_quantize
from qlearn.numbers.fma import fma
from qlearn.numbers.metrics import clipped_share, max_error, mse, split_mse, sqnr
from qlearn.numbers.qparams import QParams
from qlearn.numbers.qtensor import QTensor
from qlearn.numbers.quantize import dequantize, quantize
from qlearn.numbers.ranges import quant_range
from qlearn.numbers.rules.kernel import choose_quantization_params, dynamic_qparams
from qlearn.numbers.rules.observer import choose_qparams
from qlearn.numbers.rules.tensorflow import nudged_range, tensorflow_fake_quantize
from qlearn.numbers.rules.textbook import textbook_qparams
from qlearn.numbers.rules.torchao import torchao_qparams
from qlearn.training.folded_weight import folded_weight
from qlearn.training.fused_fake_quantize import FusedMovingAverageFakeQuantize
from qlearn.training.learned_step import learnable_fake_quantize

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
    "FusedMovingAverageFakeQuantize",
    "GroupedTensor",
    "HistogramObserver",
    "LSTMWeights",
    "MXTensor",
    "MinMaxObserver",
    "MovingAverageMinMaxObserver",
    "MovingAveragePerChannelMinMaxObserver",
    "NF4Tensor",
    "NVFP4Tensor",
    "PerChannelMinMaxObserver",
    "PercentileObserver",
    "QParams",
    "QTensor",
    "QuantizedCache",
    "Rule",
    "SimulatedLayer",
    "awq_scales",
    "bias_corrected",
    "bits_per_byte",
    "by_activation",
    "choose_qparams",
    "choose_quantization_params",
    "clipped_groups",
    "clipped_share",
    "codes_and_step",
    "conv2d_static",
    "decode_float",
    "decomposed_product",
    "dequantize",
    "diagnose",
    "dynamic_levels",
    "dynamic_qparams",
    "encode_float",
    "fake_quantize",
    "fixed_point_multiplier",
    "fixed_point_product",
    "fma",
    "folded_weight",
    "gguf_dequantize",
    "gguf_quantize",
    "gptq",
    "hadamard",
    "installed_rounding",
    "kernels_saturate",
    "layer_table",
    "learnable_fake_quantize",
    "linear_dynamic",
    "linear_llm_int8",
    "linear_per_token",
    "linear_static",
    "load_digits",
    "load_language_model",
    "load_language_text",
    "lstm_dynamic",
    "max_error",
    "module_entries",
    "mse",
    "mx_quantize",
    "nf4_levels",
    "nf4_quantize",
    "nudged_range",
    "nvfp4_quantize",
    "pack",
    "quant_range",
    "quantize",
    "quantize_cache",
    "quantize_groups",
    "requantize",
    "rotate",
    "round_to_float",
    "rounded_product",
    "saturating_matmul",
    "scaled_groups",
    "simulate",
    "smooth_scales",
    "split_mse",
    "sqnr",
    "tensorflow_fake_quantize",
    "textbook_qparams",
    "token_qparams",
    "torchao_qparams",
    "unpack",
    "winning_rules",
]
