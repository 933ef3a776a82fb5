"""Codes in bytes: the drawn orders are those of qlearn's pack."""

from __future__ import annotations

import re

import pytest
import torch

from qlearn.course.drawings.packings import halves, packings
from qlearn.formats.packing import pack


@pytest.mark.parametrize(
    ("order", "found"),
    [
        ("onnx", [1, 0, 3, 2, 5, 4, 7, 6]),
        ("bitsandbytes", [0, 1, 2, 3, 4, 5, 6, 7]),
        ("gptq", [1, 0, 3, 2, 5, 4, 7, 6]),
        ("awq", [2, 0, 6, 4, 3, 1, 7, 5]),
    ],
)
def test_halves_are_those_in_memory(order: str, found: list[int]) -> None:
    assert halves(pack(torch.arange(8), 4, order=order)) == found


def test_each_code_falls_into_its_half() -> None:
    order = [2, 0, 6, 4, 3, 1, 7, 5]
    drawn = "".join(packings({"awq": order}).parts)
    ways = re.findall(r'<line x1="([\d.]+)%" y1="56" x2="([\d.]+)%" y2="82"', drawn)
    starts = [float(start) for start, _ in ways]
    assert starts == [12.5 * code + 6.25 for code in order]
    ends = [float(end) for _, end in ways]
    assert ends == sorted(ends) and len(ends) == 8
    below = re.findall(r'y="97" text-anchor="middle" [^>]*>(\d)<', drawn)
    assert [int(code) for code in below] == order


def test_its_words_say_the_pairs() -> None:
    label = packings({"gguf": [16, 0, 17, 1, 18, 2, 19, 3]}).label
    assert label == "gguf: the bytes hold the codes 16 0, 17 1, 18 2, 19 3."


@pytest.mark.parametrize("order", [range(7), [0] * 8])
def test_what_is_no_order_is_refused(order: list[int]) -> None:
    with pytest.raises(ValueError, match="name 8 codes, each once"):
        packings({"odd": order})
