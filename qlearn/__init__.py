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
from qlearn.course.digits.dataset import load_digits
from qlearn.integers.dynamic_linear import linear_dynamic
from qlearn.integers.saturation import kernels_saturate, saturating_matmul
from qlearn.integers.static_conv import conv2d_static
from qlearn.integers.static_linear import linear_static
from qlearn.machine.rounding import installed_rounding
from qlearn.numbers.fake_quantize import fake_quantize
from qlearn.numbers.metrics import clipped_share, max_error, mse, split_mse, sqnr
from qlearn.numbers.qparams import QParams
from qlearn.numbers.qtensor import QTensor
from qlearn.numbers.quantize import dequantize, quantize
from qlearn.numbers.ranges import quant_range
from qlearn.numbers.rules.dynamic import dynamic_qparams
from qlearn.numbers.rules.observer import choose_qparams
from qlearn.numbers.rules.tensorflow import nudged_range, tensorflow_fake_quantize
from qlearn.numbers.rules.textbook import textbook_qparams
from qlearn.training.fused_observer import FusedMovingAverageFakeQuantize
from qlearn.training.learned_step import learnable_fake_quantize

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
