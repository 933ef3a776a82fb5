"""Training with rounding: count the hops of weights, and find what moves in eval mode."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import torch
from torch import Tensor, nn

from qlearn.course.broken.nets import plain_net
from qlearn.course.digits.net import count_right, split_digits
from qlearn.course.digits.shipped import shipped_tensors
from qlearn.course.exercises.exercise import Case, Exercise, Parts, WrongError, nowhere, one
from qlearn.numbers.fake_quantize import fake_quantize
from qlearn.numbers.qparams import QParams

LOW, HIGH = -2, 1  # the codes of two bits
LAST = 15  # the last code of four bits without a sign
HOT = 255.0


def codes_of(path: Tensor, step: float) -> Tensor:
    """Return the codes of two bits."""
    return torch.round(path / step).clamp(LOW, HIGH)


def changes(codes: Tensor) -> Tensor:
    """Return how often each column changes from one row to the next."""
    return (codes[1:] != codes[:-1]).sum(0)


CODE_CHANGES = Exercise(
    name="code_changes",
    call="code_changes(path, step)",
    task="how often the code of each weight changes: a tensor of integers, one for each column",
    drive=one("counts"),
    right=lambda path, step: changes(codes_of(path, step)),
    cases=lambda: (
        Case("a weight that hops", (torch.tensor([[0.3], [0.27], [0.24], [0.28]]), 0.5)),
        Case("a weight that passes a mark", (torch.tensor([[0.4], [0.48], [0.53], [0.6]]), 0.5)),
        Case("a weight beyond the last mark", (torch.tensor([[0.6], [0.9], [1.4], [1.9]]), 0.5)),
        Case(
            "a weight that goes and comes back, and one that jumps by two codes",
            (torch.tensor([[0.3, 0.3], [-0.3, 0.4], [0.3, -0.6], [-0.3, -0.7]]), 0.5),
        ),
        Case("the recorded training", (shipped_tensors("digits_qat")["positions"], 1.0)),
    ),
    mistakes={
        "You count changes to marks that do not exist: two bits end at −2 and 1.": (
            lambda path, step: changes(torch.round(path / step))
        ),
        "You count each move of a weight: only a new code is a change.": (
            lambda path, step: changes(path)
        ),
        "You cut the fraction off: so you count where weights pass marks, and not boundaries.": (
            lambda path, step: changes((path / step).trunc().clamp(LOW, HIGH))
        ),
        "You round down: so you count where weights pass marks, and not boundaries.": (
            lambda path, step: changes((path / step).floor().clamp(LOW, HIGH))
        ),
        "You compare each code with the first one, and not with the one before it.": (
            lambda path, step: (codes_of(path, step) != codes_of(path, step)[0]).sum(0)
        ),
        "You count how many codes a weight has had: one that hops between two of them changes "
        "often.": lambda path, step: torch.tensor(
            [len(column.unique()) - 1 for column in codes_of(path, step).T]
        ),
        "You clamp the weights: clamp the codes, after you have divided by the step.": (
            lambda path, step: changes(torch.round(path.clamp(LOW, HIGH) / step))
        ),
        "You compare the first code with the last one: a weight that hops may be back there.": (
            lambda path, step: (codes_of(path, step)[0] != codes_of(path, step)[-1]).int()
        ),
        "You add up how far the codes move: a jump by two codes is one change.": (
            lambda path, step: codes_of(path, step).diff(dim=0).abs().sum(0).int()
        ),
    },
    hints=(
        "Which codes does a weight have, one after the other? Rows are moments, columns weights.",
        "codes[1:] and codes[:-1] have the same shape: each code beside the one before it.",
    ),
    praise="Count so in your own training: a weight that hops to its end has no final code.",
    place=lambda args, index: f"column {index[0]}",
    any_integer=frozenset({"counts"}),
)


class Watched(nn.Module):
    """Rounds its input, by a range that follows it while the network is trained."""

    moves_in = True  # whether the module is in train mode
    rounds_in: tuple[bool, ...] = (True, False)

    def __init__(self) -> None:
        super().__init__()
        self.end: Any = None

    def forward(self, x: Tensor) -> Tensor:
        """Move the end of the range, and round."""
        if self.end is None or self.moves():
            self.end = self.moved(x.detach().max())
        if self.training not in self.rounds_in:
            return x
        return fake_quantize(x, QParams(self.end / LAST, 0, 0, LAST, torch.uint8))

    def moves(self) -> bool:
        """Return whether the range moves now."""
        return self.training is self.moves_in

    def moved(self, highest: Tensor) -> Tensor:
        """Return the end after a batch."""
        return highest if self.end is None else self.end + 0.1 * (highest - self.end)


class Always(Watched):
    """Moves in eval mode, too: the stub."""

    def moves(self) -> bool:
        """Move whatever the mode is."""
        return True


class Never(Watched):
    """Keeps the range of the first batch."""

    def moves(self) -> bool:
        """Stand still whatever the mode is."""
        return False


class InEvalAlone(Watched):
    """Moves in eval mode alone."""

    moves_in = False


class UnroundedInEval(Watched):
    """Returns the input as it is in eval mode."""

    rounds_in = (True,)


class UnroundedInTraining(Watched):
    """Returns the input as it is in train mode."""

    rounds_in = (False,)


@cache
def network() -> nn.Module:
    """Return the float network whose input is rounded."""
    return plain_net()


def right_by(rounding: Callable[[Tensor], Tensor]) -> Tensor:
    """Return how many test images the network reads if its input is rounded so."""
    split = split_digits()
    with torch.no_grad():
        return torch.tensor(count_right(network()(rounding(split.test_images)), split.test_labels))


def drive(subject: Any, batches: list[Tensor], later: list[Tensor]) -> Parts:
    """Show batches in train mode, count in eval mode, show later ones there, and count again."""
    if isinstance(subject, nn.Module):
        raise WrongError(
            'Pass the class, and no object of it: check("WatchedInput", WatchedInput).'
        )
    try:
        module = subject()
    except TypeError as error:
        raise WrongError(f"`watched = WatchedInput()` does not work: {error}") from None
    if not isinstance(module, nn.Module):
        raise WrongError("`WatchedInput` should stay a class that is a torch.nn.Module.")
    trained = [module.train()(batch) for batch in batches]
    if any(not isinstance(each, Tensor) for each in trained):
        return {"numbers in the training": None}
    module.eval()
    before = right_by(module)
    for batch in later:
        module(batch)
    return {
        "numbers in the training": torch.cat(trained),
        "right answers": before,
        "right answers after later batches": right_by(module),
        "numbers in eval mode": module(batches[0]),
    }


def shown(bright: float) -> tuple[list[Tensor], list[Tensor]]:
    """Return five batches of training images, and two of test images with one bright pixel.

    The first five differ in brightness, so that the range's end is no pixel's value, and no pixel
    of a test image lies half-way between two marks.
    """
    digits = split_digits()
    later = [batch.clone() for batch in digits.test_images[:128].split(64)]
    for batch in later:
        batch[7, 0, 3, 3] = bright
    batches = digits.train_images[:320].split(64)
    return [(0.9 + 0.02 * i) * batch for i, batch in enumerate(batches)], later


WATCHED_INPUT = Exercise(
    name="WatchedInput",
    call="WatchedInput()",
    task="a module that rounds, whose range follows its input in the training and only there",
    drive=drive,
    right=Watched,
    cases=lambda: (
        Case("a hot pixel in two batches of test data", shown(HOT)),
        Case("batches that become brighter", ([torch.ones(4), 3 * torch.ones(4)], [torch.ones(4)])),
    ),
    mistakes={
        "Something in your class still learns from the test data: the same images get other "
        "answers after batches with a hot pixel.": Always,
        "Your range is that of the first batch: in the training it should follow.": Never,
        "Your range stands still in the training, and moves in eval mode: the other way round.": (
            InEvalAlone
        ),
        "In eval mode nothing is rounded: the range alone should stand still there.": (
            UnroundedInEval
        ),
        "In the training nothing is rounded: then the network cannot get used to it.": (
            UnroundedInTraining
        ),
    },
    hints=(
        "Which lines of the class remember something from one batch to the next?",
        "`eval()` sets `self.training` to False. Which line may then not run?",
    ),
    praise="Your class rounds as before, and the test data no longer move its range.",
    place=nowhere,
    last_bits=False,
)

EXERCISES = (CODE_CHANGES, WATCHED_INPUT)
