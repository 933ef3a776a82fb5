"""A quantized model and what it is judged by."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cached_property

import torch
from torch import Tensor, nn
from torch.utils import _pytree as pytree

from qlearn.models.diagnosis.pairs import LayerError, layer_errors
from qlearn.models.diagnosis.places import Places
from qlearn.models.diagnosis.roundings import LOST, MANY, RIGHT
from qlearn.models.diagnosis.runs import (
    Inputs,
    answers,
    arguments,
    comparable,
    copied,
    explained,
    reason,
)
from qlearn.models.diagnosis.watch import Watch
from qlearn.models.diagnosis.weights import Weights, weights
from qlearn.numbers.metrics import sqnr


class Case:
    """Copies of the model and of the float model, if there is one, and a batch for both.

    Attributes:
        outputs: the model's, the tensors of float numbers among them.
        exact: the float model's, in the same way; None without one.
        left_out: what could not be done, and why.
    """

    def __init__(self, quantized: nn.Module, inputs: Inputs, model: nn.Module | None) -> None:
        """Run both once."""
        self.quantized, self.inputs = copied(quantized, "quantized"), inputs
        self.left_out: dict[str, str] = {}
        self.model = None if model is None else copied(model, "model")
        with explained("quantized"):
            self.outputs = answers(self.quantized, inputs)
        with explained("model"):
            self.exact = None if self.model is None else answers(self.model, inputs)

    @cached_property
    def seen(self) -> Watch:
        """What was measured in one run in which every operator is looked at."""
        watch = Watch(places := Places())
        args, kwargs = arguments(self.inputs)
        with self.noted("roundings"), ExitStack() as around:
            around.enter_context(torch.no_grad())
            around.enter_context(places.followed(self.quantized))  # its hooks come first
            around.enter_context(watch.simulated(self.quantized))
            around.enter_context(watch)
            places.run(self.quantized, args, kwargs)
        return watch

    @cached_property
    def steady(self) -> bool:
        """Whether a second call gives the same outputs."""
        return _same(self.outputs, answers(self.quantized, self.inputs))

    @cached_property
    def is_steady_in_float(self) -> bool:
        """Whether the float model does, if there is one: one that keeps a state may not."""
        if self.model is None or self.exact is None:
            return True
        return _same(self.exact, answers(self.model, self.inputs))

    @cached_property
    def layers(self) -> dict[str, LayerError]:
        """What layers add to the error, by float layers of the same names; none without them."""
        if self.model is None:
            return {}
        with layer_errors(self.quantized, self.model) as errors, self.noted("layers"):
            answers(self.quantized, self.inputs)
        return errors

    @cached_property
    def observers(self) -> list[str]:
        """The names of the observers and fake quantizers that were left in."""
        return [name for name, part in self.quantized.named_modules() if _observes(part)]

    @cached_property
    def weights(self) -> Weights:
        """The model's weights, in float and in codes."""
        return weights(self.quantized)

    @cached_property
    def float_weights(self) -> dict[str, Tensor]:
        """The weights of the float model; none without one."""
        return weights(self.model).floats if self.model else {}

    @cached_property
    def pairs(self) -> list[tuple[Tensor, Tensor]]:
        """The float model's outputs and these, in float32, as far as they can be compared."""
        both = zip(self.exact or [], self.outputs, strict=False)
        return [(good.float(), ours.float()) for good, ours in both if comparable(good, ours)]

    @cached_property
    def sqnr(self) -> float | None:
        """The least of the outputs against the float model's, in dB; None if not comparable."""
        return min((sqnr(good, ours) for good, ours in self.pairs), default=None)

    @cached_property
    def lost_columns(self) -> float:
        """The share of the columns of an output whose own variation is lost."""
        return max((_lost_columns(good, ours) for good, ours in self.pairs), default=0.0)

    @property
    def is_right(self) -> bool:
        """Whether the outputs are near those of the float model, and nearly all columns of them."""
        return self.sqnr is not None and self.sqnr >= RIGHT and self.lost_columns < MANY

    @contextmanager
    def noted(self, name: str) -> Iterator[None]:
        """Go on where something fails in this block, and note it.

        A model may do what nobody thought of here, and other checks still see something.
        """
        try:
            yield
        except Exception as error:
            self.left_out[name] = reason(error)

    def rows(self, *rows: int) -> Inputs | None:
        """Return some rows of the batch; None where the inputs are not rows of one number."""
        tensors = [x for x in pytree.tree_leaves(self.inputs) if isinstance(x, Tensor)]
        if len({len(x) if x.ndim else 0 for x in tensors}) != 1 or not tensors[0].ndim:
            return None
        if max(rows) >= len(tensors[0]):
            return None
        chosen: Inputs = pytree.tree_map_only(Tensor, lambda x: x[list(rows)], self.inputs)
        return chosen


def _observes(part: nn.Module) -> bool:
    return hasattr(part, "calculate_qparams") or type(part).__name__.endswith("FakeQuantizer")


def _lost_columns(good: Tensor, ours: Tensor) -> float:
    """Return the share of the columns with less than 6 dB against what varies in them."""
    if good.ndim < 2:
        return 0.0
    axis = -1 if good.ndim == 3 else 1
    if good.shape[axis] < 4:
        return 0.0
    columns, error = (x.movedim(axis, 0).flatten(1) for x in (good, good - ours))
    power = columns.var(1, correction=0)
    lost = error.square().mean(1) > power * 10 ** (-LOST / 10)
    return lost[power > 0].float().mean().item() if bool((power > 0).any()) else 0.0


def _same(outputs: list[Tensor], again: list[Tensor]) -> bool:
    return len(again) == len(outputs) and all(map(_equal, outputs, again))


def _equal(one: Tensor, other: Tensor) -> bool:
    return one.shape == other.shape and torch.equal(one.nan_to_num(), other.nan_to_num())
