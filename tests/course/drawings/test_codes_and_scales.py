"""The rows of a quantized weight: what is written where, which are blue, what it refuses."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest
import torch

from qlearn.course.drawings.codes_and_scales import codes_and_scales
from qlearn.course.drawings.svg import CODE, REAL
from tests.course.drawings.drawn import svg_of

CODES = torch.arange(-20, 10, dtype=torch.int8).view(5, 6)
SCALES = torch.tensor([0.001, 0.002, 0.003, 0.004, 0.005])


def svg() -> ET.Element:
    """Return the picture's element."""
    return svg_of(codes_and_scales(CODES, SCALES, range(1, 3)))


def test_four_rows_of_five_codes_and_their_scales_are_written() -> None:
    words = [t.text for t in svg().iter("text")]
    codes = [str(code).replace("-", "−") for code in CODES[:4, :5].flatten().tolist()]
    assert [word for word in words if word in codes] == codes
    scales = ["0.00100", "0.00200", "0.00300", "0.00400"]
    assert [word for word in words if word in scales] == scales


def test_the_rows_that_are_kept_are_blue_with_their_scales() -> None:
    boxes = list(svg().iter("rect"))
    blue = [box for box in boxes if box.get("stroke") == CODE]
    assert len(boxes) == 4 * 6 and len(blue) == 2 * 6
    assert sum(box.get("fill") == CODE for box in blue) == 2 * 5  # the scales are outlines
    assert {box.get("stroke") for box in boxes} == {CODE, REAL}
    assert "weight[1:3]: these rows, with these scales" in {t.text for t in svg().iter("text")}


def test_nothing_lies_beside_the_picture() -> None:
    for box in svg().iter("rect"):
        x, wide = (float(str(box.get(name)).rstrip("%")) for name in ("x", "width"))
        assert x >= 0 and x + wide <= 100


def test_its_text_says_what_the_picture_says() -> None:
    assert svg().get("aria-label") == (
        "Four rows of codes, and beside each row its scale: 0.00100, 0.00200, 0.00300, 0.00400. "
        "Rows 1 and 2 are blue, and so are their scales."
    )


@pytest.mark.parametrize(
    ("codes", "scales"),
    [(CODES[:3], SCALES[:3]), (CODES[:, :4], SCALES), (CODES, SCALES[:1])],
    ids=["three rows", "four columns", "one scale"],
)
def test_what_does_not_fit_is_refused(codes: torch.Tensor, scales: torch.Tensor) -> None:
    with pytest.raises(ValueError, match="pass at least 4 rows and 5 columns, and a scale"):
        codes_and_scales(codes, scales, range(1, 2))
