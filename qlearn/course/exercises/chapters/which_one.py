"""Which one? Count the rows of a layer, and what int8 weights gain with so many."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from qlearn.course.digits.net import trained_digits_net
from qlearn.course.digits.vit import trained_digits_vit
from qlearn.course.exercises.exercise import Case, Exercise, nowhere, one_number

Seen = list[tuple[nn.Linear, Tensor, Tensor]]  # a layer, its input and its output


def seen(model: nn.Module, x: Tensor) -> Seen:
    """Return what each linear layer gets and makes, in the order in which they run."""
    found: Seen = []

    def look(layer: Any, inputs: tuple[Tensor, ...], output: Tensor) -> None:
        found.append((layer, inputs[0], output))

    linear = [module for module in model.modules() if isinstance(module, nn.Linear)]
    hooks = [layer.register_forward_hook(look) for layer in linear]
    with torch.no_grad():
        model(x)
    for hook in hooks:
        hook.remove()
    return found


def rows_of(layer: nn.Linear, given: Tensor, output: Tensor) -> int:
    """Return how many rows a layer gets."""
    return given.numel() // layer.in_features


def of_layers(
    count: Callable[[nn.Linear, Tensor, Tensor], int] = rows_of,
    chosen: Callable[[list[int]], int] = max,
) -> Callable[[nn.Module, Tensor], int]:
    """Return a function that counts so in each linear layer, and then chooses one count."""
    return lambda model, x: chosen([count(*each) for each in seen(model, x)])


most_rows = of_layers()


def images(count: int) -> Tensor:
    """Return black images of 8 × 8 pixels: their numbers do not matter here."""
    return torch.zeros(count, 1, 8, 8)


MOST_ROWS = Exercise(
    name="most_rows",
    call="most_rows(model, x)",
    task="the most rows that a linear layer of the model gets at once",
    drive=one_number("rows"),
    right=most_rows,
    cases=lambda: (
        Case("the digits' network and three images", (trained_digits_net(), images(3))),
        Case("the ViT and one image", (trained_digits_vit(), images(1))),
        Case("the ViT and four images", (trained_digits_vit(), images(4))),
        Case(
            "a layer alone, two texts of 100 words",
            (nn.Linear(6, 4).eval(), torch.zeros(2, 100, 6)),
        ),
    ),
    mistakes={
        "By this count a vision transformer has few rows, the guide gives it int8 weights, and it "
        "becomes no faster. Print the shapes of the inputs that your hook gets.": of_layers(
            lambda layer, given, output: len(given)
        ),
        "You count the rows of one image. Those of all images of a batch are counted together.": (
            of_layers(lambda layer, given, output: given[:1].numel() // layer.in_features)
        ),
        "You count the rows of one image or text. Those of a whole batch are counted together.": (
            of_layers(lambda layer, given, output: given.shape[-2])
        ),
        "You count numbers. As many of them as the layer has inputs are a row.": of_layers(
            lambda layer, given, output: given.numel()
        ),
        "You divide what goes into the layer by the number of its outputs.": of_layers(
            lambda layer, given, output: given.numel() // layer.out_features
        ),
        "You divide what comes out of the layer by the number of its inputs.": of_layers(
            lambda layer, given, output: output.numel() // layer.in_features
        ),
        "You look at what the model gets. What does each of its layers get?": lambda model, x: max(
            x.numel() // layer.in_features for layer, *_ in seen(model, x)
        ),
        "That is a layer with few rows, such as the last one. Other layers get more at once.": (
            of_layers(chosen=min)
        ),
        "You add up the rows of all layers. They get them one after the other: take the most.": (
            of_layers(chosen=sum)
        ),
        "You count the layers.": of_layers(chosen=len),
    },
    hints=(
        "How many numbers make one row for this layer?",
        "inputs[0] may have the shape images, patches, numbers. Rows are counted together: how "
        "many numbers does it hold in all?",
    ),
    praise="With this count the guide can be asked about any model.",
    place=nowhere,
)

Slower = Callable[[float, float], float]


def gain(
    before: float = 4, after: float = 1, slower: Slower = max
) -> Callable[[float, float, float], float]:
    """Return a function that compares the times of weights of so many bytes."""

    def compared(rows: float, reads: float, multiplies: float) -> float:
        products = rows / multiplies
        return slower(before / reads, products) / slower(after / reads, products)

    return compared


gain_of_weights = gain()

GAIN_OF_WEIGHTS = Exercise(
    name="gain_of_weights",
    call="gain_of_weights(rows, reads, multiplies)",
    task="how many times faster the layer becomes",
    drive=one_number("gain"),
    right=gain_of_weights,
    cases=(
        Case("1 row, 20 GB and 36 billion products each second", (1, 20e9, 36e9)),
        Case("4 rows, 20 GB and 36 billion products each second", (4, 20e9, 36e9)),
        Case("20 rows, 20 GB and 36 billion products each second", (20, 20e9, 36e9)),
        Case("1 row, 50 GB and 36 billion products each second", (1, 50e9, 36e9)),
    ),
    mistakes={
        "You add reading and multiplying. They go on side by side: the slower one is the time.": (
            gain(slower=lambda reading, products: reading + products)
        ),
        "You take the faster of reading and multiplying. The slower one is the time.": (
            gain(slower=min)
        ),
        "The other way round: divide the time in float32 by the time with codes.": gain(1, 4),
        "Your gain is still 4 here. A weight is read once for all rows, and multiplied with each "
        "of them, as float32 before and after.": lambda rows, reads, multiplies: 4,
        "Your gain is the same for any number of rows. A weight is read once for all rows, and "
        "multiplied with each of them.": (
            lambda rows, reads, multiplies: gain_of_weights(1, reads, multiplies)
        ),
        "You count bits where bytes are read each second.": gain(32, 8),
    },
    hints=(
        "How long does it take to read one weight, and how long to multiply it with all rows?",
        "In float32 one weight takes max(4 / reads, rows / multiplies) seconds.",
    ),
    praise="At 20 GB a second, one row gains four times, and from 7.2 rows on nothing is gained.",
    place=nowhere,
    last_bits=False,
)

EXERCISES = (MOST_ROWS, GAIN_OF_WEIGHTS)
