"""The same codes by two rulers: places, numbers, text, and what it refuses."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest
import torch

from qlearn import QParams, dequantize
from qlearn.course.drawings.readings import ABOVE, BELOW, CODES, readings
from qlearn.course.drawings.svg import CODE, REAL
from tests.course.drawings.drawn import svg_of

FINE, COARSE = (QParams(s, z, -128, 127, torch.int8) for s, z in ((0.1, 0), (1.0, -1)))
SIX_CODES = [-16, 40, 70]


def svg() -> ET.Element:
    """Return the picture's element."""
    return svg_of(readings(SIX_CODES, FINE, COARSE))


def test_codes_and_both_readings_lie_below_each_other() -> None:
    dots = [(float(c.get("cy", "")), c.get("cx")) for c in svg().iter("circle")]
    rows = [[x for y, x in dots if y == height] for height in (ABOVE, CODES, BELOW)]
    assert rows[0] == rows[1] == rows[2]
    expected = [5 + 90 * (code + 128) / 255 for code in SIX_CODES]
    assert [float(str(x).rstrip("%")) for x in rows[1]] == pytest.approx(expected, abs=0.01)


def test_codes_are_filled_and_numbers_are_outlined() -> None:
    dots = [(float(c.get("cy", "")), c.get("fill"), c.get("stroke")) for c in svg().iter("circle")]
    assert {rest for y, *rest in dots for rest in [tuple(rest)] if y == CODES} == {(CODE, None)}
    assert {rest for y, *rest in dots for rest in [tuple(rest)] if y != CODES} == {("none", REAL)}


@pytest.mark.parametrize("qparams", [FINE, COARSE], ids=["fine", "coarse"])
def test_the_numbers_that_qlearn_reads_are_written(qparams: QParams) -> None:
    codes = torch.tensor([*SIX_CODES, -128, 127], dtype=torch.int8)
    numbers = {f"{round(n, 2):g}".replace("-", "−") for n in dequantize(codes, qparams).tolist()}
    assert numbers <= {t.text for t in svg().iter("text")}


def test_its_text_says_what_the_picture_says() -> None:
    assert svg().get("aria-label") == (
        "The codes −16, 40 and 70 mean −1.6, 4 and 7 by scale 0.1 and zero point 0, and "
        "−15, 41 and 71 by scale 1 and zero point −1."
    )
    assert readings([3], FINE, COARSE).label.startswith("The codes 3 mean 0.3 by")


@pytest.mark.parametrize(
    "other",
    [
        QParams(1.0, 3, 0, 255, torch.uint8),
        QParams(torch.ones(2), torch.zeros(2, dtype=torch.int32), -128, 127, torch.int8, axis=0),
    ],
    ids=["another range", "per channel"],
)
def test_other_codes_are_refused(other: QParams) -> None:
    with pytest.raises(ValueError, match="draw two single rulers of the same codes"):
        readings(SIX_CODES, FINE, other)
