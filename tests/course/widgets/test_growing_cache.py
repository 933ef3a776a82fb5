"""The growing cache: its attention against qlearn's cache and torch, its view and changes."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from qlearn.course import normal
from qlearn.course.widgets import GrowingCache
from qlearn.language.cache import quantize_cache
from tests.course.widgets.figures import call, markup, with_other
from tests.course.widgets.refusal import assert_refused
from tests.course.widgets.shared.test_matrix import shades
from tests.course.widgets.stored import opening, task

ENTRY = GrowingCache.entry()
ATTENTION = ENTRY.with_name("attention.js")
DRAW = torch.Generator().manual_seed(0)
KEYS, VALUES, QUERIES = (normal(10, 6, generator=DRAW) for _ in range(3))
TICK = {"tokens": 8, "playing": True, "still": False, "speed": 1, "channels": 6}


def shown(**start: Any) -> GrowingCache:
    start = {"tokens": 7, "group_size": 4, "channel": 2} | start
    return GrowingCache(KEYS, VALUES, QUERIES, **start)


# ------------------------------------------------------------------ the arithmetic


def caches_that_differ(node: str, module: Path) -> int:
    """Return how many caches have other bytes or another error than those of Python."""
    settings = [
        {"bits": bits, "key_axis": keys, "value_axis": values, "loud": loud}
        for bits, loud in ((4, True), (8, False), (2, True))
        for keys, values in (("channel", "token"), ("token", "channel"))
    ]
    widgets = [shown(**setting) for setting in settings]
    found = call(node, module, [["course", widget.state()] for widget in widgets])
    differing = 0
    for widget, got in zip(widgets, found, strict=True):
        for widget.tokens, step in enumerate(got["steps"], 1):
            right = step["now"] == widget.held[2] and step["float"] == 24 * widget.tokens
            differing += not (right and step["error"] == pytest.approx(widget.error, abs=1e-9))
    return differing


def test_caches_err_as_in_python(node: str) -> None:
    assert caches_that_differ(node, ATTENTION) == 0


def test_a_group_of_two_is_seen(node: str, tmp_path: Path) -> None:
    other = "(state) => right.course({ ...state, group_size: 2 })"
    assert caches_that_differ(node, with_other(tmp_path, ATTENTION, "course", other)) > 20


def test_a_cache_holds_groups_in_codes_and_the_newest_in_float() -> None:
    keys, values, _ = shown().held
    assert torch.equal(keys[:4], quantize_cache(KEYS[:4], bits=4, axis="channel").dequantize())
    assert torch.equal(keys[4:], KEYS[4:7])
    assert torch.equal(values, quantize_cache(VALUES[:7], bits=4, axis="token").dequantize())


def test_a_loud_channel_leaves_attention_as_it_was() -> None:
    """With no codes at all: everything waits for a group that never becomes full."""
    axes = {"key_axis": "channel", "value_axis": "channel", "group_size": 99}
    assert shown(loud=True, **axes).error == 0
    loud, quiet = shown(loud=True, **axes).head, shown(**axes).head
    assert torch.equal(loud[0] @ loud[2].T, quiet[0] @ quiet[2].T)


def test_attention_moves_by_the_shares_that_differ(node: str) -> None:
    exact = {"shares": [0.5, 0.5, 0.0], "output": [3.0, 4.0]}
    found = {"shares": [0.5, 0.25, 0.25], "output": [3.0, 3.0]}
    assert call(node, ATTENTION, [["difference", exact, found]]) == [{"moved": 0.25, "error": 0.2}]


def test_a_loud_channel_harms_keys_with_a_scale_for_each_token() -> None:
    errors = {axis: shown(loud=True, key_axis=axis).error for axis in ("channel", "token")}
    assert errors["token"] > 2 * errors["channel"]


# ------------------------------------------------------------------ view and changes


def test_the_view_says_what_is_saved_and_lost(node: str) -> None:
    widget = shown(loud=True, key_axis="token")
    (drawn,) = markup(node, ENTRY, widget.state())
    assert drawn.count('data-area="place"') == 2
    assert f"Bytes <b>{widget.held[2]:,.0f} of 168</b>" in drawn
    assert "Tokens in float <b>0 of the keys, 0 of the values</b>" in drawn
    said = f"{100 * widget.error:.1f} %, channel {widget.channel} loud"
    assert f"Error of its output <b>{said}</b>" in drawn
    assert 'aria-label="Keys, 7 tokens by 6 channels: 42 numbers,' in drawn
    (drawn,) = markup(node, ENTRY, shown().state())
    assert "Tokens in float <b>3 of the keys, 0 of the values</b>" in drawn


@pytest.mark.parametrize("loud", [False, True])
def test_the_maps_are_what_the_cache_holds(node: str, loud: bool) -> None:
    widget = shown(loud=loud)
    (drawn,) = markup(node, ENTRY, widget.state())
    maps = drawn.split("<svg")[1:3]
    quiet = torch.arange(6) != 2 if loud else torch.arange(6) >= 0
    for svg, exact, held in zip(maps, (KEYS, VALUES), widget.held[:2], strict=True):
        wanted = torch.zeros(10, 6)
        wanted[:7] = held
        found = shades(svg, 10, 6)
        reach = exact[:, quiet].abs().max()
        assert torch.allclose(found, (wanted / reach).clamp(-1, 1), atol=0.5 / 24 + 0.01)


def test_both_lines_are_told_apart_without_colours(node: str) -> None:
    (drawn,) = markup(node, ENTRY, shown().state())
    paths = drawn.rpartition("<svg role")[2].split("<path")
    lines = [path for path in paths if 'stroke-width="2"' in path]
    assert ["stroke-dasharray" in line for line in lines] == [True, False]
    assert "in float16 (dashed), " in drawn


def test_a_thick_frame_holds_what_shares_a_scale(node: str) -> None:
    by_axis = markup(node, ENTRY, shown().state(), shown(key_axis="token").state())
    frames = ["M2,0h1v4h-1z", "M0,6h6v1h-6z"]  # the channel's newest full group; the newest token
    for drawn, frame in zip(by_axis, frames, strict=True):
        keys = drawn.split("<svg")[1]
        (thick,) = (path for path in keys.split("<path") if 'stroke-width="2.5"' in path)
        assert f'd="{frame}"' in thick


def test_the_task_asks_for_the_axis_on_which_keys_are_loud(node: str) -> None:
    by_channel = {"key_axis": "channel"}
    states: list[dict[str, Any]] = [
        {},
        {"loud": False},
        {"bits": 8},
        {"tokens": 18},  # where little attention is on the loud keys
        {"channel": 3},
        {"value_axis": "channel"},
        by_channel | {"value_axis": "channel"},
        by_channel | {"bits": 3},
        by_channel,
    ]
    drawn = markup(node, ENTRY, *(opening("language/cache", "GrowingCache", **s) for s in states))
    assert [task(each)[0] for each in drawn] == [False] * 8 + [True]
    assert task(drawn[0])[1].startswith("with one choice, ")  # by_channel alone


@pytest.mark.parametrize(
    ("state", "name", "value", "change"),
    [
        ({}, "bits", 3, {"bits": 3}),
        ({}, "loud", True, {"loud": True}),
        ({}, "key_axis", "token", {"key_axis": "token"}),
        ({}, "place", [0.99, 0.5], {"channel": 5}),
        ({}, "tokens", 3, {"tokens": 3, "playing": False}),
        ({}, "tick", None, {"tokens": 9, "playing": True}),
        ({"tokens": 9}, "tick", None, {"tokens": 10, "playing": False}),
        ({"tokens": 10, "playing": False}, "play", "", {"tokens": 1, "playing": True}),
        ({}, "play", "", {"tokens": 8, "playing": False}),
        ({}, "go", -1, {"tokens": 7, "playing": False}),
        ({}, "speed", 4, {"speed": 4}),
    ],
)
def test_what_an_input_changes(
    node: str, state: dict, name: str, value: object, change: dict
) -> None:
    now = shown().state() | TICK | state
    assert call(node, ENTRY, [["changed", now, name, value]]) == [change]


# ------------------------------------------------------------------ Python


def test_the_line_says_what_is_shown() -> None:
    widget = shown()
    shape = "7 tokens, 4 bits, keys by channel, values by token"
    size = f"{widget.held[2]:.0f} of 168 bytes, {100 * widget.error:.1f} % off"
    assert repr(widget) == f"GrowingCache({shape}): {size}"
    assert ", values by token, channel 2 loud): " in repr(shown(loud=True))
    assert GrowingCache(KEYS, VALUES, QUERIES).tokens == 10


@pytest.mark.parametrize(
    ("head", "message"),
    [
        ((KEYS, VALUES[:9], QUERIES), r"shapes \[\(10, 6\), \(9, 6\), \(10, 6\)\]: pass those"),
        ((KEYS[None], VALUES, QUERIES), r"keys has shape \(1, 10, 6\), but each row is a token"),
        ((KEYS * math.inf, VALUES, QUERIES), "keys holds 60 values that are infinite"),
    ],
    ids=["shorter values", "three axes", "infinities"],
)
def test_what_is_no_head_is_refused(head: tuple[Tensor, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        GrowingCache(*head)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("tokens", 11, "tokens is 11, but there are 1 … 10"),
        ("tokens", 0, "not be less than 1"),
        ("channel", 6, "channel is 6, but there are 0 … 5"),
        ("bits", 5, "bits"),
        ("key_axis", "head", "key_axis"),
    ],
)
def test_what_is_no_setting_is_refused(name: str, value: object, message: str) -> None:
    assert_refused(shown, name, value, message)
