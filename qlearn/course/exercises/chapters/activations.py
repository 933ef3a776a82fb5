"""Activations of a language model: loud channels set apart, and divided."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from qlearn.course.exercises.exercise import Case, Exercise, at_row_and_column, one, several
from qlearn.course.normal import normal

Loud = Callable[[Tensor, float], Tensor]
LARGEST = 127


def in_codes(x: Tensor, of: Tensor, dim: int | tuple[int, int] = 1) -> Tensor:
    """Return what comes back for x, with a step from the sizes of these numbers."""
    size = of.abs().amax(dim, keepdim=True)
    step = (size / LARGEST).clamp_min(torch.finfo(torch.float32).tiny)
    return (x / step).round().clamp(-LARGEST, LARGEST) * step


def columns(x: Tensor, threshold: float) -> Tensor:
    """Return which numbers lie in a column with one of at least this size."""
    return (x.abs() >= threshold).any(0).expand_as(x)


def outputs_with(loud: Loud) -> Callable[[Tensor, Tensor, float], Tensor]:
    """Return the product in which these numbers stay in float."""

    def product(x: Tensor, weight: Tensor, threshold: float) -> Tensor:
        apart = loud(x, threshold)
        quiet = x.masked_fill(apart, 0.0)
        return (in_codes(quiet, quiet) + x.where(apart, 0.0)) @ weight.T

    return product


def dropped(x: Tensor, weight: Tensor, threshold: float) -> Tensor:
    """Forget to add what was set apart."""
    quiet = x.masked_fill(columns(x, threshold), 0.0)
    return in_codes(quiet, quiet) @ weight.T


def long_steps(x: Tensor, weight: Tensor, threshold: float) -> Tensor:
    """Choose the steps before the loud columns are set apart."""
    apart = columns(x, threshold)
    return (in_codes(x.masked_fill(apart, 0.0), x) + x.where(apart, 0.0)) @ weight.T


def one_step(x: Tensor, weight: Tensor, threshold: float) -> Tensor:
    """Let all tokens share a step."""
    apart = columns(x, threshold)
    quiet = x.masked_fill(apart, 0.0)
    return (in_codes(quiet, quiet, (0, 1)) + x.where(apart, 0.0)) @ weight.T


BY_HAND = torch.tensor([[0.6, -0.2, 63.5, 0.1]])
OTHERS = torch.tensor([[0.6, -0.2, 63.5, 0.1], [0.1, 0.3, 2.0, -0.4], [3.0, -5.0, -1.0, 0.7]])
OF_BY_HAND = torch.tensor([[1, 2, 0.02, -3]])
TWO = torch.tensor([[1, 2, 0.02, -3], [0.5, -1.0, 0.03, 0.25]])

SET_APART = Exercise(
    name="set_apart",
    call="set_apart(x, weight, threshold)",
    task="the outputs of the layer, a row for each token, with the loud columns in float and all "
    "other inputs rounded",
    drive=one("outputs"),
    right=outputs_with(columns),
    cases=(
        Case("the token of this chapter", (BY_HAND, OF_BY_HAND, 6.0)),
        Case("three tokens, one of them loud", (OTHERS, TWO, 6.0)),
        Case("a loud number below 0", (-OTHERS, TWO, 6.0)),
        Case("a number as large as the threshold", (OTHERS, TWO, 5.0)),
        Case("no loud number", (OTHERS, TWO, 100.0)),
        Case(
            "two hundred tokens",
            (
                normal(200, 8, generator=torch.Generator().manual_seed(0))
                * torch.tensor([1.0, 1, 40, 1, 1, 1, 1, 1]),
                normal(4, 8, generator=torch.Generator().manual_seed(1)),
                6.0,
            ),
        ),
    ),
    mistakes={
        "You set whole tokens apart. It is the column of a loud number that stays in float.": (
            outputs_with(
                lambda x, threshold: (x.abs() >= threshold).any(1, keepdim=True).expand_as(x)
            )
        ),
        "You set single numbers apart. A column with one loud number stays in float for all "
        "tokens.": outputs_with(lambda x, threshold: x.abs() >= threshold),
        "You look for loud numbers above 0 alone.": outputs_with(
            lambda x, threshold: (x >= threshold).any(0).expand_as(x)
        ),
        "A number as large as the threshold sets its column apart, too.": outputs_with(
            lambda x, threshold: (x.abs() > threshold).any(0).expand_as(x)
        ),
        "You do not add what you set apart.": dropped,
        "The loud columns are set apart, but they still choose the steps of the others.": (
            long_steps
        ),
        "All tokens share a step: give each its own.": one_step,
        "You set nothing apart.": outputs_with(lambda x, threshold: x > float("inf")),
        "You round nothing: the quiet columns get codes.": lambda x, weight, threshold: (
            x @ weight.T
        ),
    },
    hints=(
        "Which columns hold a number of this size, in any token? Compare, then use any(dim=0).",
        "Set the loud columns to 0 before you choose the steps. In which product do they come "
        "back?",
    ),
    praise="So does `decomposed_product`, which also rounds the weights.",
    place=lambda args, index: f"token {index[0]}, output {index[1]}",
    last_bits=False,
)

Pair = tuple[Tensor, Tensor]


def sizes(x: Tensor, weight: Tensor) -> Pair:
    """Return the largest size of each channel in both."""
    return x.abs().amax(0), weight.abs().amax(0)


def smoothed(x: Tensor, weight: Tensor, alpha: float) -> Pair:
    """Return both after the factors."""
    of_x, of_weight = sizes(x, weight)
    s = of_x**alpha / of_weight ** (1 - alpha)
    return x / s, weight * s


def turned_alpha(x: Tensor, weight: Tensor, alpha: float) -> Pair:
    """Give alpha to the weights."""
    return smoothed(x, weight, 1 - alpha)


def turned_factors(x: Tensor, weight: Tensor, alpha: float) -> Pair:
    """Multiply the inputs, and divide the weights."""
    of_x, of_weight = sizes(x, weight)
    s = of_x**alpha / of_weight ** (1 - alpha)
    return x * s, weight / s


def multiplied_sizes(x: Tensor, weight: Tensor, alpha: float) -> Pair:
    """Multiply the two sizes."""
    of_x, of_weight = sizes(x, weight)
    s = of_x**alpha * of_weight ** (1 - alpha)
    return x / s, weight * s


def sizes_of_inputs(x: Tensor, weight: Tensor, alpha: float) -> Pair:
    """Leave the sizes of the weights out."""
    s = x.abs().amax(0) ** alpha
    return x / s, weight * s


def sizes_of_rows(x: Tensor, weight: Tensor, alpha: float) -> Pair:
    """Take the largest size of each row of the weights."""
    s = x.abs().amax(0) ** alpha / weight.abs().amax(1) ** (1 - alpha)
    return x / s, weight * s


def power_of_the_ratio(x: Tensor, weight: Tensor, alpha: float) -> Pair:
    """Give both sizes the power alpha."""
    of_x, of_weight = sizes(x, weight)
    s = (of_x / of_weight) ** alpha
    return x / s, weight * s


def mean_sizes(x: Tensor, weight: Tensor, alpha: float) -> Pair:
    """Take the mean sizes."""
    s = x.abs().mean(0) ** alpha / weight.abs().mean(0) ** (1 - alpha)
    return x / s, weight * s


def without_sizes(x: Tensor, weight: Tensor, alpha: float) -> Pair:
    """Take the largest numbers, and not the largest sizes."""
    s = x.amax(0) ** alpha / weight.amax(0) ** (1 - alpha)
    return x / s, weight * s


def unequal(alpha: float) -> tuple[Tensor, Tensor, float]:
    """Return inputs with a loud channel, weights, and alpha."""
    x = torch.tensor([[0.5, -0.75, 60.0, 1.0], [-2.0, 1.5, -64.0, 0.5]])
    weight = torch.tensor([[1.0, 2.0, 0.5, -3.0], [0.5, -4.0, -0.625, 1.0]])
    return x, weight, alpha


SMOOTHED = Exercise(
    name="smoothed_layer",
    call="smoothed_layer(x, weight, alpha)",
    task="two tensors, the inputs divided by a factor for each channel, and the weights multiplied "
    "by it",
    drive=several("inputs", "weights"),
    right=smoothed,
    cases=(
        Case("positive numbers", (torch.tensor([[1.0, 64.0]]), torch.tensor([[1.0, 0.5]]), 0.5)),
        Case("numbers of both signs", unequal(0.5)),
        Case("an alpha of 0.25", unequal(0.25)),
        Case("an alpha of 0.75", unequal(0.75)),
    ),
    mistakes={
        "You take the largest size of each row of the weights. A channel is a column there, too.": (
            sizes_of_rows
        ),
        "You leave the weights as they are, so the layer computes something else, also in float.": (
            lambda x, weight, alpha: (smoothed(x, weight, alpha)[0], weight.clone())
        ),
        "You multiply the inputs and divide the weights, which makes a loud channel louder.": (
            turned_factors
        ),
        "Your alpha is turned around: it is the power of the inputs' sizes.": turned_alpha,
        "Both sizes have the power alpha with you. That of the weights' sizes is 1 − alpha.": (
            power_of_the_ratio
        ),
        "You multiply by the sizes of the weights. Divide by them.": multiplied_sizes,
        "You leave the sizes of the weights out.": sizes_of_inputs,
        "You take mean sizes, where SmoothQuant takes the largest of each channel.": mean_sizes,
        "You take the largest number of a channel, and not the largest size.": without_sizes,
    },
    hints=(
        "A channel is a column of both. Which is its largest size in the inputs, and which in the "
        "weights?",
        "amax(dim=0) gives one number for each column. With alpha 0.5 both largest sizes are equal "
        "afterwards.",
    ),
    praise="Your factors are those of `smooth_scales`.",
    place=at_row_and_column,
    last_bits=False,
)

EXERCISES = (SET_APART, SMOOTHED)
