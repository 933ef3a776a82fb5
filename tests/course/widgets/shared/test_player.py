"""The row of buttons that plays: what is drawn, and where it leads."""

from __future__ import annotations

from pathlib import Path

import pytest

from qlearn.course.widgets.shared.figure import SHARED
from tests.course.widgets.figures import call, markup, with_other

PLAYER = SHARED / "player.js"
PLACES = {"at": 2, "first": 1, "last": 4, "next": "Next token"}
STATE = {"playing": False, "still": False, "speed": 1}


@pytest.fixture(scope="module")
def entry(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a figure that is a player alone."""
    path = tmp_path_factory.mktemp("player") / "alone.js"
    at = f'"{PLAYER.as_uri()}"'
    path.write_text(
        f"import {{ player }} from {at};\n"
        "export default { opening: ({ places, ...state }) => player(state, places) };\n",
        encoding="utf-8",
    )
    return path


def test_it_plays_and_goes_back_and_on(node: str, entry: Path) -> None:
    playing, at_first, still = markup(
        node,
        entry,
        STATE | {"playing": True, "places": PLACES},
        STATE | {"places": PLACES | {"at": 1}},
        STATE | {"still": True, "places": PLACES | {"at": 4}},
    )
    assert ">Pause</button>" in playing and ">Next token</button>" in playing
    assert "disabled" not in playing
    assert ">Play</button>" in at_first and 'aria-disabled="true">Back</button>' in at_first
    assert 'aria-label="Speed"' in at_first and "selected>normal speed</option>" in at_first
    assert "Play" not in still and "Speed" not in still
    assert 'aria-disabled="true">Next token</button>' in still and ">Back</button>" in still


@pytest.mark.parametrize(
    ("playing", "at", "name", "value", "found"),
    [
        (False, 2, "go", 1, (3, False)),
        (True, 2, "go", -1, (1, False)),
        (False, 1, "go", -1, (1, False)),
        (False, 2, "play", "", (3, True)),
        (True, 2, "play", "", (2, False)),
        (True, 2, "tick", None, (3, True)),
        (True, 3, "tick", None, (4, False)),
        (False, 4, "play", "", (1, True)),
    ],
)
def test_where_a_button_leads(
    node: str, playing: bool, at: int, name: str, value: object, found: tuple[int, bool]
) -> None:
    given = [{"playing": playing}, PLACES | {"at": at}, name, value]
    answer = dict(zip(("at", "playing"), found, strict=True))
    assert call(node, PLAYER, [["played", *given]]) == [answer]


def test_other_controls_are_none_of_its_business(node: str) -> None:
    assert call(node, PLAYER, [["played", STATE, PLACES, "speed", 4]]) == [None]


@pytest.mark.parametrize(
    ("walk", "steps", "by", "wanted"),
    [
        ([5], 3, 1, [5, [3, 1]]),
        ([5, [3, 1]], 4, 1, [5, [4, 1]]),
        ([5, [3, 1]], 4, 10, [5, [3, 1], [1, 10]]),
        ([5, [3, 1], [2, 10]], 4, 10, [5, [3, 1], [1, 10]]),
        ([5, [3, 1], [2, 10]], 2, 10, [5, [2, 1]]),
        ([5, [3, 1], [2, 10]], 0, 1, [5]),
    ],
)
def test_a_walk_goes_back_and_on(
    node: str, tmp_path: Path, walk: list, steps: int, by: int, wanted: list
) -> None:
    """By its settings the walk adds 1 or 10 at each step."""
    sums = "(walk, most) => right.along(walk, most, ([at], by, begins) => [begins ? at : at + by])"
    module = with_other(tmp_path, PLAYER, "sums", sums)
    (found,) = call(node, PLAYER, [["walked", walk, steps, by]])
    assert found == wanted
    ends = [5]
    for count, each in wanted[1:]:
        ends += [ends[-1] + each * (i + 1) for i in range(count)]
    assert call(node, module, [["sums", found, 1000], ["sums", found, 1]]) == [
        [[end] for end in ends],
        [[end] for end in ends[:2]],
    ]
