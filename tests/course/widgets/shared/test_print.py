"""Numbers in print, as the widgets write them."""

from __future__ import annotations

from decimal import Decimal

import pytest
import torch

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
        ("powerOfTwo", 37, "2³⁷"),
        ("powerOfTwo", -2, "2⁻²"),
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


@pytest.mark.parametrize(
    ("number", "printed"),
    [(-0.0004, "0.000"), (-0.0005001, "−0.001"), (-10.0004, "−10.000"), (0.0004, "0.000")],
)
def test_what_rounds_to_0_has_no_sign(node: str, number: float, printed: str) -> None:
    assert call(node, PRINT, [["fixed", number, 3]]) == [printed]


@pytest.mark.parametrize(
    ("given", "printed"),
    [
        ([0, "step"], "0 steps"),
        ([1, "step"], "1 step"),
        ([1000, "step"], "1,000 steps"),
        ([1, "red stretch", "red stretches"], "1 red stretch"),
        ([2, "red stretch", "red stretches"], "2 red stretches"),
    ],
    ids=lambda given: " ".join(map(str, given)) if isinstance(given, list) else "",
)
def test_one_is_no_plural(node: str, given: list, printed: str) -> None:
    assert call(node, PRINT, [["counted", *given]]) == [printed]


def test_a_field_shows_the_shortest_decimal_of_a_float32(node: str) -> None:
    draw = torch.Generator().manual_seed(0)
    numbers = torch.randn(2000, generator=draw) * 10.0 ** torch.arange(-10, 10).repeat(100)
    found = call(node, PRINT, [["shortest", number] for number in numbers.tolist()])
    assert torch.equal(torch.tensor(found), numbers)
    wanted = [digits(str(number)) for number in numbers.numpy()]  # numpy prints as few as it can
    assert [digits(str(number)) for number in found] == wanted


def digits(number: str) -> int:
    """Return how many digits a decimal has, without zeros at its ends."""
    return len(Decimal(number).normalize().as_tuple().digits)
