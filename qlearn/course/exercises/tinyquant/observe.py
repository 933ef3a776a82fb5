"""Step 3: an observer, which remembers a range."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from qlearn.course.exercises.exercise import Case, Exercise, Parts, WrongError, nowhere
from qlearn.course.exercises.tinyquant import choose
from qlearn.course.exercises.tinyquant.ruler import Ruler, parts_of_ruler

CALL = "Observer(quant_min, quant_max, symmetric=False)"


class Right:
    """Remember the smallest and the largest number of all batches."""

    def __init__(self, quant_min: int, quant_max: int, symmetric: bool = False) -> None:
        self.codes, self.symmetric = (quant_min, quant_max), symmetric
        self.seen: list[Tensor] = []

    def __call__(self, x: Tensor) -> Tensor:
        """Look at a batch."""
        self.seen.append(x)
        return x

    def ruler(self) -> Ruler:
        """Return the ruler of all that was seen."""
        return choose.right(*self.range(), *self.codes, self.symmetric)

    def range(self) -> tuple[Tensor, Tensor]:
        """Return the smallest and the largest number."""
        lows, highs = [x.amin() for x in self.seen], [x.amax() for x in self.seen]
        return torch.stack(lows).amin(), torch.stack(highs).amax()


class LastBatch(Right):
    """Forget the batches before."""

    def range(self) -> tuple[Tensor, Tensor]:
        """Look at the last one alone."""
        return self.seen[-1].amin(), self.seen[-1].amax()


class FirstBatch(Right):
    """Ignore all further batches."""

    def range(self) -> tuple[Tensor, Tensor]:
        """Look at the first one alone."""
        return self.seen[0].amin(), self.seen[0].amax()


class AnewAtZero(Right):
    """Ask `if not self.low` whether there was a batch."""

    def range(self) -> tuple[Tensor, Tensor]:
        """Forget all batches after which low was 0."""
        low = high = torch.tensor(0.0)
        for x in self.seen:
            if not low:
                low, high = x.amin(), x.amax()
            low, high = torch.minimum(low, x.amin()), torch.maximum(high, x.amax())
        return low, high


class OneEndOfABatch(Right):
    """Look at high by an `elif`."""

    def range(self) -> tuple[Tensor, Tensor]:
        """Move one end for each batch after the first."""
        low, high = self.seen[0].amin(), self.seen[0].amax()
        for x in self.seen[1:]:
            if x.amin() < low:
                low = x.amin()
            elif x.amax() > high:
                high = x.amax()
        return low, high


class Averaged(Right):
    """Take the mean of the ends."""

    def range(self) -> tuple[Tensor, Tensor]:
        """Average over the batches."""
        lows, highs = [x.amin() for x in self.seen], [x.amax() for x in self.seen]
        return torch.stack(lows).mean(), torch.stack(highs).mean()


class Largest(Right):
    """Take the largest size for both ends."""

    def range(self) -> tuple[Tensor, Tensor]:
        """Return a range around 0."""
        size = torch.stack([x.abs().amax() for x in self.seen]).amax()
        return -size, size


class OneEnd(Right):
    """Remember high alone."""

    def range(self) -> tuple[Tensor, Tensor]:
        """Let low be 0."""
        return torch.tensor(0.0), super().range()[1]


class NeverSymmetric(Right):
    """Ignore the last argument."""

    def __init__(self, quant_min: int, quant_max: int, symmetric: bool = False) -> None:
        super().__init__(quant_min, quant_max)


def drive(subject: Any, codes: tuple[Any, ...], batches: list[Tensor]) -> Parts:
    """Show batches to a new observer, and return its ruler.

    Raises:
        WrongError: the observer does not pass a batch on as it is.
    """
    observer = subject(*codes)
    if not callable(observer):
        raise WrongError("Your observer cannot be called with a batch: give it a `__call__`.")
    # A stub is told that it is empty, by the ruler that it lacks.
    passed = [observer(batch) for batch in batches]
    check_method(observer)
    parts = parts_of_ruler(observer.ruler(), "observer.ruler()")
    if parts["scale"] is None:
        return parts
    check_one_number(parts["scale"])
    check_apart(subject(*codes), observer, parts["scale"])
    for batch, given in zip(batches, passed, strict=True):
        if given is None:
            raise WrongError("A call of your observer returns nothing: let it return x as it is.")
        if not (isinstance(given, Tensor) and torch.equal(given, batch)):
            raise WrongError("A call of your observer returns another x: let it pass x on.")
    return parts


def check_method(observer: Any) -> None:
    """Check that ``ruler`` is a method."""
    if not hasattr(observer, "ruler"):
        raise WrongError("Your observer has no method `ruler()`, which returns what it chooses.")
    if not callable(observer.ruler):
        kind = type(observer.ruler).__name__
        what = "None" if observer.ruler is None else f"of the type {kind}"
        raise WrongError(
            f"`ruler` is not a method of your observer: it is {what}. Does an attribute of the "
            "same name hide it, or a @property stand above it?"
        )


def check_one_number(scale: Any) -> None:
    """Check that a ruler is of the whole batch, and not of one for each column."""
    if isinstance(scale, Tensor) and scale.ndim:
        raise WrongError(
            f"Your ruler's scale has the shape {tuple(scale.shape)}. An observer here has one low "
            "and one high for the whole batch, each a number as `x.min()` returns it."
        )


def check_apart(other: Any, observer: Any, scale: Any) -> None:
    """Check that an observer does not remember what another one sees."""
    if not isinstance(scale, Tensor):
        return
    try:
        again = observer.ruler().scale
    except (AttributeError, RuntimeError, TypeError):
        again = scale + torch.nan
    if not torch.equal(again, scale):
        raise WrongError("A second call of `ruler()` does not choose the same: let it only read.")
    other(torch.tensor([-1000.0, 1000.0]) * scale)
    if not torch.equal(observer.ruler().scale, scale):
        raise WrongError("Two observers share what they remember: keep it on self.")


def batches(*numbers: list[Any]) -> list[Tensor]:
    """Return batches of numbers."""
    return [torch.tensor(batch) for batch in numbers]


OBSERVER = Exercise(
    name="Observer",
    call=CALL,
    task="an object that you call with each batch, and whose ruler() fits them all",
    drive=drive,
    right=Right,
    cases=(
        Case("one batch", ((0, 255), batches([-1.0, 0.5, 3.0]))),
        Case(
            "three batches, of which the second is the widest",
            ((0, 255), batches([-1.0, 0.5], [-2.0, 0.0, 4.0], [0.1, 0.2])),
        ),
        Case(
            "two batches with one end in each",
            ((0, 255), batches([-3.0, 0.5], [-1.0, 2.0])),
        ),
        Case(
            "two batches, of which the first is the wider and begins at 0",
            ((0, 255), batches([0.0, 4.0], [0.5, 2.0])),
        ),
        Case("a symmetric ruler", ((-128, 127, True), batches([-1.0, 0.5], [0.0, 2.0]))),
        Case("a batch of two rows", ((0, 255), batches([[-1.0, 0.5, 3.0], [0.2, -2.0, 1.0]]))),
        Case("a new observer and a batch from 0 to 0.1", ((0, 255), batches([0.0, 0.1]))),
    ),
    mistakes={
        "You remember the last batch alone: keep the smaller low and the larger high.": LastBatch,
        "You remember the first batch alone: each batch can widen the range.": FirstBatch,
        "Your observer begins anew when low is 0, for Python takes 0 for False: ask whether it "
        "`is None`.": AnewAtZero,
        "A batch can move both ends, but after `elif` you look at one: let each end have its own "
        "`if`.": OneEndOfABatch,
        "You average the ends of the batches: keep the smallest and the largest of all.": Averaged,
        "You observe the largest size alone: keep low and high, each by itself.": Largest,
        "You observe high alone: negative numbers need low.": OneEnd,
        "You ignore `symmetric`: pass it on to choose.": NeverSymmetric,
    },
    hints=(
        "Before the first batch there is no range: None can stand for it.",
        "torch.minimum and torch.maximum join an old end and a new one; ruler() calls choose.",
    ),
    praise="Your observer chooses the rulers of torch's MinMaxObserver.",
    place=nowhere,
    any_integer=frozenset({"zero point", "first and last code"}),
)
