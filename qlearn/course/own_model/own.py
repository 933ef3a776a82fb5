"""A reader's own model, with what it is tried on: looked over before anything is quantized."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor, nn

from qlearn.checks.models import check_loaded, check_module, check_parameter, training_part
from qlearn.course.own_model.batches import TAKEN, Call, first_of, flat_outputs, taken
from qlearn.numbers.metrics import sqnr

Metric = Callable[[nn.Module], float]


class OwnModel:
    """A float model, some batches, and a number that says how good a model is.

    Args:
        model: in float32, on the CPU, in eval mode; it is never changed.
        batches: tensors, or pairs whose first is the input; the first ``take`` are used.
        metric: takes a model and returns a number; larger is better.
        call: how a batch goes into the model and which tensor comes out, if that is not
            ``model(batch)``: ``lambda model, batch: model(**batch).logits``.
        take: how many batches.

    Raises:
        TypeError: one of them is of a kind that cannot be used.
        ValueError: the model is quantized, compiled, in training mode, on another device, in
            another dtype, without numbers or not the same in two runs; there are no batches; the
            metric is no finite number. Each message says the way out.

    >>> own = OwnModel(nn.Linear(4, 2).eval(), [torch.ones(3, 4)], lambda model: 1.0)
    >>> own.value, own.outputs.shape
    (1.0, torch.Size([6]))
    """

    def __init__(
        self,
        model: nn.Module,
        batches: Iterable[Any],
        metric: Metric,
        *,
        call: Call = first_of,
        take: int = TAKEN,
    ):
        check_float_model(model)
        if not callable(metric):
            raise TypeError(
                f"metric is a {type(metric).__name__}: pass a function that takes a model and "
                "returns a number, of which more is better"
            )
        self.model, self.metric, self.call = model, metric, call
        self.batches = taken(batches, take)
        self.outputs = self._first_run()
        self.value = self.measured(model)
        if training_part(model, "the model"):
            raise ValueError("metric leaves the model in training mode: end it by model.eval()")

    def error_of(self, changed: nn.Module) -> float:
        """Return the SQNR of a changed model's outputs against the float ones, in dB."""
        return sqnr(self.outputs, flat_outputs(changed, self.batches, self.call))

    def measured(self, model: nn.Module) -> float:
        """Return what the reader's metric says of a model.

        Raises:
            TypeError: it is no number.
            ValueError: it is not finite.
        """
        with torch.no_grad():
            value = self.metric(model)
        if isinstance(value, Tensor) and value.numel() == 1:
            value = value.item()
        if not isinstance(value, int | float):
            raise TypeError(
                f"metric returns a {type(value).__name__}: return one number, of which more is "
                "better; for a loss return its negative"
            )
        if not math.isfinite(value):
            raise ValueError(f"metric returns {value}, and nothing can be compared with that")
        return value

    def _first_run(self) -> Tensor:
        """Return the float outputs, once two runs have agreed on them."""
        try:
            outputs = flat_outputs(self.model, self.batches, self.call)
        except (AttributeError, IndexError, KeyError, RuntimeError) as error:
            raise ValueError(
                f"the float model stops at your batches ({type(error).__name__}: "
                f"{str(error).splitlines()[0] if str(error) else ''}): pass them as in training, "
                "or say by call=lambda model, batch: … how they go in"
            ) from error
        if sqnr(outputs, flat_outputs(self.model, self.batches, self.call)) < 100:
            raise ValueError(
                "two runs of the float model on the same batches differ: look for a dropout that "
                "is always on, or for random numbers in forward"
            )
        return outputs


def check_float_model(model: nn.Module) -> None:
    """Raise unless a model can be quantized here, and compared with itself in float32.

    >>> check_float_model(nn.Linear(2, 2).half().eval())
    Traceback (most recent call last):
    ValueError: weight is torch.float16, and float32 is what is compared with: pass \
copy.deepcopy(model).float()
    """
    check_module(model)
    if hasattr(model, "_orig_mod"):
        raise ValueError("the model is compiled: pass model._orig_mod, and compile what you choose")
    if part := training_part(model, "the model"):
        raise ValueError(
            f"{part} is in training mode, where dropout and batch norm change from call to "
            "call: call model.eval() first"
        )
    parameters = dict(model.named_parameters())
    if not parameters:
        raise ValueError(f"{type(model).__name__} has no parameters, so nothing to quantize")
    for name, parameter in parameters.items():
        _check_parameter(name, parameter)


def _check_parameter(name: str, parameter: Tensor) -> None:
    """Raise unless a parameter is of plain finite float32 numbers on the CPU."""
    check_loaded(parameter, name)
    if type(parameter) is not nn.Parameter:
        raise ValueError(
            f"{name} is a {type(parameter).__name__} already: pass the float model from before"
        )
    if parameter.device.type != "cpu":
        raise ValueError(
            f"{name} is on {parameter.device}, and this page computes on the CPU: pass "
            "copy.deepcopy(model).cpu(), and batches there"
        )
    if parameter.is_floating_point() and parameter.dtype != torch.float32:
        raise ValueError(
            f"{name} is {parameter.dtype}, and float32 is what is compared with: pass "
            "copy.deepcopy(model).float()"
        )
    check_parameter(parameter, name)
