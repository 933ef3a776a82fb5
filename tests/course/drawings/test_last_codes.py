"""The last codes under several readings: what ml_dtypes says each one means."""

from __future__ import annotations

import re

import ml_dtypes
import numpy as np
import pytest

from qlearn.course.drawings.last_codes import end_of, last_codes
from qlearn.course.drawings.svg import CODE, LOST

CODES = list(range(0x76, 0x80))
KINDS = {"IEEE": ml_dtypes.float8_e4m3, "E4M3FN": ml_dtypes.float8_e4m3fn}
READINGS = {
    name: [float(value) for value in np.array(CODES, np.uint8).view(kind)]
    for name, kind in KINDS.items()
}


def test_numbers_are_blue_and_what_is_none_is_red() -> None:
    inks = re.findall(r'<rect .*?fill="(#\w+)"', "".join(last_codes(CODES, READINGS).parts))
    assert [ink == CODE for ink in inks] == [True] * 2 + [False] * 8 + [True] * 9 + [False]
    assert set(inks) == {CODE, LOST}


def test_the_end_is_the_dark_box_in_bold() -> None:
    drawn = "".join(last_codes(CODES, READINGS).parts)
    bold = re.findall(r'font-size="11" font-weight="700">([^<]+)<', drawn)
    assert bold == ["240", "448"] and drawn.count('fill-opacity="0.5"') == 2
    assert [end_of(values) for values in READINGS.values()] == [240.0, 448.0]


def test_its_words_say_the_same() -> None:
    assert last_codes(CODES[-2:], {"E4M3FN": READINGS["E4M3FN"][-2:]}).label == (
        "Codes 0x7e to 0x7f. E4M3FN: 448, NaN; it ends at 448."
    )


def test_a_reading_of_other_codes_is_refused() -> None:
    with pytest.raises(ValueError, match="short reads 1 of 10 codes"):
        last_codes(CODES, {"short": [448.0]})
