"""The end: the digits' network in integers, by the reader's own functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import torch
from torch import Tensor

from qlearn.course.digits.layers import (
    LAYERS,
    OBSERVED,
    Folded,
    float_outputs,
    folded_layers,
    integer_outputs,
    observed_ranges,
)
from qlearn.course.digits.net import count_right, split_digits, trained_digits_net
from qlearn.course.exercises.exercise import Case, Exercise, Parts, WrongError
from qlearn.course.exercises.tinyquant import choose, layer, quantize
from qlearn.course.exercises.tinyquant.beside_torch import told_of_torch
from qlearn.course.exercises.tinyquant.ruler import Ruler
from qlearn.numbers.qtensor import QTensor

CALIBRATION = 100  # images
FEW = 8  # images, with which a mistake is looked for

Layers = Mapping[str, Folded]
Outputs = Mapping[str, Tensor]


@cache
def digits() -> tuple[dict[str, Folded], dict[str, Tensor], Tensor]:
    """Return the folded layers, the float outputs for calibration, and the images to read.

    >>> layers, outputs, images = digits()
    >>> list(layers), list(outputs)
    (['conv1', 'conv2', 'fc'], ['input', 'conv1', 'conv2', 'pool', 'fc'])
    """
    layers, split = folded_layers(trained_digits_net()), split_digits()
    return layers, float_outputs(layers, split.train_images[:CALIBRATION]), split.test_images


@cache
def expected() -> dict[str, QTensor]:
    """Return the codes of the package's own integer network, which are FBGEMM's."""
    layers, _, images = digits()
    ranges = observed_ranges(layers, split_digits().train_images[:CALIBRATION], "minmax")
    return integer_outputs(layers, images, ranges, reduce_range=False)


def right(layers: Layers, outputs: Outputs, images: Tensor) -> dict[str, Tensor]:
    """Return the package's codes for all images, and those of the steps before for a few."""
    if len(images) <= FEW:
        return computed(layers, outputs, images)
    return {name: q.values[: len(images)] for name, q in expected().items()}


def drive(subject: Any, layers: Layers, outputs: Outputs, images: Tensor) -> Parts:
    """Return the codes of each layer.

    Raises:
        WrongError: they are not in a dictionary by the names of the layers.
    """
    codes = subject(layers, outputs, images)
    if codes is None or codes is Ellipsis:
        return {"codes": None}
    if not isinstance(codes, dict):
        raise WrongError("Return a dictionary: the codes of each layer by its name.")
    missing = [name for name in LAYERS if name not in codes]
    if missing:
        raise WrongError(f"Your dictionary lacks {' and '.join(missing)}.")
    return {f"codes of {name}": codes[name] for name in LAYERS}


