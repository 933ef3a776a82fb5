"""Quantization as PyTorch's kernels do it, on plain integer tensors.

A function that stands for a torch kernel gives that kernel's bits, and its docstring names the
kernel; the book's chapters say why they are so. The textbook's rule and the measures of error
are here to compare with.
"""

import qlearn.surroundings  # noqa: F401  first: says in a sentence what is missing
from qlearn.choose import choose_qparams
from qlearn.codes import dequantize, quantize
from qlearn.digits import load_digits
from qlearn.dynamic import dynamic_qparams
from qlearn.dynamic_linear import linear_dynamic
from qlearn.fused_observer import FusedMovingAverageFakeQuantize
from qlearn.histogram_observer import HistogramObserver
from qlearn.installed import installed_rounding
from qlearn.learned_step import learnable_fake_quantize
from qlearn.metrics import clipped_share, max_error, mse, split_mse, sqnr
from qlearn.observers import (
    MinMaxObserver,
    MovingAverageMinMaxObserver,
    MovingAveragePerChannelMinMaxObserver,
    PerChannelMinMaxObserver,
)
from qlearn.qparams import QParams
from qlearn.qtensor import QTensor
from qlearn.ranges import quant_range
from qlearn.saturation import kernels_saturate, saturating_matmul
from qlearn.static_conv import conv2d_static
from qlearn.static_linear import linear_static
from qlearn.straight_through import fake_quantize
from qlearn.tensorflow_rule import nudged_range, tensorflow_fake_quantize
from qlearn.textbook import textbook_qparams

__all__ = [
    "FusedMovingAverageFakeQuantize",
    "HistogramObserver",
    "MinMaxObserver",
    "MovingAverageMinMaxObserver",
    "MovingAveragePerChannelMinMaxObserver",
    "PerChannelMinMaxObserver",
    "QParams",
    "QTensor",
    "choose_qparams",
    "clipped_share",
    "conv2d_static",
    "dequantize",
    "dynamic_qparams",
    "fake_quantize",
    "installed_rounding",
    "kernels_saturate",
    "learnable_fake_quantize",
    "linear_dynamic",
    "linear_static",
    "load_digits",
    "max_error",
    "mse",
    "nudged_range",
    "quant_range",
    "quantize",
    "saturating_matmul",
    "split_mse",
    "sqnr",
    "tensorflow_fake_quantize",
    "textbook_qparams",
]
