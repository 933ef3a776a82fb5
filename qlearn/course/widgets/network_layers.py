"""The digits network to play with: float32 beside its codes, and where the error enters."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import anywidget
import torch
import traitlets
from jaxtyping import Float32, Int64
from torch import Tensor

from qlearn.checks import check_choice, check_float32
from qlearn.course.digits.layers import (
    LAYERS,
    LEAST_BITS,
    MOST_BITS,
    OBSERVED,
    WEIGHTED,
    Folded,
    float_outputs,
    folded_layers,
    integer_outputs,
    layer_errors,
)
from qlearn.course.digits.net import DigitsNet
from qlearn.course.widgets.bundle import bundle, styles
from qlearn.numbers.qtensor import QTensor

Ranges = Mapping[str, tuple[float, float]]
REDUCED_BITS = 7  # stands for reduce_range, which is how the network starts
SHADES = 16  # pixels are multiples of 1/16
MOST_IMAGES = 20


class NetworkLayers(anywidget.AnyWidget):
    """Show one image on its way through the digits network, in float32 and in codes.

    The browser computes every layer both ways, and how far the codes are off: in all, and by the
    layer's own doing. So the widget lives on a static page too; in a live notebook each move
    arrives in the traits below, and setting one moves the picture.

    Args:
        net: the float network; its batch norms are folded.
        images: at most twenty, with pixels in steps of 1/16.
        labels: the digits that they show.
        calibrations: by name, the ranges that a calibration found for ``OBSERVED``.
        layer: to look at, one of ``LAYERS``.

    Attributes:
        image: the number of the image, from 0.
        layer: as above.
        calibration: a name.
        activation_bits, weight_bits: of the layers in ``OBSERVED`` and ``WEIGHTED``, as
            :func:`qlearn.course.digits.layers.integer_outputs` takes them.

    Raises:
        TypeError: images are not float32.
        ValueError: no images or too many, other sizes or pixels; no calibration, or one that
            lacks a layer or has a range that is not finite; an unknown layer or calibration;
            bits other than 2 to 8. Assignments raise likewise.

    >>> ranges = {"input": (0, 1), "conv1": (0, 4), "conv2": (0, 4), "fc": (-4, 4)}
    >>> image = torch.arange(64).reshape(1, 1, 8, 8) % 17 / 16
    >>> net = DigitsNet().eval()
    >>> widget = NetworkLayers(net, image, torch.tensor([0]), {"by guess": ranges})
    >>> widget.layer, widget.activation_bits, widget.weight_bits
    ('conv2', [7, 7, 7, 7], [8, 8, 8])
    """

    _esm = bundle("network_layers.js")
    _css = styles("network_layers.css")

    parameters = traitlets.Bytes().tag(sync=True)
    pixels = traitlets.Bytes().tag(sync=True)
    labels: traitlets.List[int] = traitlets.List(traitlets.Int()).tag(sync=True)
    calibrations: traitlets.Dict[str, Any] = traitlets.Dict().tag(sync=True)
    image = traitlets.Int(0).tag(sync=True)
    layer = traitlets.Unicode("conv2").tag(sync=True)
    calibration = traitlets.Unicode().tag(sync=True)
    activation_bits: traitlets.List[int] = traitlets.List().tag(sync=True)
    weight_bits: traitlets.List[int] = traitlets.List().tag(sync=True)

    def __init__(
        self,
        net: DigitsNet,
        images: Float32[Tensor, "n 1 8 8"],
        labels: Int64[Tensor, " n"],
        calibrations: Mapping[str, Ranges],
        *,
        layer: str = "conv2",
    ) -> None:
        """Start with the first image, the last calibration, and eight bits, one of them spared."""
        _check_images(images, labels)
        numbers = [part.flatten() for pair in folded_layers(net).values() for part in pair]
        super().__init__(
            parameters=torch.cat(numbers).numpy().astype("<f4").tobytes(),
            pixels=(images * SHADES).to(torch.uint8).numpy().tobytes(),
            labels=labels.tolist(),
            calibrations=_checked_calibrations(calibrations),
            layer=layer,
            calibration=list(calibrations)[-1],
            activation_bits=[REDUCED_BITS] * len(OBSERVED),
            weight_bits=[MOST_BITS] * len(WEIGHTED),
        )

    @property
    def codes(self) -> dict[str, QTensor]:
        """The codes of each layer for the image that is shown."""
        ranges = self.calibrations[self.calibration]
        return integer_outputs(
            self._layers(),
            self._image(),
            dict(zip(OBSERVED, ranges, strict=True)),
            activation_bits=own_bits(self.activation_bits),
            weight_bits=dict(zip(WEIGHTED, self.weight_bits, strict=True)),
        )

    @property
    def errors(self) -> dict[str, tuple[float, float]]:
        """For each layer the SQNR in dB of its output, and of the error that it adds itself."""
        exact = float_outputs(self._layers(), self._image())
        return layer_errors(self._layers(), exact, self.codes)

    def _layers(self) -> dict[str, Folded]:
        """Return the layers out of the stored numbers."""
        numbers = torch.frombuffer(bytearray(self.parameters), dtype=torch.float32)
        like, layers = folded_layers(DigitsNet().eval()), {}
        for name, (weight, bias) in like.items():
            taken, kept, numbers = numbers.split(
                [weight.numel(), bias.numel(), len(numbers) - weight.numel() - bias.numel()]
            )
            layers[name] = Folded(taken.reshape(weight.shape), kept)
        return layers

    def _image(self) -> Float32[Tensor, "1 1 8 8"]:
        pixels = torch.frombuffer(bytearray(self.pixels), dtype=torch.uint8)
        return (pixels.reshape(-1, 1, 8, 8)[self.image] / SHADES)[None]

    @traitlets.validate("image")
    def _check_image(self, proposal: dict[str, Any]) -> int:
        """Refuse an image that is not there."""
        value, count = int(proposal["value"]), len(self.labels)
        if not 0 <= value < count:
            raise ValueError(f"image is {value}: pass a number from 0 to {count - 1}")
        return value

    @traitlets.validate("layer", "calibration")
    def _check_name(self, proposal: dict[str, Any]) -> str:
        """Refuse a name that the page does not have."""
        name, value = proposal["trait"].name, str(proposal["value"])
        check_choice(value, name, LAYERS if name == "layer" else tuple(self.calibrations))
        return value

    @traitlets.validate("activation_bits", "weight_bits")
    def _check_bits(self, proposal: dict[str, Any]) -> list[int]:
        """Refuse bits that codes cannot have."""
        name, value = proposal["trait"].name, list(proposal["value"])
        names = OBSERVED if name == "activation_bits" else WEIGHTED
        fits = all(type(bits) is int and LEAST_BITS <= bits <= MOST_BITS for bits in value)
        if not fits or len(value) != len(names):
            raise ValueError(
                f"{name} is {value}: pass an integer from {LEAST_BITS} to {MOST_BITS} for each of "
                f"{', '.join(names)}"
            )
        return value

    def __repr__(self) -> str:
        """Say in one line what the widget shows; a notebook's re-run compares it."""
        errors, digit = self.errors, int(self.codes["fc"].values.argmax())
        weakest = min(LAYERS, key=lambda name: errors[name][1])
        return (
            f"NetworkLayers(image {self.image} of {len(self.labels)}, {self.calibration}): "
            f"digit {digit}, {errors['fc'][0]:.0f} dB, most error enters at {weakest}"
        )


