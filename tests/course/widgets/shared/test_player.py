"""The row of buttons that plays: what is drawn, and where it leads."""

from __future__ import annotations

from pathlib import Path

import pytest

from qlearn.course.widgets.shared.figure import SHARED
from tests.course.widgets.figures import call, markup

PLAYER = SHARED / "player.js"
STATE = {"playing": False, "still": False, "every": 250}


@pytest.fixture(scope="module")
def entry(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a figure that is a player alone."""
    path = tmp_path_factory.mktemp("player") / "alone.js"
    path.write_text(
        f'import {{ player }} from "{PLAYER.as_uri()}";\nexport default {{ opening: player }};\n',
        encoding="utf-8",
    )
    return path


def test_it_plays_and_goes_back_and_on(node: str, entry: Path) -> None:
    playing, paused, still = markup(
        node, entry, STATE | {"playing": True}, STATE, STATE | {"still": True}
    )
    assert ">Pause</button>" in playing
    assert ">Play</button>" in paused and 'aria-label="Speed"' in paused
    assert '<option value="250" selected>normal speed</option>' in paused
    assert ">Back</button>" in still and ">Next</button>" in still
    assert "Play" not in still and "Speed" not in still


@pytest.mark.parametrize(
    ("state", "name", "value", "change"),
    [
        ({}, "on", "", {"token": 3, "playing": False}),
        ({"token": 4}, "on", "", {"token": 1, "playing": False}),
        ({"playing": True}, "back", "", {"token": 1, "playing": False}),
        ({"token": 1}, "back", "", {"token": 4, "playing": False}),
        ({}, "play", "", {"token": 3, "playing": True}),
        ({"playing": True}, "play", "", {"playing": False}),
        ({"token": 4}, "play", "", {"token": 1, "playing": True}),
        ({"playing": True}, "tick", None, {"token": 3, "playing": True}),
        ({"playing": True, "token": 3}, "tick", None, {"token": 4, "playing": False}),
        ({"playing": True}, "token", 4, {"token": 4, "playing": False}),
        ({"playing": True}, "every", 80, {"every": 80}),
        ({"playing": True}, "bits", 3, None),
    ],
)
def test_where_a_control_leads(
    node: str, state: dict, name: str, value: object, change: dict | None
) -> None:
    now = STATE | {"token": 2} | state
    assert call(node, PLAYER, [["played", now, "token", [1, 4], name, value]]) == [change]
