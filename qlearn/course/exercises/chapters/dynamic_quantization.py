"""Dynamic quantization of a model: count the bytes that are left, and mend a filter."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import torch
from torch import Tensor, nn

from qlearn.course.digits.lstm import DigitsLSTM
from qlearn.course.exercises.exercise import Case, Exercise, Parts, WrongError, nowhere, one_number
from qlearn.course.linear_lstm import with_linear_lstms

IN_FLOAT, SCALE, ZERO_POINT = 4, 4, 1  # bytes
Bytes = Callable[[nn.Module], int]


def is_linear(layer: nn.Module, _: str = "") -> bool:
    """Return whether `quantize_` reaches a module."""
    return isinstance(layer, nn.Linear)


def in_codes(inputs: int, outputs: int, bias: bool) -> int:
    """Return the bytes of a layer that was reached."""
    return inputs * outputs + outputs * (SCALE + ZERO_POINT + IN_FLOAT * bias)


def in_float(layer: nn.Module) -> int:
    """Return the bytes of a module's own parameters in float32."""
    return IN_FLOAT * sum(own.numel() for own in layer.parameters(recurse=False))


def counted(of_layer: Callable[[nn.Linear], int], rest: Bytes = in_float) -> Bytes:
    """Return a function that counts the linear layers so, and so all else."""

    def count(model: nn.Module) -> int:
        return sum(of_layer(m) if isinstance(m, nn.Linear) else rest(m) for m in model.modules())

    return count


def of_codes(layer: nn.Linear) -> int:
    """Return the bytes of a linear layer that was reached."""
    return in_codes(layer.in_features, layer.out_features, layer.bias is not None)


bytes_after = counted(of_codes)


def children_alone(model: nn.Module) -> int:
    """Look for linear layers among the model's children alone."""
    reached = [layer for layer in model.children() if isinstance(layer, nn.Linear)]
    saved = sum(in_float(layer) - of_codes(layer) for layer in reached)
    return sum(map(in_float, model.modules())) - saved


def a_byte_each(model: nn.Module) -> int:
    """Make codes of all matrices."""
    numbers = list(model.parameters())
    wide = [own for own in numbers if own.ndim > 1]
    return sum(in_codes(own[0].numel(), len(own), False) for own in wide) + IN_FLOAT * sum(
        own.numel() for own in numbers if own.ndim == 1
    )


def nested() -> nn.Module:
    """Return a model in which linear layers lie deeper."""
    block = nn.Sequential(nn.Linear(12, 20), nn.ReLU(), nn.Linear(20, 12))
    return nn.Sequential(block, nn.Linear(12, 3))


BYTES_AFTER = Exercise(
    name="bytes_after",
    call="bytes_after(model)",
    task="the bytes of all parameters after `quantize_` has reached the linear layers",
    drive=one_number("bytes"),
    right=bytes_after,
    cases=(
        Case("a linear layer", (nn.Sequential(nn.Linear(64, 10)),)),
        Case("an LSTM and a linear layer", (nn.Sequential(nn.LSTM(8, 16), nn.Linear(16, 10)),)),
        Case(
            "an embedding and a convolution",
            (nn.Sequential(nn.Embedding(9, 8), nn.Conv1d(8, 4, 3)),),
        ),
        Case("linear layers in a block", (nested(),)),
        Case("a linear layer without a bias", (nn.Sequential(nn.Linear(64, 10, bias=False)),)),
    ),
    mistakes={
        "You left out what an output stores beside its codes: a scale of four bytes, and a zero "
        "point of one.": counted(lambda layer: of_codes(layer) - 5 * layer.out_features),
        "You count a scale for each output, but no zero point, which is one byte.": counted(
            lambda layer: of_codes(layer) - layer.out_features
        ),
        "You count one scale and one zero point for a layer: each output has its own.": counted(
            lambda layer: of_codes(layer) - 5 * (layer.out_features - 1)
        ),
        "You left out the biases, which stay in float32.": counted(
            lambda layer: in_codes(layer.in_features, layer.out_features, False)
        ),
        "You make codes of the LSTM, too: `quantize_` reaches linear layers alone.": a_byte_each,
        "You count linear layers alone: all other numbers stay, with four bytes each.": counted(
            of_codes, lambda layer: 0
        ),
        "You count some numbers more than once: `m.parameters()` holds those of all modules inside "
        "m, too.": counted(of_codes, lambda m: IN_FLOAT * sum(p.numel() for p in m.parameters())),
        "You look at the model's children alone: a linear layer may lie deeper.": children_alone,
        "You count a bias for each layer, but a layer may have none.": counted(
            lambda layer: in_codes(layer.in_features, layer.out_features, True)
        ),
    },
    hints=(
        "Count four bytes for each parameter. What does a linear layer have more, and what less?",
        "`model.modules()` yields the modules at every depth; a linear layer loses three bytes for "
        "each weight, and gets five for each output.",
    ),
    praise="So many bytes torchao leaves.",
    place=nowhere,
)


