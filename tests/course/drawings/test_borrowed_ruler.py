"""The borrowed ruler drawn: outputs beyond it are red, and its end is that of the codes."""

from __future__ import annotations

import pytest
import torch

from qlearn import dynamic_qparams, quantize
from qlearn.course.drawings.borrowed_ruler import borrowed_ruler
from qlearn.course.drawings.svg import LOST, REAL
from tests.course.drawings.drawn import svg_of

OUTPUTS = [-1.0, 0.05, 0.5, 1.9]
DRAWN = borrowed_ruler(OUTPUTS, {"one": 1.0, "a sixteenth": 1 / 16})


def inks() -> list[str | None]:
    """Return the inks of the dots, row by row."""
    return [dot.get("stroke") for dot in svg_of(DRAWN).iter("circle")]


def test_clipped_outputs_are_red_and_others_grey() -> None:
    assert inks() == [LOST, REAL, REAL, REAL, LOST, REAL, LOST, LOST]


@pytest.mark.parametrize(("largest", "row"), [(1.0, 0), (1 / 16, 1)])
def test_they_are_those_that_the_codes_clip(largest: float, row: int) -> None:
    ruler = dynamic_qparams(torch.tensor([0.0, largest]))
    outputs = torch.tensor(OUTPUTS)
    back = quantize(outputs, ruler).float() * ruler.scale
    clipped = ((back - outputs).abs() > ruler.scale / 2).tolist()
    assert [ink == LOST for ink in inks()[4 * row : 4 * row + 4]] == clipped


def test_its_words_say_where_the_rulers_end() -> None:
    assert DRAWN.label == (
        "one: the ruler ends at 2.01, and 1 of 4 outputs are clipped; "
        "a sixteenth: the ruler ends at 0.125, and 3 of 4 outputs are clipped."
    )


@pytest.mark.parametrize(("outputs", "inputs"), [([], {"a": 1.0}), ([1.0], {}), ([1.0], {"a": 0})])
def test_what_cannot_be_drawn_is_refused(outputs: list[float], inputs: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="a largest input above 0"):
        borrowed_ruler(outputs, inputs)