def largest(codes: Tensor) -> Tensor:
    """Return the largest of each 2 × 2 codes."""
    images, outputs, height, width = codes.shape
    fours = codes.reshape(images, outputs, height // 2, 2, width // 2, 2)
    return fours.amax(dim=(3, 5))


def averaged(codes: Tensor) -> Tensor:
    """Return the mean of each 2 × 2 codes."""
    images, outputs, height, width = codes.shape
    fours = codes.reshape(images, outputs, height // 2, 2, width // 2, 2)
    return fours.float().mean(dim=(3, 5)).round().to(codes.dtype)


def computed(
    layers: Layers,
    outputs: Outputs,
    images: Tensor,
    *,
    quant_max: int = 255,
    observed: Mapping[str, str] | None = None,
    pool: Callable[[Tensor], Tensor] = largest,
    channels_first: bool = True,
    relu: bool = True,
    from_images: bool = False,
    one_observer: bool = False,
    fc_reads: str = "conv2",
    conv2_reads: str = "conv1",
    fc_relu: bool = False,
    symmetric: bool = False,
) -> dict[str, Tensor]:
    """Return the codes as the reader may compute them; the options make known mistakes."""
    source = dict(zip(OBSERVED, OBSERVED, strict=True)) | dict(observed or {})
    seen = {name: outputs[source[name]] for name in OBSERVED}
    if from_images:
        seen["input"] = images
    if one_observer:
        seen = {
            name: torch.cat([seen[one].flatten() for one in OBSERVED[: i + 1]])
            for i, name in enumerate(OBSERVED)
        }
    seen["pool"] = outputs["pool"]
    ruler = {name: ruler_of(numbers, quant_max, symmetric) for name, numbers in seen.items()}
    codes = {"input": quantize.right(images, ruler["input"])}
    before = "input"
    for name in ("conv1", "conv2"):
        weight, bias = layers[name].weight.flatten(1), layers[name].bias
        read = conv2_reads if name == "conv2" else before
        step = layer.Right(weight, bias, ruler[read], ruler[name], relu)
        codes[name] = layer.convolved(step, codes[before])
        before = name
    codes["pool"] = pool(codes["conv2"])
    rows = codes["pool"] if channels_first else codes["pool"].permute(0, 2, 3, 1)
    fc = layers["fc"]
    last = layer.Right(fc.weight, fc.bias, ruler[fc_reads], ruler["fc"], fc_relu)
    return codes | {"fc": last(rows.flatten(1))}


def ruler_of(seen: Tensor, quant_max: int, symmetric: bool = False) -> Ruler:
    """Return the ruler of numbers that were observed."""
    return choose.right(seen.amin(), seen.amax(), 0, quant_max, symmetric)


def with_options(**options: Any) -> Any:
    """Return the network with a mistake."""
    return lambda *args: computed(*args, **options)


def place(args: tuple[Any, ...], index: tuple[int, ...]) -> str:
    """Name a place by the image and what is inside it."""
    return f"image {index[0]}, place {list(index[1:])}"


def read_right(subject: Any) -> str:
    """Say how many digits the reader's codes read, and what torch's engine makes of them."""
    layers, outputs, images = digits()
    codes = subject(layers, outputs, images)["fc"]
    found = count_right(codes, split_digits().test_labels)
    said = f"Your integers read {found} of {len(images)} digits right."
    return f"{said} {told_of_torch(layers, expected())}"


def in_other_ranges(outputs: Outputs) -> dict[str, Tensor]:
    """Return outputs of which no range holds the one before, and both convolutions' reach below 0.

    On the digits' own, one observer for all would choose the same rulers, and a ReLU is no change.
    """
    return dict(outputs) | {
        "input": outputs["input"] * 8,
        "conv1": outputs["conv1"] - 0.5,
        "conv2": outputs["conv2"] / 2 - 0.5,
        "fc": outputs["fc"] / 4,
    }


def cases() -> tuple[Case, ...]:
    """Return a few images, once with outputs in other ranges, and all of them."""
    layers, outputs, images = digits()
    few = Case(f"{FEW} images", (layers, outputs, images[:FEW]))
    moved = Case(
        f"{FEW} images and outputs in other ranges",
        (layers, in_other_ranges(outputs), images[:FEW]),
    )
    return few, moved, Case("all images", (layers, outputs, images))


NETWORK = Exercise(
    name="network",
    call="network(layers, outputs, images)",
    task="the codes of each layer: a dictionary with input, conv1, conv2, pool and fc",
    drive=drive,
    right=right,
    cases=cases,
    mistakes={
        "Your rulers end at 127: the layers' codes go from 0 to 255.": with_options(quant_max=127),
        "Your ruler of conv2 was observed on conv1: each layer has its own outputs.": with_options(
            observed={"conv2": "conv1"}
        ),
        "Your ruler of fc was observed on pool: each layer has its own outputs.": with_options(
            observed={"fc": "pool"}
        ),
        "Your fc reads codes on a ruler that was observed on pool. Pooling keeps the ruler of "
        "conv2.": with_options(fc_reads="pool"),
        "Your fc is built on the ruler of input. It reads pooled codes, which are on the ruler of "
        "conv2.": with_options(fc_reads="input"),
        "Your conv2 is built on the ruler of input. It reads the codes of conv1.": with_options(
            conv2_reads="input"
        ),
        "Your fc has a ReLU: only the convolutions have one.": with_options(fc_relu=True),
        "Your observers choose symmetric rulers: those of a layer's outputs are affine.": (
            with_options(symmetric=True)
        ),
        "You observe all outputs by one observer, which remembers those before: make an observer "
        "for each.": with_options(one_observer=True),
        "Your convolutions have no ReLU: build both with relu=True.": with_options(relu=False),
        "You observe the images that are to be read: observe those in outputs, which are for "
        "calibration.": with_options(from_images=True),
        "You average the four codes: this pooling takes the largest.": with_options(pool=averaged),
        "You take the smallest of four codes: this pooling takes the largest.": with_options(
            pool=lambda codes: 255 - largest(255 - codes)
        ),
        "You flatten the channels last: fc wants channel, row and column in this order.": (
            with_options(channels_first=False)
        ),
    },
    hints=(
        "An observer for each of input, conv1, conv2 and fc; a Layer for each of conv1, conv2 "
        "and fc.",
        "Pooling keeps the ruler of conv2, so fc reads codes on that ruler.",
    ),
    praise="Your own code runs the digits' network in integers: every code of every layer is "
    "qlearn's, which is FBGEMM's bit for bit.",
    place=place,
    note=read_right,
)
