"""The repairs that one may try on any broken network, in the order of what they cost."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from torch import nn

from qlearn.calibration.histogram_observer import HistogramObserver
from qlearn.calibration.percentile_observer import PercentileObserver
from qlearn.course.broken.patient import Patient
from qlearn.course.broken.repairs import equalized, made_again, trained, without_layer
from qlearn.course.broken.rulers import PAIRS
from qlearn.models.bias_correction import bias_corrected
from qlearn.models.layer_table import layer_table

REDUCED = 7  # bits of an activation whose codes stay below 128


def menu(patient: Patient) -> dict[str, Callable[[], nn.Module]]:
    """Return repairs by name, the cheapest first; each is made when it is called.

    >>> from qlearn.course.broken import patients
    >>> list(menu(patients()["A"]))[:3]
    ['right data', 'histogram', 'percentile']
    """
    percentile = partial(PercentileObserver, share=0.002)
    return {
        "right data": lambda: made_again(patient, calibration=patient.trained_on[:256]),
        "histogram": lambda: made_again(patient, observer=HistogramObserver),
        "percentile": lambda: made_again(patient, observer=percentile),
        "per channel": lambda: made_again(patient, per_channel=True),
        "codes < 128": lambda: made_again(patient, activation_bits=REDUCED),
        "bias": lambda: bias_corrected(patient.net, patient.quantized, patient.calibration),
        "equalized": lambda: made_again(patient, net=equalized_net(patient)),
        "eq. + bias": lambda: _equalized_and_bias(patient),
        "layer float": lambda: without_layer(patient.quantized, worst_layer(patient)),
        "training": lambda: trained(patient.quantized, patient.trained_on),
    }


def equalized_net(patient: Patient) -> nn.Module:
    """Return the float network with its channels equalized."""
    names = dict(patient.net.named_modules())
    return equalized(patient.net, PAIRS if "dw1" in names else (("conv1", "conv2"),))


def worst_layer(patient: Patient) -> str:
    """Return the name of the layer whose own error is the largest for its output."""
    table = layer_table(patient.net, patient.quantized, patient.images)
    return min(table, key=lambda row: row.own).name


def _equalized_and_bias(patient: Patient) -> nn.Module:
    net = equalized_net(patient)
    return bias_corrected(net, made_again(patient, net=net), patient.calibration)
