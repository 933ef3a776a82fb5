"""Where rotations stand in a layer: as the rotated model has them."""

from __future__ import annotations

from qlearn.course.drawings.rotated_layer import ROWS, rotated_layer
from qlearn.course.drawings.svg import CODE, LOST
from qlearn.language.norms import READERS
from qlearn.language.rotate import WRITERS
from tests.course.drawings.drawn import svg_of


def test_rotations_are_those_of_the_model() -> None:
    readers = [
        name for row in ROWS for part in row if part.before == "H" for name in part.name.split(", ")
    ]
    writers = [part.name for row in ROWS for part in row if part.behind]
    assert readers == [
        n.rpartition(".")[2][0] if "self" in n else n.split(".")[1][:-5]
        for names in READERS.values()
        for n in names
    ]
    assert [f"{name}_proj" for name in writers] == [name.rpartition(".")[2] for name in WRITERS]


def test_one_of_them_is_red() -> None:
    svg = svg_of(rotated_layer())
    inks = [disc.get("fill") for disc in svg.iter("circle")]
    assert (inks.count(CODE), inks.count(LOST)) == (4, 1)
    assert [each.text for each in svg.iter("text")].count("H") == 5
