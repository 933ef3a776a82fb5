"""When it got worse: the two errors of a layer, and a repair that repairs nothing."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import torch
from torch import Tensor, nn

from qlearn.course.broken.data import calibration_images
from qlearn.course.broken.nets import plain_net
from qlearn.course.broken.rulers import rescaled
from qlearn.course.digits.net import count_right, split_digits
from qlearn.course.exercises.exercise import Case, Exercise, Parts, WrongError, nowhere, several
from qlearn.course.normal import normal
from qlearn.models.simulate import simulate
from qlearn.numbers.metrics import sqnr

Layer = Callable[[Tensor], Tensor]
Pair = tuple[float, float]
Parameters = tuple[Tensor, Tensor, Tensor]  # a weight, its bias, and the weight behind them


def own_and_leaving(layer: Layer, quantized: Layer, x: Tensor, seen: Tensor) -> Pair:
    """Return the error that a layer adds, and the one that leaves it."""
    out = quantized(seen)
    return sqnr(layer(seen), out), sqnr(layer(x), out)


def turned(layer: Layer, quantized: Layer, x: Tensor, seen: Tensor) -> Pair:
    """Measure the errors beside what the quantized layer makes."""
    out = quantized(seen)
    return sqnr(out, layer(seen)), sqnr(out, layer(x))


def layers(bits: int) -> tuple[Layer, Layer]:
    """Return a float layer and its quantized copy."""
    layer = nn.Linear(16, 8, bias=False)
    generator = torch.Generator().manual_seed(3)
    layer.weight = nn.Parameter(normal(8, 16, generator=generator), requires_grad=False)
    return layer, simulate(layer.eval(), inputs(0.0)[0], weight_bits=bits)


def inputs(error: float) -> tuple[Tensor, Tensor]:
    """Return what a layer should get, and that with an error."""
    generator = torch.Generator().manual_seed(4)
    x = normal(64, 16, generator=generator)
    return x, x + error * normal(64, 16, generator=generator)


OWN_AND_LEAVING = Exercise(
    name="own_and_leaving",
    call="own_and_leaving(layer, quantized, x, seen)",
    task="two numbers in dB, the layer's own error and the error that leaves it",
    drive=several("own error", "error that leaves"),
    right=own_and_leaving,
    cases=lambda: (
        Case("an exact input", (*layers(8), *inputs(0.0))),
        Case("an input that is off already", (*layers(8), *inputs(0.1))),
        Case("three bits in the weights", (*layers(3), *inputs(0.01))),
    ),
    mistakes={
        "You measure beside what the quantized layer makes: the float output comes first in "
        "`sqnr`, because the error is compared with it.": turned,
        "Your own error holds what came in as well: give the float layer the input that the "
        "quantized one really got.": lambda layer, quantized, x, seen: (
            (sqnr(layer(x), quantized(seen)),) * 2
        ),
        "You give the quantized layer the exact input. In the network it gets `seen`.": (
            lambda layer, quantized, x, seen: own_and_leaving(layer, quantized, x, x)
        ),
        "The other way round: the own error comes first.": lambda *given: own_and_leaving(*given)[
            ::-1
        ],
        "Both inputs went into the float layer alone: where is the quantized one?": (
            lambda layer, quantized, x, seen: (sqnr(layer(x), layer(seen)),) * 2
        ),
        "What leaves is what the quantized layer makes of `seen`, and not of `x`.": (
            lambda layer, quantized, x, seen: (
                sqnr(layer(seen), quantized(seen)),
                sqnr(layer(x), quantized(x)),
            )
        ),
        "Your second number knows only how far the inputs differ. Even with an exact input an "
        "error leaves the quantized layer.": lambda layer, quantized, x, seen: (
            sqnr(layer(seen), quantized(seen)),
            sqnr(layer(x), layer(seen)),
        ),
    },
    hints=(
        "What leaves the quantized layer in the network? Both errors are measured on that.",
        "For the own error both layers get the same input. Which one?",
    ),
    praise="Your numbers are those of `layer_table`.",
    place=nowhere,
    last_bits=False,
)


def sizes(first: Tensor, second: Tensor) -> tuple[Tensor, Tensor]:
    """Return the largest weight of each channel, before it and behind it."""
    before, behind = (w.abs().flatten(1).amax(1) for w in (first, second.movedim(1, 0)))
    return before, behind


def multiplied(first: Tensor, bias: Tensor, second: Tensor, factors: Tensor) -> Parameters:
    """Multiply the channels before, and divide the weights behind."""
    column, row = factors.reshape(-1, 1, 1, 1), factors.reshape(1, -1, 1, 1)
    return first * column, bias * factors, second / row


def by(factors_of: Callable[[Tensor, Tensor], Tensor]) -> Callable[..., Parameters]:
    """Return the repair with other factors, of the sizes before and behind."""

    def repair(first: Tensor, bias: Tensor, second: Tensor) -> Parameters:
        return multiplied(first, bias, second, factors_of(*sizes(first, second)))

    return repair


equalized_pair = by(lambda before, behind: (behind / before).sqrt())


def of_the_outputs(first: Tensor, bias: Tensor, second: Tensor) -> Parameters:
    """Look at the output channels of the second layer: the stub."""
    before, wrong = sizes(first, second.movedim(1, 0))
    return multiplied(first, bias, second, (wrong / before).sqrt())


def bias_as_before(first: Tensor, bias: Tensor, second: Tensor) -> Parameters:
    """Forget the bias."""
    ours, _, theirs = equalized_pair(first, bias, second)
    return ours, bias, theirs


def second_as_before(first: Tensor, bias: Tensor, second: Tensor) -> Parameters:
    """Forget the weights behind."""
    ours, moved, _ = equalized_pair(first, bias, second)
    return ours, moved, second


@cache
def uneven() -> nn.Module:
    """Return the digits' network with channels whose sizes differ up to 64 times."""
    generator = torch.Generator().manual_seed(0)
    exponents = (2 * torch.rand(16, generator=generator) - 1) * 3
    return rescaled(plain_net(), "conv1", "conv2", torch.exp2(exponents.round()))


