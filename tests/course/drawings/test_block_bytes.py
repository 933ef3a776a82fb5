"""The bytes of a block: each in its place, under the name of its part."""

from __future__ import annotations

import pytest

from qlearn.course.drawings.block_bytes import Part, block_bytes
from tests.course.drawings.drawn import svg_of

Q4_K = [Part("d", 2, True), Part("dmin", 2, True), Part("scales", 12), Part("codes", 128)]


def test_bytes_follow_each_other_in_lines_of_sixteen() -> None:
    svg = svg_of(block_bytes(bytes(range(144)), Q4_K))
    boxes = list(svg.iter("rect"))
    assert len(boxes) == 144
    assert len({box.get("y") for box in boxes}) == 1 + 8
    assert sum(box.get("fill") == "none" for box in boxes) == 4
    words = [each.text for each in svg.iter("text")]
    assert [word for word in words if word in {"d", "dmin", "scales", "codes"}] == [
        part.name for part in Q4_K
    ]
    assert [word for word in words if word and len(word) == 2] == [f"{i:02x}" for i in range(144)]


def test_its_words_say_the_parts() -> None:
    drawing = block_bytes(bytes(18), [Part("d", 2, True), Part("32 codes", 16)])
    assert drawing.label == "18 bytes: d, 2 bytes; 32 codes, 16 bytes."


def test_parts_of_another_length_are_refused() -> None:
    with pytest.raises(ValueError, match="the parts have 144 bytes, and the data 143"):
        block_bytes(bytes(143), Q4_K)
