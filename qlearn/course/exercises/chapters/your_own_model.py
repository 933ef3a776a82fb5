"""Your own model: what four bits reach of it, and a search for a layer that finds the last one."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

import torch
from torch import Tensor, nn

from qlearn.course.digits.net import count_right, split_digits
from qlearn.course.exercises.exercise import (
    Case,
    Exercise,
    Parts,
    WrongError,
    nowhere,
    one_number,
)
from qlearn.course.normal import normal
from qlearn.course.own_model.examples import trained
from qlearn.formats.groups import quantize_groups
from qlearn.numbers.metrics import sqnr

# ------------------------------------------------------------------ what four bits reach


def numbers(modules: Iterable[nn.Module]) -> int:
    """Return how many numbers the parameters of modules have."""
    return sum(parameter.numel() for module in modules for parameter in module.parameters())


def taken(model: nn.Module, group: int) -> list[nn.Linear]:
    """Return the layers that four bits take."""
    return [
        each for each in model.modules() if type(each) is nn.Linear and not each.in_features % group
    ]


def share_reached(model: nn.Module, group: int) -> float:
    """Return the share of the parameters that are in these layers."""
    return numbers(taken(model, group)) / numbers([model])


def share_of(
    layers: Callable[[nn.Module, int], Iterable[nn.Module]],
) -> Callable[[nn.Module, int], float]:
    """Return the function that takes other layers."""
    return lambda model, group: numbers(layers(model, group)) / numbers([model])


def weights_alone(model: nn.Module, group: int) -> float:
    """Leave out the biases of the layers, and keep them in the model."""
    return sum(layer.weight.numel() for layer in taken(model, group)) / numbers([model])


def of_linear_layers(model: nn.Module, group: int) -> float:
    """Divide by the linear layers alone."""
    linear = [each for each in model.modules() if isinstance(each, nn.Linear)]
    return numbers(taken(model, group)) / numbers(linear)


def layers_counted(model: nn.Module, group: int) -> float:
    """Count layers, not their numbers."""
    return len(taken(model, group)) / sum(
        any(True for _ in each.parameters(recurse=False)) for each in model.modules()
    )


def with_norm() -> nn.Module:
    """Return two linear layers with a norm between them."""
    return nn.Sequential(nn.Linear(64, 32), nn.LayerNorm(32), nn.Linear(32, 10))


SHARE_REACHED = Exercise(
    name="share_reached",
    call="share_reached(model, group)",
    task="one number from 0 to 1, the share of the model's parameters in layers that are reached",
    drive=one_number("share"),
    right=share_reached,
    cases=lambda: (
        Case("two linear layers and a norm", (with_norm(), 32)),
        Case(
            "a layer of 48 inputs and groups of 32",
            (nn.Sequential(nn.Linear(48, 64), nn.ReLU(), nn.Linear(64, 10)), 32),
        ),
        Case(
            "the same layers and groups of 16",
            (nn.Sequential(nn.Linear(48, 64), nn.ReLU(), nn.Linear(64, 10)), 16),
        ),
        Case("layers inside of a block", (nn.Sequential(with_norm(), nn.Linear(10, 4)), 32)),
        Case(
            "a convolution before a linear layer",
            (nn.Sequential(nn.Conv2d(1, 8, 3), nn.Flatten(), nn.Linear(32, 10)), 32),
        ),
        Case("a transformer of torch's", (nn.TransformerEncoderLayer(32, 4, 64), 32)),
        Case("the example of this chapter", (trained("encoder"), 32)),
    ),
    mistakes={
        "You take a layer whose inputs the groups do not divide.": share_of(
            lambda model, group: taken(model, 1)
        ),
        "Groups divide the inputs of a layer, and not its outputs.": share_of(
            lambda model, group: [e for e in taken(model, 1) if e.out_features % group == 0]
        ),
        "A layer needs more than enough inputs for a group: the groups have to divide them.": (
            share_of(lambda model, group: [e for e in taken(model, 1) if e.in_features >= group])
        ),
        "You look at the outermost layers alone, and models have layers inside of layers.": (
            share_of(lambda model, group: [e for e in model.children() if e in taken(model, group)])
        ),
        "`out_proj` of an attention is a linear layer by inheritance, and torchao leaves it out: "
        "take nn.Linear itself alone.": share_of(
            lambda model, group: [
                each
                for each in model.modules()
                if isinstance(each, nn.Linear) and each.in_features % group == 0
            ]
        ),
        "You count the weights of the layers, and their biases only in the model.": weights_alone,
        "You divide by the linear layers alone: the rest of the model has numbers, too.": (
            of_linear_layers
        ),
        "You count layers, and a large one holds more than a small one.": layers_counted,
        "That is the share in percent.": lambda *given: 100 * share_reached(*given),
        "That is the share that stays in float.": lambda *given: 1 - share_reached(*given),
    },
    hints=(
        "model.modules() has all layers, those inside of others, too. Which of them are reached?",
        "type(layer) is nn.Linear leaves out what inherits from it. layer.parameters() has its "
        "weight and its bias.",
    ),
    praise="Your shares are those of `look_at`.",
    place=nowhere,
    last_bits=False,
)

# ------------------------------------------------------------------ the layer left in float

IMAGES = 120  # so few, because each layer takes a run of them
Search = Callable[[nn.Module, nn.Module, Tensor], str]


def linear_layers(model: nn.Module) -> Mapping[str, nn.Linear]:
    """Return linear layers by their names."""
    return {name: each for name, each in model.named_modules() if isinstance(each, nn.Linear)}


def left_in_float(model: nn.Module, quantized: nn.Module, name: str) -> nn.Module:
    """Return a copy of the quantized network with one layer in float."""
    changed = copy.deepcopy(quantized)
    changed.get_submodule(name).weight = model.get_submodule(name).weight
    return changed


def decibels(model: nn.Module, quantized: nn.Module, x: Tensor) -> dict[str, float]:
    """Return for each layer what the outputs have with it in float."""
    exact = model(x)
    return {
        name: sqnr(exact, left_in_float(model, quantized, name)(x)) for name in linear_layers(model)
    }


def best_in_float(model: nn.Module, quantized: nn.Module, x: Tensor) -> str:
    """Return the layer that is best left in float."""
    found = decibels(model, quantized, x)
    return max(found, key=found.__getitem__)


def worst_in_float(model: nn.Module, quantized: nn.Module, x: Tensor) -> str:
    """Return the layer that brings least."""
    found = decibels(model, quantized, x)
    return min(found, key=found.__getitem__)


def the_last(model: nn.Module, quantized: nn.Module, x: Tensor) -> str:
    """Leave one layer more in float each time: the stub."""
    return list(linear_layers(model))[-1]


def by_layers(size: Callable[[nn.Linear, nn.Linear], float]) -> Search:
    """Return the search for the layer with the largest of such numbers, without any outputs."""

    def search(model: nn.Module, quantized: nn.Module, x: Tensor) -> str:
        before, after = linear_layers(model), linear_layers(quantized)
        found = {name: size(before[name], after[name]) for name in before}
        return max(found, key=found.__getitem__)

    return search


def rounded(model: nn.Module, bits: Mapping[str, int]) -> nn.Module:
    """Return a copy of a model, its layers rounded to so many bits."""
    changed = copy.deepcopy(model)
    for name, few in bits.items():
        layer = linear_layers(changed)[name]
        weight = layer.weight.detach()
        group = 32 if weight.shape[1] % 32 == 0 else weight.shape[1]
        back = quantize_groups(weight, bits=few, group_size=group).dequantize()
        layer.weight = nn.Parameter(back, requires_grad=False)
    return changed


@cache
def example() -> tuple[nn.Module, nn.Module, Tensor]:
    """Return the chapter's example, its copy in two bits, and some test images."""
    model = trained("encoder").requires_grad_(False)
    names = [name for name in linear_layers(model) if "out_proj" not in name]
    return model, rounded(model, dict.fromkeys(names, 2)), split_digits().test_images[:IMAGES]


