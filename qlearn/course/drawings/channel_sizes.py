"""How loud each channel is: a line for each, and a mark at one step of int8."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from jaxtyping import Float32
from torch import Tensor

from qlearn.course.drawings.svg import CODE, LOST, REAL, Drawing, line, text

TOP, TALL, ROW = 26, 84, 136  # pixels: the first panel's lines, how long they are, one to the next
STEPS = 127  # from 0 to the largest, with a scale that all channels share
FEW = 8  # steps: channels with fewer are red


def channel_sizes(panels: Mapping[str, Float32[Tensor, "rows channels"]]) -> Drawing:
    """Draw the largest size of each channel, on a scale of its own in each panel.

    The largest channel is 127 steps of int8 long. A channel of fewer than 8 steps is red: of its
    numbers little comes back.

    Raises:
        ValueError: no panel, or one without a number that is not 0.

    >>> import torch
    >>> channel_sizes({"quiet": torch.tensor([[1.0, -2.0]]), "loud": torch.tensor([[1.0, 64.0]])})
    Drawing: quiet: the largest channel is 2, the median 1, and 0 of 2 have fewer than 8 steps. loud: the largest channel is 64, the median 1, and 1 of 2 have fewer than 8 steps.
    """  # noqa: E501
    if not panels:
        raise ValueError("there is nothing to draw: pass a panel at least")
    parts: list[str] = []
    told = []
    for number, (name, rows) in enumerate(panels.items()):
        sizes = rows.abs().amax(0).tolist()
        if max(sizes) == 0:
            raise ValueError(f"{name} holds zeros alone: pass what reaches a layer")
        small = [size < FEW * max(sizes) / STEPS for size in sizes]
        foot = TOP + number * ROW + TALL
        parts.append(text(0, foot - TALL - 12, name, anchor="start", bold=True))
        parts += _lines(sizes, small, foot)
        median = sorted(sizes)[(len(sizes) - 1) // 2]
        words = f"largest {max(sizes):.3g}, median {median:.3g}"
        parts.append(text(0, foot + 18, words, anchor="start"))
        parts.append(text(100, foot + 18, f"{sum(small)} below {FEW} steps", anchor="end"))
        told.append(
            f"{name}: the largest channel is {max(sizes):.3g}, the median {median:.3g}, and "
            f"{sum(small)} of {len(sizes)} have fewer than {FEW} steps."
        )
    return Drawing(" ".join(told), tuple(parts), TOP + ROW * (len(panels) - 1) + TALL + 26)


def _lines(sizes: list[float], small: list[bool], foot: int) -> Iterator[str]:
    """Yield a line for each channel, and the floor on which they stand."""
    step = 100 / len(sizes)
    yield line((0, foot), (100, foot), REAL, width=1)
    for channel, (size, red) in enumerate(zip(sizes, small, strict=True)):
        x = (channel + 0.5) * step
        # In whole pixels: a hundredth may show last bits, which depend on the processor.
        tall = max(1.5, round(TALL * size / max(sizes)))
        yield line((x, foot), (x, foot - tall), LOST if red else CODE, width=2)