def own_bits(activation_bits: list[int]) -> dict[str, int]:
    """Return the bits by name, without those layers that keep eight bits and reduce_range."""
    pairs = zip(OBSERVED, activation_bits, strict=True)
    return {name: bits for name, bits in pairs if bits != REDUCED_BITS}


def _check_images(images: Tensor, labels: Tensor) -> None:
    """Raise unless the page has room for these images."""
    check_float32(images, "images")
    if images.ndim != 4 or images.shape[1:] != (1, 8, 8) or len(images) != len(labels):
        raise ValueError(
            f"images has shape {tuple(images.shape)} and labels {tuple(labels.shape)}: pass "
            "(n, 1, 8, 8) and (n,)"
        )
    if not 1 <= len(images) <= MOST_IMAGES:
        raise ValueError(f"there are {len(images)} images: pass 1 to {MOST_IMAGES}")
    shades = images * SHADES
    if not bool(((shades == shades.round()) & (shades >= 0) & (shades <= SHADES)).all()):
        raise ValueError("images has pixels other than 0, 1/16 … 1: the page stores no others")


def _checked_calibrations(calibrations: Mapping[str, Ranges]) -> dict[str, list[list[float]]]:
    """Return the ranges in the order of ``OBSERVED``, which JSON can hold."""
    if not calibrations:
        raise ValueError("calibrations is empty: pass the ranges of at least one, by name")
    for name, ranges in calibrations.items():
        if set(ranges) != set(OBSERVED):
            raise ValueError(
                f"the calibration {name!r} has ranges for {', '.join(ranges)}: pass one for each "
                f"of {', '.join(OBSERVED)}"
            )
        if not all(math.isfinite(end) for pair in ranges.values() for end in pair):
            raise ValueError(f"the calibration {name!r} has a range that is not finite: {ranges}")
    return {
        name: [[float(end) for end in ranges[layer]] for layer in OBSERVED]
        for name, ranges in calibrations.items()
    }
