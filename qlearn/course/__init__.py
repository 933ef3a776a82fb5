"""What only the book needs: data, networks, numbers to try things on, and ways to print them.

Plots, widgets and the networks of quantization-aware training are imported by their own names,
``qlearn.course.plots``, ``qlearn.course.widgets`` and ``qlearn.course.digits.qat``, because they
need matplotlib, anywidget and torch.ao.
"""

from qlearn.course.digits.layers import (
    float_outputs,
    folded_layers,
    integer_outputs,
    layer_errors,
    observed_ranges,
)
from qlearn.course.digits.lstm import DigitsLSTM, trained_digits_lstm
from qlearn.course.digits.net import (
    DigitsNet,
    count_right,
    digits_right,
    split_digits,
    trained_digits_net,
)
from qlearn.course.exercises import check
from qlearn.course.graphs import dynamic_by_fx, node_results
from qlearn.course.layer_costs import Call, layer_cost
from qlearn.course.normal import normal
from qlearn.course.quietly import quietly
from qlearn.course.steady import steady
from qlearn.course.stored_bytes import file_bytes, number_bytes
from qlearn.course.timing import shortest

__all__ = [
    "Call",
    "DigitsLSTM",
    "DigitsNet",
    "check",
    "count_right",
    "digits_right",
    "dynamic_by_fx",
    "file_bytes",
    "float_outputs",
    "folded_layers",
    "integer_outputs",
    "layer_cost",
    "layer_errors",
    "node_results",
    "normal",
    "number_bytes",
    "observed_ranges",
    "quietly",
    "shortest",
    "split_digits",
    "steady",
    "trained_digits_lstm",
    "trained_digits_net",
]
