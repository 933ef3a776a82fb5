"""The figures of the chapters; each draws what its arguments say and prints nothing."""

from __future__ import annotations

import matplotlib.pyplot as plt
import torch
from jaxtyping import Float32
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from torch import Tensor

from qlearn.numbers.qparams import QParams
from qlearn.numbers.quantize import dequantize, quantize

INK = "#24292f"
BLUE = "#0a58ca"
RED = "#b3261e"
GREY = "#6b7480"


def new_axes(height: float = 3.2, rows: int = 1) -> tuple[Figure, list[Axes]]:
    """Return a figure 7 inches wide with ``rows`` axes one above the other, without a box."""
    figure, grid = plt.subplots(rows, 1, figsize=(7, height), squeeze=False, layout="constrained")
    axes = list(grid[:, 0])
    for ax in axes:
        ax.spines[["top", "right"]].set_visible(False)
    return figure, axes


def staircase(qparams: QParams, *, low: float, high: float) -> Figure:
    """Draw what comes back, ``dequantize(quantize(x))``, for each x from low to high."""
    figure, (ax,) = new_axes()
    x = torch.linspace(low, high, 2001)
    ax.plot([low, high], [low, high], color=GREY, linewidth=1, linestyle=":", label="no error")
    ax.plot(x, dequantize(quantize(x, qparams), qparams), color=BLUE, label="what comes back")
    first, last = covered_range(qparams)
    for end in (first, last):
        ax.axvline(end, color=RED, linewidth=0.8)
    ax.axvspan(low, first, color=RED, alpha=0.08, label="clipped")
    ax.axvspan(last, high, color=RED, alpha=0.08)
    ax.set(xlabel="x", ylabel="x̂", xlim=(low, high))
    ax.legend(frameon=False)
    return figure


def error_bars(groups: list[str], series: dict[str, list[float]], *, ylabel: str) -> Figure:
    """Draw one group of bars for each name in ``groups``, one bar in it for each series.

    Raises:
        ValueError: there are more series than colours that can be told apart.
    """
    colors = (GREY, BLUE, RED, INK)
    if len(series) > len(colors):
        raise ValueError(
            f"{len(series)} series are more than the {len(colors)} that a reader can "
            "tell apart: draw two figures"
        )
    figure, (ax,) = new_axes()
    width = 0.8 / len(series)
    for i, ((name, heights), color) in enumerate(zip(series.items(), colors, strict=False)):
        positions = [group + (i - (len(series) - 1) / 2) * width for group in range(len(groups))]
        ax.bar(positions, heights, width * 0.92, color=color, label=name)
    ax.set_xticks(range(len(groups)), groups)
    ax.set_ylabel(ylabel)
    ax.legend(frameon=False, loc="lower left", bbox_to_anchor=(0, 1), ncols=len(series))
    return figure


def error_histograms(errors: dict[str, Float32[Tensor, "..."]], *, bins: int = 50) -> Figure:
    """Draw one histogram for each entry, of errors in units of a step, from −½ to ½."""
    figure, axes = new_axes(height=1.25 * len(errors) + 0.5, rows=len(errors))
    for ax, (name, values) in zip(axes, errors.items(), strict=True):
        ax.hist(values.flatten(), bins=bins, range=(-0.5, 0.5), density=True, color=BLUE)
        ax.axhline(1, color=INK, linewidth=1, linestyle=":")
        ax.set(xlim=(-0.5, 0.5), ylabel="density")
        ax.set_title(name, loc="left", fontsize="medium")
    axes[-1].set_xlabel("error, in steps")
    return figure


def curves(
    lines: dict[str, list[tuple[float, float]]],
    *,
    xlabel: str,
    ylabel: str,
    points: dict[str, list[tuple[float, float]]] | None = None,
    logarithmic: bool = False,
) -> Figure:
    """Draw a line for each entry, and ``points`` in the colour of the line of the same name.

    Raises:
        ValueError: there are more lines than styles that can be told apart, or points of a name
            that no line has.
    """
    styles = ((BLUE, "--"), (RED, ":"), (INK, "-"), (GREY, "-."))
    if len(lines) > len(styles):
        raise ValueError(
            f"{len(lines)} lines are more than the {len(styles)} that a reader can "
            "tell apart: draw two figures"
        )
    if unknown := set(points or {}) - set(lines):
        raise ValueError(
            f"points are given for {sorted(unknown)}, but no line has that name: name a line"
        )
    figure, (ax,) = new_axes()
    for (name, line), (color, style) in zip(lines.items(), styles, strict=False):
        ax.plot(*zip(*line, strict=True), style, color=color, label=name)
        if points and name in points:
            ax.plot(*zip(*points[name], strict=True), "o", color=color)
    ax.set(xlabel=xlabel, ylabel=ylabel, yscale="log" if logarithmic else "linear")
    ax.legend(frameon=False, loc="lower left", bbox_to_anchor=(0, 1), ncols=len(lines))
    return figure


def covered_range(qparams: QParams) -> tuple[float, float]:
    """Return the numbers that the first and the last code of a per-tensor grid stand for."""
    ends = torch.tensor([qparams.quant_min, qparams.quant_max], dtype=qparams.dtype)
    first, last = dequantize(ends, qparams).tolist()
    return first, last
