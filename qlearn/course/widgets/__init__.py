"""Widgets that work on a static page, with no kernel, and in a live notebook alike."""

from qlearn.course.widgets.clipping_threshold import ClippingThreshold
from qlearn.course.widgets.decision_guide import DecisionGuide
from qlearn.course.widgets.dynamic_linear import DynamicLinear
from qlearn.course.widgets.float_bits import FloatBits
from qlearn.course.widgets.gptq_steps import GPTQSteps
from qlearn.course.widgets.grouped_row import GroupedRow
from qlearn.course.widgets.growing_cache import GrowingCache
from qlearn.course.widgets.journey import Journey
from qlearn.course.widgets.network_layers import NetworkLayers
from qlearn.course.widgets.observer_stream import ObserverStream
from qlearn.course.widgets.old_and_new import OldAndNew
from qlearn.course.widgets.outlier_channel import OutlierChannel
from qlearn.course.widgets.qconfig_rules import QConfigRules
from qlearn.course.widgets.quantized_matrix import QuantizedMatrix
from qlearn.course.widgets.quantizer import Quantizer
from qlearn.course.widgets.requantizer import Requantizer
from qlearn.course.widgets.saturation import Saturation
from qlearn.course.widgets.straight_through import StraightThrough
from qlearn.course.widgets.swapped_layers import SwappedLayers
from qlearn.course.widgets.training_replay import TrainingReplay

__all__ = [
    "ClippingThreshold",
    "DecisionGuide",
    "DynamicLinear",
    "FloatBits",
    "GPTQSteps",
    "GroupedRow",
    "GrowingCache",
    "Journey",
    "NetworkLayers",
    "ObserverStream",
    "OldAndNew",
    "OutlierChannel",
    "QConfigRules",
    "QuantizedMatrix",
    "Quantizer",
    "Requantizer",
    "Saturation",
    "StraightThrough",
    "SwappedLayers",
    "TrainingReplay",
]
