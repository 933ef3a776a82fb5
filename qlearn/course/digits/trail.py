"""The way back: what a number of an image's journey was made of, followed to a single pixel."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import torch
from jaxtyping import Float32, Int64
from torch import Tensor
from torch.nn.functional import unfold

from qlearn.course.digits.journey import STEPS, journey
from qlearn.course.digits.layers import Folded, activation_qparams, weight_codes


class Stop(NamedTuple):
    """A number on the way back: its step, its place there from 0, its code or its sum.

    ``weight`` is what the next step multiplies it by; None where nothing multiplies.
    """

    step: str
    place: int
    integer: int
    weight: int | None = None


def trail(
    layers: Mapping[str, Folded],
    image: Float32[Tensor, "1 1 8 8"],
    ranges: Mapping[str, tuple[float, float]],
) -> list[Stop]:
    """Return the way from the code of the digit that is read back to a pixel.

    It goes from a code to its sum, from a sum to the largest product that has the sum's own sign,
    and from the largest of four codes to where that was; of several alike to the first. A larger
    product of the other sign counts against the digit. The arguments are those of
    :func:`~qlearn.course.digits.journey.journey`.

    >>> from qlearn.course.digits.layers import OBSERVED, folded_layers
    >>> from qlearn.course.digits.net import DigitsNet
    >>> ranges = dict.fromkeys(OBSERVED, (0.0, 1.0))
    >>> back = trail(folded_layers(DigitsNet().eval()), torch.ones(1, 1, 8, 8), ranges)
    >>> [stop.step for stop in back] == list(STEPS)[::-1], back[-1].integer
    (True, 255)
    """
    numbers = {name: step.integers for name, step in journey(layers, image, ranges).items()}
    rulers = activation_qparams(ranges, reduce_range=False)
    *_, last = STEPS
    way = [_stop(numbers, last, int(numbers[last].int().argmax()))]
    while (at := way[-1]).step != "pixels":
        before, places = _before(at.step), torch.tensor(made_of(at.step, at.place))
        codes = numbers[before][places].int()
        if not at.step.endswith("sums"):
            way.append(_stop(numbers, before, int(places[codes.argmax()])))
            continue
        rows = weight_codes(layers[_stage(at.step)].weight).values.flatten(1).int()
        row = rows[at.place * len(rows) // STEPS[at.step]]
        products = (codes - rulers[_ruler(before)].zero_point) * row
        for_it = -products if at.integer < 0 else products
        k = torch.where(places < 0, -(2**31), for_it).argmax()  # never beyond the edge
        way.append(_stop(numbers, before, int(places[k]), int(row[k])))
    return way


def made_of(step: str, place: int) -> list[int]:
    """Return the places in the step before that a number is made of; −1 is beyond the edge.

    >>> made_of("conv1: sums", 9), made_of("conv1: sums", 0)[:5], made_of("pool: codes", 5)
    ([0, 1, 2, 8, 9, 10, 16, 17, 18], [-1, -1, -1, -1, 0], [18, 19, 26, 27])
    """
    if step == "pixels":
        return []
    if step == "pool: codes":
        channel, inside = divmod(place, 16)
        return _windows(channel + 1, 2, stride=2)[-4:, inside].tolist()
    if step.endswith("codes"):
        return [place]
    if step == "fc: sums":
        return list(range(STEPS[_before(step)]))
    return _windows(STEPS[_before(step)] // 64, 3, padding=1)[:, place % 64].tolist()


def _windows(channels: int, size: int, **moved: int) -> Int64[Tensor, "inside windows"]:
    """Return the windows over channels of 8 × 8 as places, a column for each; −1 is padding."""
    numbered = torch.arange(1.0, 64 * channels + 1).reshape(1, channels, 8, 8)
    return unfold(numbered, size, **moved)[0].long() - 1


def _stop(numbers: Mapping[str, Tensor], step: str, place: int, weight: int | None = None) -> Stop:
    return Stop(step, place, int(numbers[step][place]), weight)


def _before(step: str) -> str:
    """Return the step before one."""
    return list(STEPS)[list(STEPS).index(step) - 1]


def _stage(step: str) -> str:
    """Return the layer that a step belongs to."""
    return step.partition(":")[0]


def _ruler(step: str) -> str:
    """Return the name in ``OBSERVED`` of the ruler that a step's codes are on."""
    return {"pixels": "input", "pool: codes": "conv2"}.get(step, _stage(step))
