"""Weights of a language model: make up for an error, and multiply before rounding."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from qlearn.course.exercises.exercise import Case, Exercise, one
from qlearn.course.normal import normal
from qlearn.formats.groups import quantize_groups

Move = Callable[[Tensor, Tensor, Tensor], Tensor]  # of the error, and of both inputs


def by_turns(move: Move) -> Callable[[Tensor, Tensor], Tensor]:
    """Return the rounding of two weights, of which the second moves so far."""

    def rounded(weights: Tensor, inputs: Tensor) -> Tensor:
        error = weights[0] - weights[0].round()
        moved = weights[1] + move(error, inputs[:, 0], inputs[:, 1])
        return torch.stack([weights[0], moved]).round()

    return rounded


def not_rounded(weights: Tensor, inputs: Tensor) -> Tensor:
    """Leave the second weight where it has moved to."""
    (first, second), (a, b) = weights, inputs.T
    return torch.stack([first.round(), second + (first - first.round()) * (a @ b) / (b @ b)])


passed_on = by_turns(lambda error, a, b: error * (a @ b) / (b @ b))


def pair(
    weights: list[float] | list[list[float]], inputs: list[list[float]]
) -> tuple[Tensor, Tensor]:
    """Return weights, and inputs of theirs from some tokens."""
    return torch.tensor(weights), torch.tensor(inputs)


PASSED_ON = Exercise(
    name="passed_on",
    call="passed_on(weights, inputs)",
    task="both weights, rounded to whole numbers, after the second made up for the first",
    drive=one("weights"),
    right=passed_on,
    cases=(
        Case("the weights of this chapter", pair([1.4, 0.4], [[1, 1], [2, 1], [1, 2.0]])),
        Case("a first weight that grows", pair([1.6, 0.6], [[1, 1], [2, 1], [1, 2.0]])),
        Case("a small second input", pair([1.4, 0.2], [[3, 1], [1, 1.0]])),
        Case("a large second input", pair([1.4, 0.2], [[1, 2], [0, 2.0]])),
        Case("inputs with other signs", pair([1.4, 0.6], [[1, -1], [2, -1], [1, -2.0]])),
        Case("inputs that cancel", pair([1.4, 0.4], [[1, 1], [1, -1], [2, 0.0]])),
    ),
    mistakes={
        "You round both to the nearest. Let the second one make up for the error of the first.": (
            by_turns(lambda error, a, b: 0 * error)
        ),
        "You move the second weight to the wrong side: add what the first one lost.": by_turns(
            lambda error, a, b: -error * (a @ b) / (b @ b)
        ),
        "You divide by the squares of the first input, but it is the second weight that moves.": (
            by_turns(lambda error, a, b: error * (a @ b) / (a @ a))
        ),
        "You move the second weight by the error itself, as if both inputs were alike.": by_turns(
            lambda error, a, b: error
        ),
        "You leave out the division by the squares of the second input.": by_turns(
            lambda error, a, b: error * (a @ b)
        ),
        "You take rows of the inputs for the two inputs. A row is a token: take the columns.": (
            lambda weights, inputs: passed_on(weights, inputs[:2].T)
        ),
        "The second weight has moved, and is not rounded.": not_rounded,
    },
    hints=(
        "The error of the first weight is weights[0] - weights[0].round(). How far must the second "
        "one move, so that the outputs change least?",
        "a @ b adds up the products of two inputs over all tokens, and b @ b the squares of one.",
    ),
    praise="With these marks, `gptq` does the same with two weights, but for its damping.",
    place=lambda args, index: ("the first weight", "the second weight")[index[0]],
    last_bits=False,
)


def in_a_row(weight: Tensor) -> Tensor:
    """Return what comes back from four bits, with a scale for each row."""
    return quantize_groups(weight, group_size=weight.shape[1]).dequantize()


def mean_size(inputs: Tensor) -> Tensor:
    """Return the mean size of each channel."""
    return inputs.abs().mean(0)


def with_factors(
    size: Callable[[Tensor], Tensor] = mean_size, turned: bool = False
) -> Callable[[Tensor, Tensor, float], Tensor]:
    """Return the layer's outputs with factors from this size of the channels."""

    def outputs(weight: Tensor, inputs: Tensor, power: float) -> Tensor:
        s = size(inputs) ** (-power if turned else power)
        return inputs / s @ in_a_row(weight * s).T

    return outputs


AWQ_OUTPUTS = Exercise(
    name="awq_outputs",
    call="awq_outputs(weight, inputs, power)",
    task="the outputs of the layer, a row for each token: with a factor for each channel, by which "
    "the weights are multiplied before they are rounded, and the inputs divided",
    drive=one("outputs"),
    right=with_factors(),
    cases=(
        Case("the weights of this chapter", (*pair([[0.4, 7]], [[9, 0.1]]), 0.5)),
        Case("two tokens with other signs", (*pair([[0.4, 7]], [[9, 0.1], [-6, 0.3]]), 0.5)),
        Case("a power of 1", (*pair([[0.4, 7.0], [1.0, -2.0]], [[9, 0.1], [-6, 0.3]]), 1.0)),
        Case("a power of 0", (*pair([[0.4, 7]], [[9, 0.1], [-6, 0.3]]), 0.0)),
        Case(
            "a loud channel among eight",
            (
                normal(4, 8, generator=torch.Generator().manual_seed(0)),
                normal(16, 8, generator=torch.Generator().manual_seed(1))
                * torch.tensor([1.0, 1, 30, 1, 1, 1, 1, 1]),
                0.5,
            ),
        ),
    ),
    mistakes={
        "You round the weights without their factors. Multiply first, then round.": (
            lambda weight, inputs, power: inputs @ in_a_row(weight).T
        ),
        "You do not divide the inputs by the factors, so this is another layer, also in float.": (
            lambda weight, inputs, power: inputs @ in_a_row(weight * mean_size(inputs) ** power).T
        ),
        "You divide the inputs, and do not multiply the weights: this is another layer, also in "
        "float.": lambda weight, inputs, power: (
            inputs / mean_size(inputs) ** power @ in_a_row(weight).T
        ),
        "You divide the weights of loud channels, which makes them smaller. Multiply them, and "
        "divide the inputs.": with_factors(turned=True),
        "You take the largest size of each channel, where AWQ takes the mean size.": with_factors(
            lambda inputs: inputs.abs().amax(0)
        ),
        "You take the mean before the sizes, so that numbers of both signs cancel.": with_factors(
            lambda inputs: inputs.mean(0).abs()
        ),
        "You leave the power out.": lambda weight, inputs, power: with_factors()(
            weight, inputs, 1.0
        ),
    },
    hints=(
        "Which number tells how loud a channel is? It needs one for each column of the inputs.",
        "In float (inputs / s) @ (weight * s).T is inputs @ weight.T. Where does the rounding go?",
    ),
    praise="`awq_scales` tries such powers, and keeps the one with the least error of the outputs.",
    place=lambda args, index: f"token {index[0]}, output {index[1]}",
    last_bits=False,
)

EXERCISES = (PASSED_ON, AWQ_OUTPUTS)
