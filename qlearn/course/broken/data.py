"""Networks that break by what they are shown: in service, at calibration, or in their batch."""

from __future__ import annotations

from typing import Any

from torch import Tensor, nn

from qlearn.calibration.observers import MinMaxObserver
from qlearn.course.broken.kernels import by_kernel
from qlearn.course.broken.nets import plain_net
from qlearn.course.broken.patient import Patient
from qlearn.course.broken.scales import change_layers
from qlearn.course.digits.net import split_digits
from qlearn.models.simulate import simulate
from qlearn.models.simulated_layer import SimulatedLayer, input_qparams
from qlearn.numbers.fake_quantize import fake_quantize

CALIBRATION_IMAGES = 256


def plain_patient(
    quantized: nn.Module,
    *,
    net: nn.Module | None = None,
    calibration: Tensor | None = None,
    white: bool = False,
    mate: Tensor | None = None,
) -> Patient:
    """Return the digits' network as a patient: it was trained on ink of 1 on paper of 0."""
    split, net = split_digits(), plain_net() if net is None else net
    images = 1 - split.test_images if white else split.test_images
    seen = split.train_images[:CALIBRATION_IMAGES] if calibration is None else calibration
    return Patient(net, quantized, seen, split.train_images, images, 348, mate)


def separable_patient(quantized: nn.Module, net: nn.Module, choice: dict[str, Any]) -> Patient:
    """Return the small MobileNet as a patient: it was trained on ink of 0 on paper of 1."""
    split = split_digits()
    trained_on, images = 1 - split.train_images, 1 - split.test_images
    seen = trained_on[:CALIBRATION_IMAGES]
    return Patient(net, quantized, seen, trained_on, images, 344, choice=choice)


def calibration_images() -> Tensor:
    """Return the images that a healthy digits' network is calibrated by."""
    return split_digits().train_images[:CALIBRATION_IMAGES]


def white_paper() -> Patient:
    """Show ink of 0 on paper of 1 to a network that was trained on ink of 1."""
    return plain_patient(simulate(plain_net(), calibration_images()), white=True)


def dim_calibration() -> Patient:
    """Calibrate by images a fifth as bright."""
    images = calibration_images() * 0.2
    return plain_patient(simulate(plain_net(), images), calibration=images)


def hot_pixel() -> Patient:
    """Calibrate by images of which one has one pixel of 255."""
    images = calibration_images().clone()
    images[7, 0, 3, 3] = 255.0
    return plain_patient(simulate(plain_net(), images), calibration=images)


class BatchRanged(SimulatedLayer):
    """Chooses the range of its input anew in each call, for the whole batch."""

    def quantized_input(self, x: Tensor) -> Tensor:
        """Return what comes back from codes for the range of this batch."""
        qparams = input_qparams([x], 8, MinMaxObserver)
        assert qparams is not None
        return fake_quantize(x, qparams)


def batch_mate() -> Patient:
    """Choose ranges in service, for batches in which one image has pixels up to 255."""
    images = calibration_images()
    quantized = change_layers(
        simulate(plain_net(), images), lambda _, layer: by_kernel(layer, BatchRanged)
    )
    return plain_patient(quantized, mate=images[:1] * 255)
