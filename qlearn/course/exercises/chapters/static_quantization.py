"""Static quantization: fold a batch norm, and mend a calibration."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import torch
from torch import Tensor, nn

from qlearn.course.broken.nets import plain_net
from qlearn.course.digits.net import split_digits
from qlearn.course.exercises.exercise import Case, Exercise, Parts, WrongError, several

Folded = tuple[Tensor, Tensor]
Ends = tuple[Tensor, Tensor]
NIGHT = 8  # so many times darker
PARAMETERS = "weight, bias, mean, variance, gamma, beta, eps"


def along(factor: Tensor, dim: int = 0) -> Tensor:
    """Return one factor for each channel of a weight, outputs (0) or inputs (1)."""
    shape = [1, 1, 1, 1]
    shape[dim] = -1
    return factor.reshape(shape)


def fold(
    weight: Tensor,
    bias: Tensor,
    mean: Tensor,
    variance: Tensor,
    gamma: Tensor,
    beta: Tensor,
    eps: float,
) -> Folded:
    """Return weight and bias of a convolution that does what its batch norm did, too."""
    factor = gamma / (variance + eps).sqrt()
    return weight * along(factor), beta + (bias - mean) * factor


def of_variance(*given: Any) -> Folded:
    """Divide by the variance."""
    w, b, m, v, g, o, e = given
    return fold(w, b, m, (v + e) ** 2, g, o, 0.0)


def without_eps(*given: Any) -> Folded:
    """Leave eps out."""
    w, b, m, v, g, o, _ = given
    return fold(w, b, m, v, g, o, 0.0)


def behind_the_root(*given: Any) -> Folded:
    """Add eps to the deviation."""
    w, b, m, v, g, o, e = given
    return fold(w, b, m, (v.sqrt() + e) ** 2, g, o, 0.0)


def plain_mean(*given: Any) -> Folded:
    """Subtract the mean as it is."""
    w, b, m, v, g, o, e = given
    new, shift = fold(w, b, torch.zeros_like(m), v, g, o, e)
    return new, shift - m


def without_bias(*given: Any) -> Folded:
    """Forget the bias of the convolution."""
    w, b, m, v, g, o, e = given
    return fold(w, torch.zeros_like(b), m, v, g, o, e)


def plain_bias(*given: Any) -> Folded:
    """Add the bias of the convolution as it is."""
    w, b, m, v, g, o, e = given
    new, shift = fold(w, torch.zeros_like(b), m, v, g, o, e)
    return new, shift + b


def without_shift(*given: Any) -> Folded:
    """Leave both the mean and beta out."""
    w, b, m, v, g, o, e = given
    return fold(w, b, torch.zeros_like(m), v, g, torch.zeros_like(o), e)


def without_mean(*given: Any) -> Folded:
    """Leave the mean out."""
    w, b, m, v, g, o, e = given
    return fold(w, b, torch.zeros_like(m), v, g, o, e)


def without_beta(*given: Any) -> Folded:
    """Leave beta out."""
    w, b, m, v, g, o, e = given
    return fold(w, b, m, v, g, torch.zeros_like(o), e)


def mean_added(*given: Any) -> Folded:
    """Add the mean."""
    w, b, m, v, g, o, e = given
    return fold(w, b, -m, v, g, o, e)


def of_inputs(*given: Any) -> Folded:
    """Multiply the input channels."""
    w, b, m, v, g, o, e = given
    factor = g / (v + e).sqrt()
    return w * along(factor, 1), o + (b - m) * factor


def one(value: float) -> Tensor:
    """Return a number for one channel."""
    return torch.full((1,), value, dtype=torch.float32)


def channels(variance: float, bias: float) -> tuple[Any, ...]:
    """Return a convolution of two channels and its batch norm."""
    weight = torch.linspace(-1, 1, 36).reshape(2, 2, 3, 3)
    own = bias * torch.tensor([1.0, -2.0])
    mean, gamma = torch.tensor([0.5, -1.0]), torch.tensor([2.0, -0.5])
    spread, beta = variance * torch.tensor([4.0, 0.25]), torch.tensor([0.25, 1.0])
    return weight, own, mean, spread, gamma, beta, 0.001


SINGLE = torch.full((1, 1, 1, 1), 3.0), one(0), one(2), one(16), one(2), one(0.5), 0.0

FOLD = Exercise(
    name="fold",
    call=f"fold({PARAMETERS})",
    task="two tensors: the new weight and the new bias",
    drive=several("weight", "bias"),
    right=fold,
    cases=(
        Case("the single weight of this chapter", SINGLE),
        Case("two channels", (*channels(1, 0)[:-1], 0.0)),
        Case("a bias of the convolution", (*channels(1, 1)[:-1], 0.0)),
        Case("a small variance", channels(0.01, 1)),
    ),
    mistakes={
        "You divide by the variance: the deviation is its root.": of_variance,
        "You left eps out, which counts where the variance is small.": without_eps,
        "You add eps to the deviation: it is added to the variance, under the root.": (
            behind_the_root
        ),
        "You subtract the mean as it is: the batch norm divides it by the deviation, and "
        "multiplies it by gamma.": plain_mean,
        "You left out the convolution's own bias.": without_bias,
        "You add the convolution's own bias as it is, but it passes the batch norm.": plain_bias,
        "You add the mean: a batch norm subtracts it.": mean_added,
        "In your bias the mean and beta are missing: a batch norm subtracts the one and adds the "
        "other.": without_shift,
        "In your bias the mean is missing, which a batch norm subtracts.": without_mean,
        "In your bias beta is missing, which a batch norm adds.": without_beta,
        "You multiply the input channels: the factors belong to the outputs, dimension 0.": (
            of_inputs
        ),
    },
    hints=(
        "Divide gamma by the root of the variance: this factor multiplies the weight, and also "
        "bias and mean.",
        "factor[:, None, None, None] has a factor for each output channel of a convolution.",
    ),
    praise="Convolution and batch norm are one convolution now.",
    place=lambda args, index: f"channel {index[0]}",
    last_bits=False,
)


def watched(keep: Callable[[Ends, Ends], Ends], behind: bool = False) -> Callable[..., Any]:
    """Return a calibration that makes one pair of ends of those known and those of a batch."""

    def run(net: nn.Module, batches: list[Tensor]) -> dict[str, Ends]:
        ends: dict[str, Ends] = {}
        for x in batches:
            for name, layer in net.named_children():
                into, x = x, layer(x)
                if hasattr(layer, "weight"):
                    seen = (x if behind else into).aminmax()
                    ends[name] = keep(ends.get(name, seen), seen)
        return ends

    return run


def wider(known: Ends, new: Ends) -> Ends:
    """Return the ends of both."""
    return torch.minimum(known[0], new[0]), torch.maximum(known[1], new[1])


def named(subject: Any, net: nn.Module, batches: list[Tensor]) -> Parts:
    """Return the ends of each layer as a tensor."""
    with torch.no_grad():
        found = subject(net, batches)
    layers = [name for name, layer in net.named_children() if hasattr(layer, "weight")]
    if found is None or found is ...:
        return {"ends": None}
    if not isinstance(found, dict) or found.keys() != set(layers):
        raise WrongError(f"Return a dict with a pair of ends for each of {', '.join(layers)}.")
    return {f"ends of `{name}`": pair_of(found[name]) for name in layers}


def pair_of(ends: Any) -> Tensor:
    """Return a pair of ends as one tensor."""
    try:
        return torch.stack([torch.as_tensor(end, dtype=torch.float32) for end in ends])
    except (TypeError, ValueError, RuntimeError):
        raise WrongError(
            "The ends of a layer are a pair: its smallest and largest input."
        ) from None


@cache
def calibrations() -> tuple[Case, ...]:
    """Return batches that differ in brightness, and numbers below 0."""
    net, images = plain_net(), split_digits().train_images
    day, night = images[:64], images[64:100] / NIGHT
    pair = nn.Linear(2, 2), nn.Linear(2, 2)
    for layer in pair:
        nn.init.eye_(layer.weight)
        nn.init.zeros_(layer.bias)
    below = [torch.tensor([[-3.0, 1.0]]), torch.tensor([[-1.0, 0.5]])]
    return (
        Case("one batch", (net, [day])),
        Case("images by day, then by night", (net, [day, night])),
        Case("images by night, then by day", (net, [night, day])),
        Case(
            "numbers below 0 in the first batch",
            (nn.Sequential(*pair).requires_grad_(False), below),
        ),
    )


INPUT_ENDS = Exercise(
    name="input_ends",
    call="input_ends(net, batches)",
    task="a dict with the smallest and the largest input of each layer with weights",
    drive=named,
    right=watched(wider),
    cases=calibrations,
    mistakes={
        "With the rulers that you calibrate, the network reads 76 of 360 digits, and 348 with "
        "those of the first batch alone.": watched(lambda known, new: new),
        "Your ends stay those of the first batch: a later one may be brighter.": watched(
            lambda known, new: known
        ),
        "Your lower ends are right for the last batch alone.": watched(
            lambda known, new: (new[0], torch.maximum(known[1], new[1]))
        ),
        "Your range becomes narrower with each batch: it has to hold all of them.": watched(
            lambda known, new: (torch.maximum(known[0], new[0]), torch.minimum(known[1], new[1]))
        ),
        "You take the mean of the batches: brighter images are clipped then.": watched(
            lambda known, new: ((known[0] + new[0]) / 2, (known[1] + new[1]) / 2)
        ),
        "Those are the ends behind each layer: its codes are made of what goes into it.": watched(
            wider, behind=True
        ),
    },
    hints=(
        "What does the dict hold after the first batch, and what after the second?",
        "torch.minimum and torch.maximum take two tensors; dict.get takes what to return for a "
        "name that is not there yet.",
    ),
    praise="Your ends are those of `MinMaxObserver`, and the network reads 348 digits.",
    place=lambda args, index: f"the {('lower', 'upper')[index[0]]} end",
    last_bits=False,
)

EXERCISES = (FOLD, INPUT_ENDS)
