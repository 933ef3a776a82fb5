"""A reader's own model, quantized by torchao: looked at, tried, taken apart, and reported.

The chapter *Your own model* leads through it.
"""

from qlearn.course.own_model.advice import Advice, advice
from qlearn.course.own_model.by_layer import (
    LayerErrors,
    by_layer,
    coarsest,
    without_worst,
)
from qlearn.course.own_model.layers import Layers, look_at
from qlearn.course.own_model.method import Method, quantized
from qlearn.course.own_model.own import OwnModel
from qlearn.course.own_model.picture import draw_layers, draw_trials
from qlearn.course.own_model.report import Report, make_report
from qlearn.course.own_model.times import timed
from qlearn.course.own_model.trials import Trial, Trials, trials

__all__ = [
    "Advice",
    "LayerErrors",
    "Layers",
    "Method",
    "OwnModel",
    "Report",
    "Trial",
    "Trials",
    "advice",
    "by_layer",
    "coarsest",
    "draw_layers",
    "draw_trials",
    "look_at",
    "make_report",
    "quantized",
    "timed",
    "trials",
    "without_worst",
]
