"""The bits of formats as bars: as wide as their bits, in the order of the bits."""

from __future__ import annotations

import re

import pytest
import torch

from qlearn.course.drawings.fields_of_formats import fields_of_formats

FORMATS = {"float32": (1, 8, 23), "E5M2": (1, 5, 2), "int8": (0, 0, 8)}


def boxes() -> list[tuple[float, float]]:
    """Return where each box begins and how wide it is, in bits of 32."""
    drawn = "".join(fields_of_formats(FORMATS).parts)
    found = re.findall(r'<rect x="([\d.]+)%".*? width="([\d.]+)%"', drawn)
    return [(float(x) * 0.32, float(wide) * 0.32) for x, wide in found]


def test_a_box_is_as_wide_as_its_bits_and_begins_where_the_one_before_ends() -> None:
    wanted = [(0, 1), (1, 8), (9, 23), (0, 1), (1, 5), (6, 2), (0, 8)]
    assert boxes() == [pytest.approx(pair, abs=0.01) for pair in wanted]


def test_the_bits_are_those_of_torch() -> None:
    for name, kind in (("float32", torch.float32), ("E5M2", torch.float8_e5m2)):
        _, exponent, mantissa = FORMATS[name]
        assert torch.finfo(kind).eps == 2.0**-mantissa
        assert torch.finfo(kind).smallest_normal == 2.0 ** (2 - 2 ** (exponent - 1))


def test_its_words_say_the_same() -> None:
    assert fields_of_formats(FORMATS).label == (
        "float32: 1 sign, 8 exponent, 23 mantissa. E5M2: 1 sign, 5 exponent, 2 mantissa. "
        "int8: 8 integer."
    )


@pytest.mark.parametrize("bits", [(0, 0, 0), (1, 11, 52)])
def test_a_bar_that_has_no_room_is_refused(bits: tuple[int, int, int]) -> None:
    with pytest.raises(ValueError, match="a bar is drawn for 1 to 32"):
        fields_of_formats({"other": bits})
