"""The marks of a ruler: where they lie, by torch's own dequantizing, and which have room."""

from __future__ import annotations

import pytest
import torch

from qlearn import QParams
from qlearn.course.drawings.marks import check_room, check_room_of, marks, places

RULER = QParams(0.25, 1, -8, 7, torch.int8)


def test_a_mark_lies_where_torch_brings_its_code_back() -> None:
    codes = torch.arange(-8, 8).to(torch.int8)
    theirs = torch._make_per_tensor_quantized_tensor(codes, 0.25, 1).dequantize()
    assert marks(RULER) == theirs.tolist()


def test_all_numbers_and_marks_lie_inside() -> None:
    place = places([-5.0, 1.0], RULER)
    assert place(-5.0 - 0.125) == 0
    assert place(1.5 + 0.125) == 100


def test_a_ruler_without_room_is_refused() -> None:
    check_room(RULER, 16)
    with pytest.raises(ValueError, match="codes -8 … 7 with axis None make no single ruler"):
        check_room(RULER, 15)
    with pytest.raises(ValueError, match="ruler 'long' has codes -8 … 7 and axis None: draw at"):
        check_room_of("long", RULER, 15)
