"""Blocks and their scales: a bracket and a scale for each, and every number in one of them."""

from __future__ import annotations

import re

import pytest

from qlearn.course.drawings.shared_scales import Scales, shared_scales

LAYOUTS = {
    "one": Scales(64, "float32", 8),
    "MXFP8": Scales(32, "power of two", 8.25),
    "NVFP4": Scales(16, "E4M3", 4.5),
}


def test_each_block_has_its_scale() -> None:
    drawn = "\n".join(shared_scales(64, LAYOUTS).parts)
    assert [drawn.count(f">{kind}<") for _, kind, _ in LAYOUTS.values()] == [1, 2, 4]
    assert drawn.count("<rect") == 3 * 64


def test_a_bracket_spans_its_block() -> None:
    parts = shared_scales(64, {"NVFP4": LAYOUTS["NVFP4"]}).parts
    found = [re.search(r'x1="([\d.]+)%" y1="([\d.]+)" x2="([\d.]+)%" y2="\2"', p) for p in parts]
    spans = [(float(m[1]), float(m[3])) for m in found if m]
    assert spans == [pytest.approx((25 * i + 0.4, 25 * i + 24.6)) for i in range(4)]


def test_a_scale_of_eight_bits_costs_its_share() -> None:
    for name, bits in (("MXFP8", 8), ("NVFP4", 4)):
        assert LAYOUTS[name].bits == bits + 8 / LAYOUTS[name].block


def test_its_words_say_the_same() -> None:
    assert shared_scales(64, LAYOUTS).label == (
        "one: 8 bits a number; a single scale: float32. "
        "MXFP8: 8.25 bits a number; 2 blocks of 32 numbers, each with a scale: power of two. "
        "NVFP4: 4.5 bits a number; 4 blocks of 16 numbers, each with a scale: E4M3."
    )


@pytest.mark.parametrize("block", [0, 24])
def test_blocks_that_do_not_fill_the_row_are_refused(block: int) -> None:
    with pytest.raises(ValueError, match="do not fill 64 numbers"):
        shared_scales(64, {"odd": Scales(block, "float32", 8)})
