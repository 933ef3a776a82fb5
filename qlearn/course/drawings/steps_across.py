"""The steps of two ways side by side: where each old step went, and what comes out the same."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from qlearn.course.drawings.svg import CODE, REAL, Drawing, line, text

LEFT, RIGHT = (0.0, 34.0), (66.0, 100.0)  # percent: the boxes of the two ways
TOP, ROW, HIGH = 30, 52, 28  # pixels: first box, from box to box, box

Link = tuple[str, str]


def steps_across(
    old: Sequence[str],
    new: Sequence[str],
    *,
    equal: Sequence[Link],
    other: Sequence[Link],
    notes: Mapping[str, str] | None = None,
) -> Drawing:
    """Draw two columns of steps, with a line from each old one to the new one that takes over.

    Args:
        old: the steps of the old way, from top to bottom.
        new: those of the new way.
        equal: pairs of an old and a new step between which the numbers are the same in every bit.
        other: pairs between which something changes.
        notes: a few words below a new step.

    Raises:
        ValueError: a pair or a note names no step, or an old step is in no pair.

    >>> steps_across(["fuse", "convert"], ["convert"], equal=[("fuse", "convert")],
    ...              other=[("convert", "convert")])
    Drawing: fuse becomes convert, equal in every bit; convert becomes convert, with changes.
    """
    _check_names(old, new, [*equal, *other], notes or {})
    links = sorted([*equal, *other], key=lambda link: old.index(link[0]))
    parts = [
        text(sum(LEFT) / 2, 16, "torch.ao", bold=True),
        text(sum(RIGHT) / 2, 16, "torchao, PT2E", bold=True),
    ]
    for steps, ends in ((old, LEFT), (new, RIGHT)):
        for row, name in enumerate(steps):
            parts += _box(name, ends, TOP + ROW * row)
    for step, words in (notes or {}).items():
        below = TOP + ROW * list(new).index(step) + HIGH + 13
        parts.append(text(sum(RIGHT) / 2, below, words, size=11))
    for pair in links:
        start, end = _middle(old.index(pair[0])), _middle(new.index(pair[1]))
        ink, width = (CODE, 4.0) if pair in equal else (REAL, 1.5)
        parts.append(line((LEFT[1], start), (RIGHT[0], end), ink, width=width))
    foot = TOP + ROW * max(len(old), len(new))
    parts.append(text(0, foot + 6, "blue: equal in every bit", anchor="start", size=11))
    parts.append(text(0, foot + 22, "grey: something changes", anchor="start", size=11))
    said = [
        f"{a} becomes {b}, " + ("equal in every bit" if (a, b) in equal else "with changes")
        for a, b in links
    ]
    said += [f"{step}: {words}" for step, words in (notes or {}).items()]
    return Drawing("; ".join(said) + ".", tuple(parts), foot + 28)


def _check_names(
    old: Sequence[str], new: Sequence[str], links: Sequence[Link], notes: Iterable[str]
) -> None:
    """Raise unless pairs and notes name steps, and each old step is in a pair."""
    for before, after in links:
        if before not in old or after not in new:
            raise ValueError(f"{before} → {after}: each is to be a step of its column")
    if lost := [step for step in notes if step not in new]:
        raise ValueError(f"{', '.join(lost)}: a note belongs to a new step")
    if left := [step for step in old if step not in dict(links)]:
        raise ValueError(f"{', '.join(left)} went nowhere: give each old step a pair")


def _middle(row: int) -> float:
    return TOP + ROW * row + HIGH / 2


def _box(name: str, ends: tuple[float, float], y: int) -> list[str]:
    box = (
        f'<rect x="{ends[0]:g}%" y="{y}" width="{ends[1] - ends[0]:g}%" height="{HIGH}" rx="4" '
        f'fill="none" stroke="{REAL}" stroke-width="1.5"/>'
    )
    return [box, text(sum(ends) / 2, y + 18, name)]
