"""The twins of what loud channels are met with: smooth scales, Hadamard's matrix, int8 codes."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import Tensor

from qlearn import hadamard, smooth_scales
from qlearn.course import normal
from qlearn.course.widgets.shared.figure import SHARED
from qlearn.language.llm_int8 import vectorwise
from tests.course.widgets.figures import call, with_other

MODULE = SHARED / "loud_channels.js"
DRAW = torch.Generator().manual_seed(0)
X, WEIGHT = normal(6, 8, generator=DRAW), normal(4, 8, generator=DRAW)
X[:, 3] *= 100
X[:, 5] = 0
ROWS = [*normal(300, 16, generator=DRAW), torch.zeros(16), torch.full((16,), -1e-30)]


def codes_that_differ(node: str, module: Path) -> int:
    """Return how many rows get other codes than linear_llm_int8 gives them."""
    found = call(node, module, [["vectorwise", row.tolist()] for row in ROWS])
    codes, largest = vectorwise(torch.stack(ROWS))
    meant = codes.double() * largest.double() / 127
    pairs = zip(found, codes.tolist(), meant.tolist(), strict=True)
    return sum(got["codes"] != c or got["meant"] != pytest.approx(m) for got, c, m in pairs)


def test_codes_are_those_of_qlearn(node: str) -> None:
    assert codes_that_differ(node, MODULE) == 0


def test_a_scale_to_the_code_128_is_seen(node: str, tmp_path: Path) -> None:
    other = """(row) => {
      const step = 128 / Math.max(...row.map(Math.abs));
      return { ...right.vectorwise(row), codes: row.map((v) => Math.round(v * step)) };
    }"""
    assert codes_that_differ(node, with_other(tmp_path, MODULE, "vectorwise", other)) > 200


def test_a_scale_may_be_shared(node: str) -> None:
    alone, shared = call(node, MODULE, [["vectorwise", [1, -2]], ["vectorwise", [1, -2], 4]])
    assert (alone["codes"], shared["codes"]) == ([64, -127], [32, -64])


@pytest.mark.parametrize("alpha", [0.0, 0.3, 0.5, 1.0])
def test_smooth_scales_are_those_of_qlearn(node: str, alpha: float) -> None:
    (found,) = call(node, MODULE, [["smoothScales", X.tolist(), WEIGHT.tolist(), alpha]])
    wanted = smooth_scales(WEIGHT, X, alpha=alpha)
    # Powers of float32 numbers differ from one machine to another, by a last bit.
    torch.testing.assert_close(torch.tensor(found), wanted, rtol=1e-6, atol=0)


@pytest.mark.parametrize("size", [1, 2, 8, 32])
def test_the_rotation_is_hadamards(node: str, size: int) -> None:
    given = torch.cat([torch.eye(size), normal(3, size, generator=DRAW)])
    (found,) = call(node, MODULE, [["rotated", given.tolist()]])
    back: Tensor = torch.tensor(found)
    assert torch.equal(back[:size], hadamard(size))
    torch.testing.assert_close(back[size:], given[size:] @ hadamard(size), rtol=1e-6, atol=1e-6)
