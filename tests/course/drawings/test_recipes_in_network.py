"""The drawing of a QConfig: an observer of its own wherever one sits, and none elsewhere."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from qlearn.course.drawings.recipes_in_network import Place, recipes_in_network
from tests.course.drawings.drawn import svg_of

RECIPES = {"activation": ["MinMax", "codes 0 … 255"], "weight": ["PerChannelMinMax"]}
NETWORK = [Place("fc1", True, True), Place("act", False, False), Place("fc2", True, True)]
WHEN = ["looks while you calibrate", "looks once, when you convert"]
DRAWN = recipes_in_network(RECIPES, NETWORK, WHEN)
EYE = "8"  # the radius of an observer


def all_of(tag: str) -> list[ET.Element]:
    """Return the elements of a kind."""
    return list(svg_of(DRAWN).iter(tag))


def eyes() -> list[tuple[float, str]]:
    """Return the observers: the place across, and the letter above."""
    letters = {
        (words.get("x"), words.get("y")): words.text for words in all_of("text") if words.text
    }
    found = [(c.get("cx", ""), c.get("cy", "")) for c in all_of("circle") if c.get("r") == EYE]
    return [(float(x.rstrip("%")), letters[x, f"{int(y) - 12}"]) for x, y in found]


def test_each_observed_place_has_an_eye_with_the_letter_of_its_recipe() -> None:
    places = [(int(x * 3 / 100), letter) for x, letter in eyes()]
    assert places == [(0, "w"), (0, "a"), (2, "w"), (2, "a")]


def test_outputs_are_observed_behind_their_layer_and_weights_above_it() -> None:
    boxes = [box for box in all_of("rect") if box.get("height") == "30"]
    spans = [(float(b.get("x", "")[:-1]), float(b.get("width", "")[:-1])) for b in boxes]
    (start, wide), (weight, outputs) = spans[0], (x for x, _ in eyes()[:2])
    assert start < weight < start + wide < outputs


def test_nothing_is_filled_because_all_is_still_float32() -> None:
    assert {box.get("fill") for box in all_of("rect")} == {"none"}


def test_its_words_say_the_same() -> None:
    assert DRAWN.label == (
        "activation: MinMax, codes 0 … 255; weight: PerChannelMinMax. fc1: outputs and weights "
        "observed; act: not observed; fc2: outputs and weights observed."
    )
    assert {"a: looks while you calibrate", "w: looks once, when you convert"} <= {
        words.text for words in all_of("text")
    }


@pytest.mark.parametrize(
    ("recipes", "network", "when"),
    [({}, NETWORK, WHEN), (RECIPES, [], WHEN), (RECIPES, NETWORK, ["once"])],
    ids=["no recipes", "no modules", "one time"],
)
def test_half_a_picture_is_refused(recipes: dict, network: list[Place], when: list[str]) -> None:
    with pytest.raises(ValueError, match="give two recipes"):
        recipes_in_network(recipes, network, when)
