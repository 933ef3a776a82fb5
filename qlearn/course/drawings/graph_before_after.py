"""A network's graph before and after its static quantization: where codes pass, where floats."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from torch import fx

from qlearn.course.drawings.svg import CODE, REAL, Drawing, dot, line, text

LEFT, RIGHT = (0.0, 34.0), (52.0, 86.0)  # percent: the boxes of the two graphs
TOP, ROW, HIGH = 74, 50, 26  # pixels: first box, from box to box, box


class Step(NamedTuple):
    """An operator of a graph: its name, the scale of the codes it gets, and its weight's form."""

    name: str
    scale: float | None  # None: it gets floats
    int8_weight: bool


def graph_before_after(before: fx.GraphModule, after: fx.GraphModule) -> Drawing:
    """Draw the operators of an exported graph, and beside them those of the converted one.

    Args:
        before: what ``torch.export`` made of a chain of layers.
        after: what ``convert_pt2e`` made of that.
    """
    pairs = paired(steps(before), steps(after))
    parts = [
        text(sum(LEFT) / 2, 18, "before", bold=True),
        text(sum(RIGHT) / 2, 18, "after", bold=True),
        text(sum(LEFT) / 2, 40, "image"),
        text(sum(RIGHT) / 2, 40, "image"),
    ]
    for number, (old, new) in enumerate(pairs):
        y = TOP + ROW * number
        parts += _step(old, LEFT, y, y - ROW + HIGH if number else 46)
        if new:
            parts += _step(new, RIGHT, y, _end_of_last(pairs, number))
        else:
            parts.append(text(sum(RIGHT) / 2 + 8, y + 17, "folded", anchor="start", size=11))
    foot = TOP + ROW * len(pairs)
    parts += _foot(foot)
    return Drawing(" ".join(_said(pairs)), tuple(parts), foot + 62)


def steps(graph: fx.GraphModule) -> list[Step]:
    """Return the operators of a graph, without those that quantize and dequantize."""
    found = []
    for node in graph.graph.nodes:
        name = str(node.target).removeprefix("aten.").partition(".")[0]
        if node.op != "call_function" or not str(node.target).startswith("aten."):
            continue
        if name.startswith("sym_"):
            continue
        data, *others = node.args
        scale = float(data.args[1]) if _dequantizes(data, "tensor") else None
        found.append(Step(name, scale, any(_dequantizes(other, "channel") for other in others)))
    return found


def paired(before: list[Step], after: list[Step]) -> list[tuple[Step, Step | None]]:
    """Put each operator beside the one that it became; None where it was folded.

    >>> one, norm = Step("conv2d", None, False), Step("batch_norm", None, False)
    >>> [new for _, new in paired([one, norm], [one])]
    [Step(name='conv2d', scale=None, int8_weight=False), None]
    """
    left, pairs = list(after), []
    for step in before:
        same = bool(left) and left[0].name == step.name
        pairs.append((step, left.pop(0) if same else None))
    return pairs


def _dequantizes(value: object, per: str) -> bool:
    return isinstance(value, fx.Node) and f"dequantize_per_{per}" in str(value.target)


def _end_of_last(pairs: list[tuple[Step, Step | None]], number: int) -> int:
    """Return the foot of the last box above, in pixels."""
    above = [row for row in range(number) if pairs[row][1]]
    return TOP + ROW * above[-1] + HIGH if above else 46


def _step(step: Step, ends: tuple[float, float], y: int, start: int) -> Iterator[str]:
    """Yield a box, and the line that comes into it: blue and with its scale where it has codes."""
    middle = sum(ends) / 2
    coded = step.scale is not None
    yield line((middle, start), (middle, y), CODE if coded else REAL, width=4 if coded else 1.5)
    if step.scale is not None:
        yield dot(middle, y - 12, CODE, radius=5)
        yield text(middle + 3, y - 8, f"uint8, step {step.scale:.4f}", anchor="start", size=11)
    paint = f'fill="{CODE}" fill-opacity="0.25"' if step.int8_weight else 'fill="none"'
    yield (
        f'<rect x="{ends[0]:g}%" y="{y}" width="{ends[1] - ends[0]:g}%" height="{HIGH}" rx="4" '
        f'{paint} stroke="{CODE if step.int8_weight else REAL}" stroke-width="1.5"/>'
    )
    yield text(middle, y + 17, step.name)


def _foot(y: int) -> Iterator[str]:
    for ends in (LEFT, RIGHT):
        middle = sum(ends) / 2
        yield line((middle, y - ROW + HIGH), (middle, y - 10), REAL)
        yield text(middle, y + 4, "logits")
    yield text(0, y + 34, "blue line: codes · grey line: floats", anchor="start", size=11)
    yield text(0, y + 50, "filled box: its weight is int8", anchor="start", size=11)


def _said(pairs: list[tuple[Step, Step | None]]) -> Iterator[str]:
    yield f"Before: {', '.join(old.name for old, _ in pairs)}, all in float."
    said = []
    for _, new in pairs:
        if new:
            codes = "" if new.scale is None else f" on codes of step {new.scale:.4f}"
            said.append(f"{new.name}{codes}{', int8 weight' if new.int8_weight else ''}")
    yield f"After: {'; '.join(said)}."
    folded = sum(new is None for _, new in pairs)
    if folded:
        yield f"Folded away: {folded}."
