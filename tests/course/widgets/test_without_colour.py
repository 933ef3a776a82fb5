"""Series of a picture are told apart by their form, as on paper in black and white."""

from __future__ import annotations

import re
from itertools import combinations
from typing import NamedTuple

import pytest

from qlearn.course.widgets.shared.figure import Figure
from tests.course.widgets.examples import EXAMPLES
from tests.course.widgets.figures import markup

REAL, CODE, LOST, TEXT = "var(--qb-real)", "var(--qb-code)", "var(--qb-lost)", "currentColor"
COLOUR = re.compile(r'(fill|stroke)="(?!none|transparent|Canvas")([^"]*)"')
PLACE = re.compile(r' (x|y|cx|cy|width|height|d|fill-opacity|stroke-opacity)="[^"]*"')


class Series(NamedTuple):
    """What one picture of a widget draws with one kind of shape, each series in its own ink."""

    widget: str
    picture: int
    tag: str
    inks: tuple[str, ...]


ALL = [
    Series("OldAndNew", 0, "rect", (REAL, CODE)),
    Series("GPTQSteps", 0, "circle", (REAL, CODE)),
    Series("GPTQSteps", 0, "circle", (REAL, TEXT)),
    Series("GPTQSteps", 1, "circle", (REAL, CODE)),
    Series("GPTQSteps", 1, "path", (REAL, CODE)),
    Series("OutlierChannel", 0, "rect", (REAL, CODE)),
    Series("QuantizedMatrix", 0, "path", (REAL, CODE)),
    Series("ObserverStream", 0, "path", (REAL, CODE, TEXT)),
    Series("ObserverStream", 0, "circle", (LOST, TEXT)),
]
named = pytest.mark.parametrize("series", ALL, ids=lambda each: f"{each.widget} {each.tag}")


def shapes(node: str, series: Series) -> list[str]:
    """Return the tags of the picture's shapes."""
    widget: Figure = EXAMPLES[series.widget]()
    entry = widget.entry()
    assert entry, f"{series.widget} has no view in JavaScript"
    (drawn,) = markup(node, entry, widget.state())
    picture = drawn.split('class="qb-stage"')[1 + series.picture]
    return re.findall(f"<{series.tag} [^>]*>", picture)


def in_one_colour(shape: str) -> str:
    """Return how a shape is drawn: without its place, and with one word for all colours."""
    return COLOUR.sub(r'\1="ink"', PLACE.sub("", shape))


def alike(found: list[str], inks: tuple[str, ...]) -> set[str]:
    """Return the forms that shapes of two inks have in common."""
    forms = [{in_one_colour(shape) for shape in found if f'"{ink}"' in shape} for ink in inks]
    assert all(forms), f"there is nothing in one of the inks {inks}"
    return set().union(*(one & other for one, other in combinations(forms, 2)))


@named
def test_each_series_has_its_own_form(node: str, series: Series) -> None:
    assert alike(shapes(node, series), series.inks) == set()


@named
def test_series_of_which_only_the_ink_differs_are_seen(node: str, series: Series) -> None:
    inks = [ink for shape in shapes(node, series) for _, ink in COLOUR.findall(shape)]
    only_filled = [f'<{series.tag} x="{i}%" fill="{ink}">' for i, ink in enumerate(inks)]
    assert alike(only_filled, series.inks) == {f'<{series.tag} fill="ink">'}