def parameters_of(net: Any) -> Parameters:
    """Return what a repair of the network is given."""
    return net.conv1.weight.detach(), net.conv1.bias.detach(), net.conv2.weight.detach()


def right_answers(first: Tensor, bias: Tensor, second: Tensor) -> Parts:
    """Return how many digits the network reads with these weights, in float32 and in three bits."""
    net: Any = rescaled(uneven(), "conv1", "conv2", torch.ones(16))
    for parameter, value in zip(
        (net.conv1.weight, net.conv1.bias, net.conv2.weight), (first, bias, second), strict=True
    ):
        parameter.data = value.detach()
    split = split_digits()
    coarse = simulate(net, calibration_images(), weight_bits=3, per_channel=False)
    with torch.no_grad():
        read = [count_right(model(split.test_images), split.test_labels) for model in (net, coarse)]
    names = "right answers in float32", "right answers with three bits"
    return {name: torch.tensor(count) for name, count in zip(names, read, strict=True)}


def drive(subject: Any, *given: Tensor) -> Parts:
    """Return the weights after the repair, and of the network what it reads with them."""
    found = several("first weight", "bias", "second weight")(subject, *given)
    for (name, value), before in zip(found.items(), given, strict=True):
        if not isinstance(value, Tensor):
            return {name: value}
        if value.shape != before.shape:
            raise WrongError(
                f"Your {name} should keep its shape, {tuple(before.shape)}, and has "
                f"{tuple(value.shape)}."
            )
    large = len(given[1]) == len(parameters_of(uneven())[1])
    return {**(right_answers(*found.values()) if large else {}), **found}


TWO_CHANNELS = (
    torch.tensor([[4.0, -8.0], [0.5, 0.25]]).reshape(2, 2, 1, 1),
    torch.tensor([1.0, 2.0]),
    torch.tensor([[0.5, 2.0], [0.125, -1.0], [0.25, 0.5]]).reshape(3, 2, 1, 1),
)

EQUALIZED_PAIR = Exercise(
    name="equalized_pair",
    call="equalized_pair(first, bias, second)",
    task="the first weight, its bias and the second weight, after equalizing",
    drive=drive,
    right=equalized_pair,
    cases=lambda: (
        Case("the digits' network, its channels uneven", parameters_of(uneven())),
        Case("two channels between convolutions of one pixel", TWO_CHANNELS),
    ),
    mistakes={
        "In float32 all is well, and one ruler for each weight still does not fit: print the "
        "largest weight of each channel, before it and behind it.": of_the_outputs,
        "The bias of a channel belongs to it, and is multiplied as well.": bias_as_before,
        "What you multiply before the ReLU has to be divided behind it.": second_as_before,
        "Your factors make all channels before the ReLU alike, and behind it they differ by more "
        "than before: take the root.": by(lambda before, behind: behind / before),
        "Your factors go the wrong way: a channel that is too large before becomes larger.": by(
            lambda before, behind: (before / behind).sqrt()
        ),
        "Nothing is multiplied: your factors are all 1.": by(
            lambda before, behind: torch.ones_like(before)
        ),
    },
    hints=(
        "Multiply by your factors, and compare: are both sides of a channel equally large?",
        "second[:, 3] holds all weights behind channel 3. Which of them does second[3] hold?",
    ),
    praise="The network computes as before in float32, and its channels share one ruler well.",
    place=lambda args, index: "" if not index else f"place {list(index)}",
    last_bits=False,
)

EXERCISES = (OWN_AND_LEAVING, EQUALIZED_PAIR)
