"""The record of measured times as figures; below each stand machine, date and command."""

from __future__ import annotations

from collections.abc import Callable

from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator

from qlearn.course.measured import Column
from qlearn.course.measured_tables import HEADS, WAYS, in_order
from qlearn.course.plain_table import number
from qlearn.course.plots import BLUE, GREY, INK, RED, new_axes

MARKS = dict(zip(WAYS, ("o", "s", "o", "^", "D"), strict=True))
INKS = dict(zip(WAYS, (GREY, BLUE, BLUE, INK, RED), strict=True))
HOLLOW = {"eager", "compiled"}


def speed_dots(column: Column, subject: str, batch: int) -> Figure:
    """Draw a line for each method, and on it a mark for each way to run it.

    Raises:
        ValueError: nothing of this network was measured.
    """
    rows = [row for row in column.measured(subject, batch) if row.method != "float32 again"]
    if not rows:
        raise ValueError(f"{subject!r} with {batch} rows is not in the record of {column.machine}")
    methods = in_order(row.method for row in rows)[::-1]
    figure, (ax,) = new_axes(height=0.36 * len(methods) + 1.2)
    for way in WAYS:
        here = [row for row in rows if row.how == way]
        x, y = [row.speed for row in here], [methods.index(row.method) for row in here]
        face = "none" if way in HOLLOW else INKS[way]
        ax.plot(x, y, MARKS[way], color=INKS[way], markerfacecolor=face, label=HEADS[way])
    ax.axvline(1, color=INK, linewidth=0.8)
    ax.set_yticks(range(len(methods)), methods)
    ax.set(xscale="log", xlabel="speed against float32 eager (1 is equal, right is faster)")
    signed(figure, column)
    label(ax.xaxis)
    ax.grid(axis="x", color=GREY, alpha=0.25)
    ax.legend(frameon=False, loc="lower left", bbox_to_anchor=(-0.05, 1), ncols=len(WAYS),
              fontsize="small", columnspacing=1, handletextpad=0.2)  # fmt: skip
    return figure


def label(axis: Axis) -> None:
    """Have a logarithmic axis say 1, 2, 5, 10, 20 and so on, without exponents."""
    axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter(lambda value, _: number(value))
    axis.set_minor_locator(NullLocator())


def signed(figure: Figure, column: Column) -> None:
    """Write below a figure where its times come from."""
    figure.supxlabel(str(column), fontsize="small", color=GREY)


def two_limits(column: Column, predicted: Callable[[int, str], float]) -> Figure:
    """Draw what limits a layer of 4,096 × 4,096: predicted lines, and the measured float32 times.

    Args:
        column: a machine.
        predicted: gives the ms of a layer for a number of rows and "float32" or "int8".
    """
    figure, (ax,) = new_axes()
    rows = [2 ** (i / 4) for i in range(25)]
    for name, ink, style in (("float32", GREY, "-"), ("int8", BLUE, "--")):
        times = [predicted(count, name) for count in rows]  # type: ignore[arg-type]
        ax.plot(rows, times, style, color=ink, label=f"{name}, predicted")
    counts, times = list(column.tokens), list(column.tokens.values())
    ax.plot(counts, times, "o", color=INK, markerfacecolor="none", label="float32, measured")
    ax.set(xscale="log", yscale="log", xlabel="tokens at once", ylabel="ms a layer")
    ax.set_xticks(counts, [str(count) for count in counts])
    label(ax.yaxis)
    ax.xaxis.set_minor_locator(NullLocator())
    ax.legend(frameon=False)
    signed(figure, column)
    return figure
