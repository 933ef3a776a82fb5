"""Widgets that work on a static page, with no kernel, and in a live notebook alike."""

from qlearn.widgets.clipping_threshold import ClippingThreshold
from qlearn.widgets.dynamic_linear import DynamicLinear
from qlearn.widgets.network_layers import NetworkLayers
from qlearn.widgets.observer_stream import ObserverStream
from qlearn.widgets.old_and_new import OldAndNew
from qlearn.widgets.qconfig_rules import QConfigRules
from qlearn.widgets.quantizer import Quantizer
from qlearn.widgets.requantizer import Requantizer
from qlearn.widgets.saturation import Saturation
from qlearn.widgets.straight_through import StraightThrough
from qlearn.widgets.swapped_layers import SwappedLayers
from qlearn.widgets.training_replay import TrainingReplay

__all__ = [
    "ClippingThreshold",
    "DynamicLinear",
    "NetworkLayers",
    "ObserverStream",
    "OldAndNew",
    "QConfigRules",
    "Quantizer",
    "Requantizer",
    "Saturation",
    "StraightThrough",
    "SwappedLayers",
    "TrainingReplay",
]
