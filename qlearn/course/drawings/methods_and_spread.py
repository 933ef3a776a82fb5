"""Methods beside each other: what each leaves of the loss of the plainest, and its spread."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from qlearn.course.drawings.svg import CODE, REAL, TEXT, Drawing, dot, line, text

LEFT, RIGHT = 4.0, 90.0  # percent: where nothing is lost, and where the first method is
TOP, ROW, LEGEND = 66, 52, 18  # pixels: the first setting, from one to the next, a legend's line
STYLES = ((REAL, False), (REAL, True), (CODE, False), (CODE, True))

Figures = Mapping[str, Sequence[float]]


def methods_and_spread(exact: float, settings: Mapping[str, Figures]) -> Drawing:
    """Draw for each setting how much of the first method's loss the others leave.

    Args:
        exact: what the float model has; less is better.
        settings: for each its methods, at most four and everywhere the same, each with one figure
            for each calibration text. The loss of the first one is 100 % in each setting.

    Raises:
        ValueError: no setting, methods that differ or are more than four, or a first method that
            loses nothing.

    >>> methods_and_spread(1.4, {"4 bits": {"nearest": [1.5], "GPTQ": [1.41, 1.42, 1.43]}})
    Drawing: The float model has 1.400. 4 bits: nearest 1.500; GPTQ leaves 10 % to 30 % of its loss.
    """
    methods = list(next(iter(settings.values()), {}))
    if not 1 <= len(methods) <= len(STYLES) or any(list(k) != methods for k in settings.values()):
        raise ValueError("each setting needs the same methods, one to four of them")
    top = TOP + LEGEND * ((len(methods) - 1) // 2)
    parts = [*_legend(methods)]
    told = [f"The float model has {exact:.3f}."]
    for number, (name, kind) in enumerate(settings.items()):
        y, all_of_it = top + ROW * number, kind[methods[0]][0] - exact
        if all_of_it <= 0:
            raise ValueError(f"{name}: {methods[0]} loses nothing against {exact}")
        left = {m: [(f - exact) / all_of_it for f in those] for m, those in kind.items()}
        parts += _setting(name, kind[methods[0]][0], list(left.values()), y)
        words = [f"{m} leaves {_span(shares)} of its loss" for m, shares in left.items()][1:]
        told.append(f"{name}: {'; '.join([f'{methods[0]} {kind[methods[0]][0]:.3f}', *words])}.")
    foot = top + ROW * (len(settings) - 1) + 28
    return Drawing(" ".join(told), (*parts, *_axis(methods[0], foot)), foot + 40)


def _place(share: float) -> float:
    """Return where a share of the loss lies, in percent of the width."""
    return LEFT + (RIGHT - LEFT) * share


def _span(shares: Sequence[float]) -> str:
    low, high = f"{100 * min(shares):.0f} %", f"{100 * max(shares):.0f} %"
    return low if low == high else f"{low} to {high}"


def _legend(methods: Sequence[str]) -> Iterator[str]:
    """Yield a dot and a name for each method, two in a line."""
    for number, (method, (ink, filled)) in enumerate(zip(methods, STYLES, strict=False)):
        x, y = 2 + 50 * (number % 2), 12 + LEGEND * (number // 2)
        yield dot(x, y - 4, ink, filled=filled, radius=4)
        yield text(x + 3, y, method, anchor="start")


def _setting(name: str, first: float, left: Sequence[Sequence[float]], y: float) -> Iterator[str]:
    """Yield a line from the float model to the first method, with the dots of all of them."""
    yield text(LEFT, y - 16, name, anchor="start", bold=True)
    yield text(RIGHT, y - 16, f"{first:.3f}", ink=REAL, size=11)
    yield line((LEFT, y), (RIGHT, y), REAL, width=0.75)
    yield line((LEFT, y - 8), (LEFT, y + 8), TEXT, width=2)
    for (ink, filled), shares in zip(STYLES, left, strict=False):
        yield line((_place(min(shares)), y), (_place(max(shares)), y), ink, width=3)
        for share in shares:
            yield dot(_place(share), y, ink, filled=filled, radius=5)


def _axis(first: str, y: float) -> Iterator[str]:
    """Yield the shares under the lines."""
    yield line((LEFT, y), (RIGHT, y), REAL, width=1)
    for share in (0, 0.25, 0.5, 0.75, 1):
        yield line((_place(share), y), (_place(share), y + 5), REAL, width=1)
        yield text(_place(share), y + 18, f"{100 * share:.0f} %", size=11)
    yield text(RIGHT, y + 34, f"of the loss of {first}", anchor="end")