@cache
def models() -> tuple[Case, ...]:
    """Return models whose last layer is called `fc`."""
    deep = DigitsLSTM()
    deep.lstm = nn.LSTM(16, 32, num_layers=2, bidirectional=True, batch_first=True)
    return (
        Case("the network of this chapter", (with_linear_lstms(DigitsLSTM()),)),
        Case("an LSTM of two layers", (with_linear_lstms(deep),)),
    )


def chosen_bytes(choose: Callable[..., Any], model: nn.Module) -> Parts:
    """Return the bytes that are left when `quantize_` asks this filter."""
    asked = {name: choose(module, name) for name, module in model.named_modules()}
    if all(answer is None or answer is ... for answer in asked.values()):
        return {"model's bytes": None}
    total = sum(map(in_float, model.modules()))
    for name in (name for name, answer in asked.items() if answer):
        layer = model.get_submodule(name)
        if not isinstance(layer, nn.Linear):
            raise WrongError(told(name, layer))
        total += of_codes(layer) - in_float(layer)
    return {"model's bytes": torch.tensor(total)}


def told(name: str, module: nn.Module) -> str:
    """Return what happens to a module that is no linear layer."""
    kind = type(module).__name__
    what = f"`{name}`, a {kind}" if name else f"the whole model, a {kind}"
    fails = "the model fails when it is called: torchao multiplies codes in linear layers alone"
    if not isinstance(getattr(module, "weight", None), Tensor):
        fails = "`quantize_` stops, because it has no weight of its own"
    return f"Your filter chooses {what}, and {fails}."


NOT_LAST = Exercise(
    name="not_last",
    call="not_last(module, name)",
    task="True for each linear layer but the last, `fc`",
    drive=chosen_bytes,
    right=lambda module, name: is_linear(module) and name != "fc",
    cases=models,
    mistakes={
        "Your filter chooses no layer. All weights stay float32, and the model answers as before "
        "to the last bit.": lambda module, name: False,
        "Your filter chooses the last layer, too.": is_linear,
        "Your filter chooses the last layer alone.": lambda module, name: name == "fc",
        "Your filter chooses the layers of the input alone: those of the state are linear, too.": (
            lambda module, name: name.startswith("lstm.inputs.")
        ),
        "Your filter chooses the layers of the state alone: those of the input are linear, too.": (
            lambda module, name: name.startswith("lstm.hidden.")
        ),
        "Your filter knows two names: an LSTM of more layers has more.": (
            lambda module, name: name in ("lstm.inputs.0", "lstm.hidden.0")
        ),
    },
    hints=(
        "Print the name that the filter gets with each call. Which of yours are among them?",
        "`named_modules()` gives a model's modules with their names, and `named_parameters()` "
        "other names.",
    ),
    praise="The LSTM has codes, and `fc` stays in float32.",
    place=nowhere,
    any_integer=frozenset({"model's bytes"}),
)

EXERCISES = (BYTES_AFTER, NOT_LAST)
