"""The question of a block comes from its page, with the answers that people give instead."""

from __future__ import annotations

import pytest

from workshop.plans.asked import asked, mistakes, on_page
from workshop.plans.blocks import WORST_ROW

NUMBER = {"kind": "number", "options": [], "within": [0.01, 0]}


def test_a_question_is_that_of_the_page() -> None:
    found = asked(WORST_ROW)
    assert found.ask.startswith("All rows share one symmetric ruler.")
    assert found.right == "3" and not found.options
    assert dict(found.wrong)["255 or 256"].startswith("That is the whole ruler.")
    assert found.slugs == ("one-ruler-or-one-for-each-row",)
    assert on_page("numbers/scale_and_zero_point")["symmetric-step"].slugs == ("quiz",)


@pytest.mark.parametrize(
    ("stored", "said"),
    [
        ({**NUMBER, "known": [[[0.5, None], "Half."]]}, "0.5, …"),
        ({**NUMBER, "known": [[[-1.0, 2.0], "A."], [[3.0, 4.0], "A."]]}, "−1, 2 or 3, 4"),
        ({"kind": "one_of", "options": ["a", "b"], "known": [[[2], "Not b."]]}, "b"),
        ({"kind": "any_of", "options": ["a", "b"], "known": [[[1, 2], "Not both."]]}, "a; b"),
        ({"kind": "order", "options": ["a", "b"], "known": [[[2, 1], "No."]]}, "b before: a"),
    ],
    ids=["numbers", "one sentence", "one option", "options", "order"],
)
def test_wrong_answers_are_said_as_people_say_them(stored: dict, said: str) -> None:
    [(answer, _)] = mistakes(stored)
    assert answer == said
