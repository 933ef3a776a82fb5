"""The digits network to play with: float32 beside its codes, and where the error enters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from traitlets import Dict, Enum, Float, Tuple, Unicode, validate

from qlearn.course.digits import layers
from qlearn.course.digits.net import DigitsNet
from qlearn.course.widgets.shared.digits_figure import DigitsFigure, Images, Labels
from qlearn.course.widgets.shared.traits import present
from qlearn.numbers.qtensor import QTensor

REDUCED_BITS = 7  # of activations: stands for eight bits and reduce_range, as the network starts
Ranges = Mapping[str, Mapping[str, tuple[float, float]]]
USUAL = {
    "activation_bits": dict.fromkeys(layers.OBSERVED, REDUCED_BITS),
    "weight_bits": dict.fromkeys(layers.WEIGHTED, layers.MOST_BITS),
}
Bits = Enum(range(layers.LEAST_BITS, layers.MOST_BITS + 1))


class NetworkLayers(DigitsFigure):
    """Show one image on its way through the digits network, in float32 and in codes.

    The browser computes every layer both ways, and how far the codes are off: in all, and by
    the layer's own doing.

    Args:
        net: the float network; its batch norms are folded.
        images, labels: at most twenty, and the digits that they show.
        calibrations: by name, the ranges that a calibration found for ``OBSERVED``.
        start: ``image`` (its number, from 0), ``layer``, ``calibration`` (its name, at first the
            last), and by layer ``activation_bits`` and ``weight_bits``. 7 bits of activations
            stand for eight with a reduced range, whose scale is for 127; codes may pass that.

    >>> import torch
    >>> ranges = {"input": (0, 1), "conv1": (0, 4), "conv2": (0, 4), "fc": (-4, 4)}
    >>> image, label = torch.zeros(1, 1, 8, 8), torch.tensor([0])
    >>> widget = NetworkLayers(DigitsNet().eval(), image, label, {"by guess": ranges})
    >>> widget.layer, widget.activation_bits["conv2"], widget.weight_bits
    ('conv2', 7, {'conv1': 8, 'conv2': 8, 'fc': 8})
    """

    calibrations = Dict(Dict(Tuple(Float(), Float()))).tag(sync=True)
    layer = Enum(layers.LAYERS, "conv2").tag(sync=True)
    calibration = Unicode().tag(sync=True)
    activation_bits = Dict(Bits, key_trait=Enum(layers.OBSERVED)).tag(sync=True)
    weight_bits = Dict(Bits, key_trait=Enum(layers.WEIGHTED)).tag(sync=True)
    _check_calibration = present("calibration", lambda self: list(self.calibrations))

    def __init__(
        self, net: DigitsNet, images: Images, labels: Labels, calibrations: Ranges, **start: Any
    ) -> None:
        if not calibrations:
            raise ValueError("calibrations is empty: pass the ranges of at least one, by name")
        for ranges in calibrations.values():
            layers.activation_qparams(ranges)  # says if one is none
        given = {"calibrations": dict(calibrations), "calibration": list(calibrations)[-1]}
        super().__init__(net, images, labels, **given | USUAL | start)

    @property
    def codes(self) -> dict[str, QTensor]:
        """The codes of each layer for the image that is shown."""
        own = {name: bits for name, bits in self.activation_bits.items() if bits != REDUCED_BITS}
        given = self._layers, self._images[self.image, None], self.calibrations[self.calibration]
        return layers.integer_outputs(*given, activation_bits=own, weight_bits=self.weight_bits)

    @property
    def errors(self) -> dict[str, tuple[float, float]]:
        """For each layer the SQNR in dB of its output, and of the error that it adds itself."""
        exact = layers.float_outputs(self._layers, self._images[self.image, None])
        return layers.layer_errors(self._layers, exact, self.codes)

    @validate("activation_bits", "weight_bits")
    def _complete(self, proposal: dict[str, Any]) -> dict[str, int]:
        """Leave the layers that are not named their usual bits."""
        return USUAL[proposal["trait"].name] | proposal["value"]

    def __repr__(self) -> str:
        """Say in one line what the widget shows; a notebook's re-run compares it."""
        errors, digit = self.errors, int(self.codes["fc"].values.argmax())
        weakest = min(layers.LAYERS, key=lambda name: errors[name][1])
        return (
            f"NetworkLayers(image {self.image} of {len(self.labels)}, {self.calibration}): "
            f"digit {digit}, {errors['fc'][0]:.0f} dB, most error enters at {weakest}"
        )
