"""Quantization as PyTorch's kernels do it, on plain integer tensors.

A function that stands for a torch kernel gives that kernel's bits, and its docstring names the
kernel; the book's chapters say why they are so. The textbook's rule and the measures of error
are here to compare with.
"""

from qlearn.choose import choose_qparams
from qlearn.codes import dequantize, quantize
from qlearn.dynamic import dynamic_qparams
from qlearn.dynamic_linear import linear_dynamic
from qlearn.histogram_observer import HistogramObserver
from qlearn.metrics import clipped_share, max_error, mse, sqnr
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
from qlearn.straight_through import fake_quantize
from qlearn.textbook import textbook_qparams

__all__ = [
    "HistogramObserver",
    "MinMaxObserver",
    "MovingAverageMinMaxObserver",
    "MovingAveragePerChannelMinMaxObserver",
    "PerChannelMinMaxObserver",
    "QParams",
    "QTensor",
    "choose_qparams",
    "clipped_share",
    "dequantize",
    "dynamic_qparams",
    "fake_quantize",
    "kernels_saturate",
    "linear_dynamic",
    "max_error",
    "mse",
    "quant_range",
    "quantize",
    "saturating_matmul",
    "sqnr",
    "textbook_qparams",
]
