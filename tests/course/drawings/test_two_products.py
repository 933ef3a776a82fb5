"""Two products on the number line: what 16 bits keep, and what is red."""

from __future__ import annotations

import re

import pytest
import torch

from qlearn import saturating_matmul
from qlearn.course.drawings.svg import CODE, LOST
from qlearn.course.drawings.two_products import REACH, TwoProducts, two_products, written

LOSES = TwoProducts((255, 255), (127, 127))
FITS = TwoProducts((127, 127), (127, 127))
CANCELS = TwoProducts((255, 255), (127, -128))
FALLS = TwoProducts((255, 200), (-128, -128))


@pytest.mark.parametrize("pair", [LOSES, FITS, CANCELS, FALLS], ids=str)
def test_it_keeps_what_the_instruction_keeps(pair: TwoProducts) -> None:
    codes = torch.tensor([pair.activations], dtype=torch.uint8)
    weights = torch.tensor([pair.weights], dtype=torch.int8)
    assert pair.kept == saturating_matmul(codes, weights.T)
    assert pair.exact == (codes.int() @ weights.int().T)


@pytest.mark.parametrize(("pair", "red"), [(LOSES, True), (FALLS, True), (FITS, False)], ids=str)
def test_red_is_what_is_lost(pair: TwoProducts, red: bool) -> None:
    drawn = "".join(two_products([pair]).parts)
    assert (LOST in drawn) == red
    assert f">{'becomes ' + written(pair.kept) if red else 'fits'}<" in drawn
    (kept,) = re.findall(rf'cx="([\d.]+)%" cy="\d+" r="5" fill="{CODE}"', drawn)
    assert float(kept) == pytest.approx(50 + 50 * pair.kept / REACH, abs=0.01)


def test_its_words_say_the_same() -> None:
    label = two_products([FALLS, CANCELS]).label
    assert "255 · −128 + 200 · −128 = −58,240 becomes −32,768." in label
    assert "255 · 127 + 255 · −128 = −255 fits." in label


@pytest.mark.parametrize(
    ("pair", "said"),
    [
        (TwoProducts((256, 0), (1, 1)), "256 is no activation's code"),
        (TwoProducts((1, 0), (1, 128)), "128 is no weight's code"),
    ],
)
def test_a_code_that_does_not_fit_a_byte_is_refused(pair: TwoProducts, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        two_products([pair])
