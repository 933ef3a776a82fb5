"""The scale of a group against qlearn's, where numbers are ordinary, tiny, or all 0."""

from __future__ import annotations

from pathlib import Path

import torch

from qlearn import quantize_groups
from qlearn.course import normal
from qlearn.course.widgets.shared.figure import SHARED
from tests.course.widgets.figures import call, with_other

MODULE = SHARED / "groups.js"
DRAW = torch.Generator().manual_seed(0)
LARGEST = torch.cat([normal(60, generator=DRAW).abs(), torch.tensor([0.0, 1e-39, 3e-38, 1e30])])


def scales_that_differ(node: str, module: Path) -> int:
    """Return how many groups get another scale than from quantize_groups, or another range."""
    differing = 0
    for bits in (2, 3, 4, 8):
        wanted = quantize_groups(-LARGEST, bits=bits, group_size=1).scales.tolist()
        found = call(node, module, [["groupQParams", value, bits] for value in LARGEST.tolist()])
        ends = {"zeroPoint": 0, "quantMin": -(2 ** (bits - 1)), "quantMax": 2 ** (bits - 1) - 1}
        differing += sum(
            got != {"scale": scale, **ends} for got, scale in zip(found, wanted, strict=True)
        )
    return differing


def test_scales_are_those_of_quantize_groups(node: str) -> None:
    assert scales_that_differ(node, MODULE) == 0


def test_a_scale_to_the_last_code_is_seen(node: str, tmp_path: Path) -> None:
    other = """(largest, bits) => {
      const found = right.groupQParams(largest, bits);
      return { ...found, scale: Math.fround(largest / found.quantMax) };
    }"""
    assert scales_that_differ(node, with_other(tmp_path, MODULE, "groupQParams", other)) > 200