@cache
def three_layers(*bits: int) -> tuple[nn.Module, nn.Module, Tensor]:
    """Return a network of three layers, its copy with so many bits in each, and inputs."""
    generator = torch.Generator().manual_seed(5)
    layers = [nn.Linear(32, 32, bias=False) for _ in bits]
    for layer in layers:
        weight = normal(32, 32, generator=generator) / 4
        layer.weight = nn.Parameter(weight, requires_grad=False)
    model = nn.Sequential(*layers).eval()
    copied = rounded(model, {str(place): few for place, few in enumerate(bits)})
    return model, copied, normal(64, 32, generator=generator)


def drive(subject: Any, model: nn.Module, quantized: nn.Module, x: Tensor) -> Parts:
    """Return what the network does with the layer in float that the function names."""
    # The reader gets copies, so that what a function does to them is seen in its answer alone.
    name = subject(copy.deepcopy(model), copy.deepcopy(quantized), x)
    if name is None or name is Ellipsis:
        return {"decibels": name}
    names = linear_layers(model)
    if not isinstance(name, str) or name not in names:
        raise WrongError(f"Return the name of a layer, as in {next(iter(names))!r}.")
    changed = left_in_float(model, quantized, name)
    out = changed(x)
    parts = {"decibels": torch.tensor(sqnr(model(x), out))}
    if len(x) == IMAGES:
        count = count_right(out, split_digits().test_labels[:IMAGES])
        part = f"right answers of {IMAGES}, with your layer in float,"
        parts = {part: torch.tensor(count), **parts}
    return parts


KEPT_IN_FLOAT = Exercise(
    name="kept_in_float",
    call="kept_in_float(model, quantized, x)",
    task="the name of the layer that is best left in float",
    drive=drive,
    right=best_in_float,
    cases=lambda: (
        Case("the example of this chapter in two bits", example()),
        Case("three layers, the first one with the fewest bits", three_layers(2, 5, 5)),
        Case("three layers, the middle one with the fewest bits", three_layers(5, 2, 5)),
        Case("three layers, the last one with the fewest bits", three_layers(5, 5, 2)),
    ),
    mistakes={
        "Print the decibels of each layer: the later it comes, the better it looks.": the_last,
        "You take the layer that brings least.": worst_in_float,
        "You take the largest layer, and bytes and errors are not in proportion.": by_layers(
            lambda before, after: before.weight.numel()
        ),
        "You look at the error of the weights alone. How much of it arrives at the outputs?": (
            by_layers(lambda before, after: -sqnr(before.weight, after.weight))
        ),
        "You always name the first layer.": lambda model, quantized, x: next(
            iter(linear_layers(model))
        ),
    },
    hints=(
        "How many layers are in float when the last one is tried? Print which weights of `trial` "
        "equal those of `model`.",
        "What does copy.copy copy of a model: its layers, or only where to find them?",
    ),
    praise="With this layer in float the outputs have the most decibels.",
    place=nowhere,
    last_bits=False,
)

EXERCISES = (SHARE_REACHED, KEPT_IN_FLOAT)
