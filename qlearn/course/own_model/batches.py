"""What a model is run on: batches from a loader, and how one of them goes into the model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any

import torch
from torch import Tensor, nn

Call = Callable[[nn.Module, Any], Tensor]

TAKEN = 8  # batches: enough to see an error, and few enough to run a model dozens of times


def taken(batches: Iterable[Any], most: int = TAKEN) -> list[Any]:
    """Return the first batches as a list, so that each run has the same ones.

    Raises:
        TypeError: they are one tensor, or nothing that gives one batch after the other.
        ValueError: there are none.

    >>> len(taken(iter([torch.ones(2)] * 20)))
    8
    """
    if isinstance(batches, Tensor):
        raise TypeError(
            f"batches is one tensor of shape {tuple(batches.shape)}: pass a list of batches, such "
            "as x.split(64)"
        )
    if isinstance(batches, str | dict) or not isinstance(batches, Iterable):
        raise TypeError(
            f"batches is a {type(batches).__name__}: pass a list of batches, or a DataLoader"
        )
    found = list(islice(batches, most))
    if not found and isinstance(batches, Iterator):
        raise ValueError(
            "batches is a generator that is used up: it gives each batch once, so make it anew, "
            "or pass a list"
        )
    if not found:
        raise ValueError("batches is empty: pass at least one batch such as the model will see")
    return found


def first_of(model: nn.Module, batch: Any) -> Any:
    """Return the output for a batch, or for the first of a pair such as inputs and labels.

    Raises:
        TypeError: the batch is neither, so nobody knows how it goes into the model.

    >>> first_of(nn.ReLU(), (torch.tensor([-1.0, 2.0]), "labels"))
    tensor([0., 2.])
    """
    inputs = batch[0] if isinstance(batch, tuple | list) and batch else batch
    if not isinstance(inputs, Tensor):
        kind = type(inputs).__name__
        keys = f" with {', '.join(map(str, inputs))}" if isinstance(inputs, dict) else ""
        raise TypeError(
            f"a batch is a {kind}{keys}, and no tensor or pair: say how it goes into the model, "
            "for example call=lambda model, batch: model(**batch)"
        )
    return model(inputs)


def check_output(output: Any) -> None:
    """Raise unless an output is a tensor of finite floats.

    Raises:
        TypeError: it is no tensor, or one of integers.
        ValueError: it holds infinities or NaN, or nothing.

    >>> check_output((torch.ones(1), torch.ones(1)))
    Traceback (most recent call last):
    TypeError: the model returns a tuple: say which tensor counts, for example \
call=lambda model, batch: model(batch)[0]
    """
    if not isinstance(output, Tensor):
        part = f"[{next(iter(output), 0)!r}]" if isinstance(output, dict) else "[0]"
        if not isinstance(output, dict | tuple | list):
            part = ".logits"
        raise TypeError(
            f"the model returns a {type(output).__name__}: say which tensor counts, for example "
            f"call=lambda model, batch: model(batch){part}"
        )
    if not output.is_floating_point():
        raise TypeError(
            f"the model returns {output.dtype}, in which a small error cannot be seen: compare "
            "what comes before it, often called logits"
        )
    if output.numel() == 0:
        raise ValueError("the model returns an empty tensor: pass batches that hold something")
    if not output.isfinite().all():
        raise ValueError(
            "the model returns infinities or NaN in float already: look at the inputs first"
        )


def flat_outputs(model: nn.Module, batches: list[Any], call: Call) -> Tensor:
    """Return all numbers that the model puts out for the batches, one after the other.

    >>> flat_outputs(nn.Identity(), [torch.ones(2, 2), torch.zeros(1, 3)], first_of)
    tensor([1., 1., 1., 1., 0., 0., 0.])
    """
    with torch.no_grad():
        outputs = [call(model, batch) for batch in batches]
    for output in outputs:
        check_output(output)
    return torch.cat([output.to(torch.float32).flatten() for output in outputs])
