"""A quantized model and what it is judged by."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cached_property

import torch
from torch import Tensor, nn
from torch.utils import _pytree as pytree

from qlearn.models.diagnosis.pairs import Which, is_block, is_layer, part_errors
from qlearn.models.diagnosis.part_error import PartError
from qlearn.models.diagnosis.places import Places
from qlearn.models.diagnosis.roundings import MANY, RIGHT, channel_axes, lost_variation
from qlearn.models.diagnosis.runs import (
    AGREE,
    Inputs,
    answers,
    arguments,
    cast_for,
    compared,
    copied,
    explained,
    output_sqnr,
    reason,
    row_count,
)
from qlearn.models.diagnosis.watch import Watch
from qlearn.models.diagnosis.weights import Weights, alike, weights

VOTES = 16  # rows: of so many, one class should not win all


class Case:
    """Copies of the model and of the float model, if there is one, and a batch for both.

    Attributes:
        is_compiled: whether it was compiled before, and runs otherwise than its copy here.
        outputs: the model's, the tensors of float numbers among them.
        exact: the float model's, in the same way; None without one.
        left_out: what could not be done, and why.
    """

    def __init__(
        self,
        quantized: nn.Module,
        inputs: Inputs,
        model: nn.Module | None,
        *,
        is_compiled: bool = False,
    ) -> None:
        """Run both once."""
        self.is_compiled = is_compiled
        self.quantized, self.inputs = copied(quantized, "quantized"), inputs
        self.left_out: dict[str, str] = {}
        self.model = None if model is None else copied(model, "model")
        with explained("quantized"):
            self.outputs = answers(self.quantized, inputs)
        with explained("model"):
            self.exact = None if self.model is None else self.in_float(inputs)
        if self.model is not None and not self.pairs:
            self.left_out["comparing the outputs"] = (
                "none of them has the shape of the float model's, and finite numbers"
            )

    @cached_property
    def seen(self) -> Watch:
        """What was measured in one run in which every operator is looked at."""
        args, kwargs = arguments(self.inputs)
        watch = Watch(places := Places(), (args, kwargs))
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
        return _same(self.exact, self.in_float(self.inputs))

    def in_float(self, inputs: Inputs) -> list[Tensor]:
        """Return what the float model puts out, on inputs of the type that it computes in."""
        assert self.model is not None, "there is a float model"
        return answers(self.model, cast_for(self.model, inputs))

    @cached_property
    def layers(self) -> dict[str, PartError]:
        """What layers add to the error, by float layers of the same names; none without them."""
        return self._parts(is_layer)

    @cached_property
    def blocks(self) -> dict[str, PartError]:
        """The same of the parts that have parts."""
        return self._parts(is_block)

    def _parts(self, which: Which) -> dict[str, PartError]:
        if self.model is None:
            return {}
        with part_errors(self.quantized, self.model, which) as errors, self.noted("layers"):
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
        if self.model is None:
            return {}
        tied = self.model.named_parameters(remove_duplicate=False)
        return {name: weight for name, weight in tied if weight.ndim > 1}

    @cached_property
    def cosines(self) -> dict[str, float]:
        """How near the direction of each weight is to the float one's."""
        ours, theirs = self.weights.all, self.float_weights
        return {name: alike(ours[name], theirs[name]) for name in ours if name in theirs}

    @cached_property
    def pairs(self) -> list[tuple[Tensor, Tensor]]:
        """The float model's outputs and these, in float64, as far as they can be compared."""
        return compared(self.exact or [], self.outputs)

    @cached_property
    def sqnr(self) -> float | None:
        """The least of the outputs against the float model's, in dB; None if not comparable."""
        return min((output_sqnr(good, ours) for good, ours in self.pairs), default=None)

    @cached_property
    def agrees(self) -> bool:
        """Whether the outputs are those of a classifier, and nearly all answers are the same."""
        shapes = [x.shape for x, _ in self.pairs]
        if not shapes or not all(len(s) == 2 and s[0] >= VOTES and s[1] > 1 for s in shapes):
            return False
        return all((x.argmax(1) == y.argmax(1)).double().mean() > AGREE for x, y in self.pairs)

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
        if max(rows) >= (row_count(self.inputs) or 0):
            return None
        chosen: Inputs = pytree.tree_map_only(Tensor, lambda x: x[list(rows)], self.inputs)
        return chosen


def _observes(part: nn.Module) -> bool:
    return hasattr(part, "calculate_qparams") or type(part).__name__.endswith("FakeQuantizer")


def _lost_columns(good: Tensor, ours: Tensor) -> float:
    """Return the share of the columns with less than 6 dB against what varies in them."""
    if good.ndim < 2:
        return 0.0
    error = (good - ours).square()
    return max(lost_variation(axis, good, error) for axis in channel_axes(good))


def _same(outputs: list[Tensor], again: list[Tensor]) -> bool:
    return len(again) == len(outputs) and all(map(_equal, outputs, again))


def _equal(one: Tensor, other: Tensor) -> bool:
    return one.shape == other.shape and torch.equal(one.nan_to_num(), other.nan_to_num())
