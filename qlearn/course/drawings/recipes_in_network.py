"""The drawing of a QConfig: its two recipes, and the observers that they make in a network."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from qlearn.course.drawings.svg import REAL, TEXT, Drawing, dot, line, text

RECIPES, CHAIN, HEIGHT = 26, 214, 274  # pixels from the top: boxes of recipes, the network
START, END, EYE = 0.03, 0.67, 0.85  # of a layer's share of the width: its box, an eye behind it
LETTERS = "aw"


class Place(NamedTuple):
    """A module of a prepared network: are its outputs observed, and has it weights to observe?"""

    name: str
    outputs: bool
    weights: bool


def recipes_in_network(
    recipes: Mapping[str, Sequence[str]], network: Sequence[Place], when: Sequence[str]
) -> Drawing:
    """Draw the recipes for activations and for weights, and below where their observers sit.

    Args:
        recipes: the two names, and for each the lines that say what it makes.
        network: the modules in their order.
        when: when the observers of each recipe look.

    Raises:
        ValueError: there are not two recipes, or no modules.

    >>> two = {"activation": ["MinMax"], "weight": ["PerChannel"]}
    >>> recipes_in_network(two, [Place("fc", True, True)], ["early", "late"])
    Drawing: activation: MinMax; weight: PerChannel. fc: outputs and weights observed.
    """
    if (len(recipes), len(when)) != (2, 2) or not network:
        raise ValueError("give two recipes, when each looks, and at least one module")
    parts = [text(0, 14, "QConfig: two recipes", anchor="start", bold=True)]
    for number, (name, lines) in enumerate(recipes.items()):
        parts += _recipe(LETTERS[number], name, lines, 52.0 * number)
    title = "in the network: an observer for each place"
    parts.append(text(0, 116, title, anchor="start", bold=True))
    share = 100 / len(network)
    for number, place in enumerate(network):
        parts += _module(place, number * share, share)
    for number, words in enumerate(when):
        said = f"{LETTERS[number]}: {words}"
        parts.append(text(0, CHAIN + 36 + 16 * number, said, anchor="start"))
    held = "; ".join(f"{name}: {', '.join(lines)}" for name, lines in recipes.items())
    found = "; ".join(f"{place.name}: {_observed(place)}" for place in network)
    return Drawing(f"{held}. {found}.", tuple(parts), HEIGHT)


def _observed(place: Place) -> str:
    what = [name for name in ("outputs", "weights") if getattr(place, name)]
    return " and ".join(what) + " observed" if what else "not observed"


def _eye(x: float, y: float, letter: str) -> Iterator[str]:
    """Yield an observer, with the letter of its recipe beside it."""
    yield dot(x, y, TEXT, filled=False, radius=8)
    yield dot(x, y, TEXT, radius=3)
    yield text(x, y - 12, letter, bold=True)


def _box(x: float, y: float, wide: float, high: float) -> str:
    """Return an outline, as float32 is drawn: a prepared network has no codes yet."""
    return (
        f'<rect x="{x:.2f}%" y="{y:.0f}" width="{wide:.2f}%" height="{high:.0f}" rx="4" '
        f'fill="none" stroke="{REAL}" stroke-width="1.5"/>'
    )


def _recipe(letter: str, name: str, lines: Sequence[str], x: float) -> Iterator[str]:
    yield _box(x, RECIPES, 48, 24 + 16 * len(lines))
    yield text(x + 24, RECIPES + 18, f"{letter}: {name}", bold=True)
    for number, words in enumerate(lines):
        yield text(x + 24, RECIPES + 34 + 16 * number, words, size=11)


def _module(place: Place, first: float, share: float) -> Iterator[str]:
    """Yield a module, its weights above it, and its outputs behind it."""
    start, end, behind = (first + part * share for part in (START, END, EYE))
    middle = (start + end) / 2
    yield line((first, CHAIN), (start, CHAIN), REAL, width=2)
    yield _box(start, CHAIN - 15, end - start, 30)
    yield text(middle, CHAIN + 4, place.name)
    yield line((end, CHAIN), (first + share, CHAIN), REAL, width=2)
    if place.weights:
        yield from _eye(middle, CHAIN - 62, LETTERS[1])
        yield line((middle, CHAIN - 54), (middle, CHAIN - 15), REAL, dashed=True)
    if place.outputs:
        yield from _eye(behind, CHAIN - 24, LETTERS[0])
        yield line((behind, CHAIN - 16), (behind, CHAIN), REAL, dashed=True)
