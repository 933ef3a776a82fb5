"""What a page can store of float32 tensors, and what comes back."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
import torch
from torch import Tensor

from qlearn.course.widgets.shared.figure import SHARED
from qlearn.course.widgets.shared.values import loaded, stored
from tests.course.widgets.figures import call, with_other


def test_values_are_stored_row_by_row_as_little_endian_float32() -> None:
    x = torch.tensor([[1.0, 2.5, -0.0], [math.pi, 1e-40, 3.0]]).t()
    assert stored(x=x[0], y=x[1, :1]) == bytes.fromhex("0000803f db0f4940 00002040")
    assert torch.equal(loaded(stored(x=x)), x.flatten())


@pytest.mark.parametrize(
    ("x", "error", "message"),
    [
        (torch.zeros(0), ValueError, "x and y have 0 and 1 values, but .* takes 1 to 10,000"),
        (torch.zeros(100, 100), ValueError, "x and y have 10000 and 1 values"),
        (torch.tensor([1.0, math.inf, -math.inf]), ValueError, "x holds 2 values .*leave them out"),
        (torch.tensor([math.nan]), ValueError, "x holds 1 values that are infinite, NaN"),
        (torch.tensor([1.1e30]), ValueError, r"beyond 1e\+30"),
        (torch.zeros(2, dtype=torch.float64), TypeError, "x has dtype torch.float64"),
    ],
    ids=["none", "too many", "infinities", "NaN", "too large", "float64"],
)
def test_what_no_page_can_show_is_refused(x: Tensor, error: type, message: str) -> None:
    with pytest.raises(error, match=message):
        stored(x=x, y=torch.zeros(1))


def test_as_many_as_there_is_room_for_are_taken() -> None:
    assert len(stored(x=torch.full((9_999,), 1e30), y=torch.zeros(1))) == 40_000


def test_the_latest_is_computed_once_for_the_same_objects(node: str, tmp_path: Path) -> None:
    counted = """() => {
      const calls = [];
      const sum = right.latest((a, b) => calls.push([...a, b]) && a[0] + b);
      const [one, same] = [[1], [1]];
      const found = [sum(one, 2), sum(one, 2), sum(same, 2), sum(same, 3), sum(one, 2)];
      return [found, calls.length];
    }"""
    module = with_other(tmp_path, SHARED / "values.js", "counted", counted)
    assert call(node, module, [["counted"]]) == [[[3, 3, 3, 4, 3], 4]]


@pytest.mark.parametrize(
    ("domain", "wanted", "ticks"),
    [
        ([-4.1, 4.9], 9, [-4, -3, -2, -1, 0, 1, 2, 3, 4]),
        ([-4.1, 4.9], 4, [-4, -2, 0, 2, 4]),  # a step of 5 has one alone
        ([0.31, 0.39], 4, [0.32, 0.34, 0.36, 0.38]),
        ([-0.9, 0.9], 2, [-0.5, 0, 0.5]),
    ],
)
def test_an_axis_has_two_round_numbers_at_least(
    node: str, domain: list[float], wanted: int, ticks: list[float]
) -> None:
    (found,) = call(node, SHARED / "values.js", [["niceTicks", domain, wanted]])
    assert found == pytest.approx(ticks)
