"""Networks that break by a line of their kernel; their scales are good."""

from __future__ import annotations

from typing import Any

from qlearn.course.broken.data import calibration_images, plain_patient, separable_patient
from qlearn.course.broken.kernels import (
    BiasInWeightSteps,
    SaturatingLayer,
    SignedCodes,
    ZeroPointDropped,
    with_kernel,
)
from qlearn.course.broken.nets import plain_net, separable_net
from qlearn.course.broken.patient import Patient
from qlearn.course.digits.net import split_digits
from qlearn.models.simulate import simulate

MEAN, SPREAD = 0.3, 0.35  # of the pixels, about


def saturating_kernel() -> Patient:
    """Add pairs in 16 bits with codes up to 255: white paper makes many large codes."""
    net = separable_net()
    healthy = simulate(net, 1 - calibration_images())
    return separable_patient(with_kernel(healthy, SaturatingLayer), net, {})


def bias_in_wrong_steps() -> Patient:
    """Forget the input's scale in the step of the bias."""
    healthy = simulate(plain_net(), calibration_images())
    return plain_patient(with_kernel(healthy, BiasInWeightSteps))


def signed_codes() -> Patient:
    """Read the bytes of one layer's input with a sign."""
    healthy = simulate(plain_net(), calibration_images())
    return plain_patient(with_kernel(healthy, SignedCodes, ["conv2"]))


def dropped_zero_point() -> Patient:
    """Forget the zero point of conv1's input, where pixels are normalized and it is not 0.

    The first convolution takes the normalization back, so the network computes as before, save
    at the border: its padding is the mean pixel now.
    """
    split, net = split_digits(), plain_net()
    conv1: Any = net.conv1
    trained_on, images = ((x - MEAN) / SPREAD for x in (split.train_images, split.test_images))
    conv1.bias += MEAN * conv1.weight.sum((1, 2, 3))
    conv1.weight *= SPREAD
    calibration = trained_on[: len(calibration_images())]
    quantized = with_kernel(simulate(net, calibration), ZeroPointDropped)
    return Patient(net, quantized, calibration, trained_on, images, 345)
