"""What every widget of the digits network has: its numbers, and images to choose from."""

from __future__ import annotations

from typing import Any

import torch
from jaxtyping import Float32, Int64
from torch import Tensor
from traitlets import Bytes, Int, List

from qlearn.course.digits.layers import folded_layers
from qlearn.course.digits.net import DigitsNet
from qlearn.course.widgets.shared.figure import Figure
from qlearn.course.widgets.shared.traits import present
from qlearn.course.widgets.shared.values import stored

Images = Float32[Tensor, "n 1 8 8"]
Labels = Int64[Tensor, " n"]


class DigitsFigure(Figure):
    """A widget of the network, whose batch norms are folded, and of at most twenty images.

    ``image`` is the number of the one that is shown, from 0.
    """

    parameters = Bytes().tag(sync=True)
    pixels = Bytes().tag(sync=True)
    labels = List(Int(min=0, max=9), minlen=1, maxlen=20).tag(sync=True)
    image = Int(0, min=0).tag(sync=True)
    _check_image = present("image", lambda self: range(len(self.labels)))

    def __init__(self, net: DigitsNet, images: Images, labels: Labels, **traits: Any) -> None:
        pixels = stored(images=images)
        if images.shape != (len(labels), 1, 8, 8):
            shapes = f"images has shape {tuple(images.shape)} and labels {tuple(labels.shape)}"
            raise ValueError(f"{shapes}: pass (n, 1, 8, 8) and (n,)")
        self._images, self._layers = images, folded_layers(net)
        numbers = [part.flatten() for layer in self._layers.values() for part in layer]
        parameters = stored(parameters=torch.cat(numbers))
        super().__init__(parameters=parameters, pixels=pixels, labels=labels.tolist(), **traits)
