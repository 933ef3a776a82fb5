"""Numbers in print, as the widgets write them."""

from __future__ import annotations

import pytest

from qlearn.course.widgets.shared.figure import SHARED
from tests.course.widgets.figures import call

PRINT = SHARED / "print.js"


@pytest.mark.parametrize(
    ("name", "number", "printed"),
    [
        ("grouped", 999, "999"),
        ("grouped", -19_522_080, "−19,522,080"),
        ("grouped", 0.369, "0.369"),
        ("grouped", -0.0, "0"),
        ("bytes", 999, "999 bytes"),
        ("bytes", 1000, "1.00 kB"),
        ("bytes", 394_240, "394 kB"),
        ("bytes", 999_499, "999 kB"),
        ("bytes", 999_500, "1.00 MB"),
        ("bytes", 999_499_999, "999 MB"),
        ("bytes", 137_438_953_472, "137 GB"),
    ],
)
def test_a_number_is_printed(node: str, name: str, number: float, printed: str) -> None:
    assert call(node, PRINT, [[name, number]]) == [printed]
