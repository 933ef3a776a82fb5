"""The matrix of shared scales: its arithmetic against qlearn, its view and changes, its Python."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import torch
from playwright.sync_api import Browser, expect
from traitlets import TraitError

from qlearn import quantize_groups
from qlearn.course import normal
from qlearn.course.widgets import QuantizedMatrix
from qlearn.course.widgets.quantized_matrix import SETTINGS
from tests.course.widgets.figures import call, markup, with_other
from tests.course.widgets.page import opener, write_page
from tests.course.widgets.shared.test_matrix import shades

ENTRY = QuantizedMatrix.entry()
REGIONS = ENTRY.with_name("regions.js")
WEIGHT = normal(40, 96, generator=torch.Generator().manual_seed(0)) / 10
WEIGHT[9, 70] = 2.0  # in a row that is shown, beyond the columns that are
GRID = [(bits, shared, 1 + place / 8) for place, (bits, shared) in enumerate(SETTINGS)]
PART = slice(4, 20), slice(32, 64)


def shown(weight: torch.Tensor = WEIGHT, **more: Any) -> QuantizedMatrix:
    return QuantizedMatrix(weight, GRID, (4, 32), exact=1.0, **more)


def grouped(bits: int, shared: str | int) -> Any:
    """Return the whole weight in codes, as the model has it."""
    size = 96 if shared == "channel" else shared
    if shared == "tensor":
        return quantize_groups(WEIGHT.reshape(1, -1), bits=bits, group_size=40 * 96)
    return quantize_groups(WEIGHT, bits=bits, group_size=size)


# ------------------------------------------------------------------ the arithmetic


def settings_that_differ(node: str, folder: Path, module: Path) -> set[tuple[int, str | int]]:
    """Return the settings in which codes, numbers, error or cost are not those of qlearn."""
    both = (
        "(values, largest, setting, shape) => [right.quantized(Float32Array.from(values), largest, "
        "setting), right.bitsPerWeight([setting.bits, setting.shared], shape)]"
    )
    rows = WEIGHT.abs().amax(dim=1)
    largest = [rows.max().item(), *rows[PART[0]].tolist()]
    settings = [{"bits": bits, "shared": shared} for bits, shared in SETTINGS]
    values = WEIGHT[PART].flatten().tolist()
    calls = [["both", values, largest, setting, [40, 96]] for setting in settings]
    differing = set()
    found = call(node, with_other(folder, module, "both", both), calls)
    for (bits, shared), (answer, cost) in zip(SETTINGS, found, strict=True):
        wanted, error = grouped(bits, shared), shown(bits=bits, shared=shared).error
        codes = wanted.codes.reshape(40, 96)[PART].flatten().tolist()
        restored = wanted.dequantize().reshape(40, 96)[PART].flatten().tolist()
        same = answer["codes"] == codes and answer["restored"] == restored
        if not same or cost != wanted.bits_per_weight or answer["share"] != pytest.approx(error):
            differing.add((bits, shared))
    return differing


def test_every_setting_has_the_codes_of_the_whole_weight(node: str, tmp_path: Path) -> None:
    assert settings_that_differ(node, tmp_path, REGIONS) == set()


def test_scales_of_the_part_alone_are_seen(node: str, tmp_path: Path) -> None:
    alone = "(values, largest, setting) => right.quantized(values, largest.map(() => 0.4), setting)"
    (tmp_path / "other").mkdir()
    broken = with_other(tmp_path / "other", REGIONS, "quantized", alone)
    wider = {setting for setting in SETTINGS if setting[1] in ("tensor", "channel")}
    assert settings_that_differ(node, tmp_path, broken) == wider


# ------------------------------------------------------------------ view and changes


def test_the_view_says_what_is_lost(node: str) -> None:
    texts = [(3, "channel", "the harbours <of> the Treasury")]
    usual, coarse = markup(
        node, ENTRY, shown(texts=texts).state(), shown(texts=texts, bits=3).state()
    )
    assert "Bits for each weight <b>4.167</b>" in usual
    assert "Scales in the picture <b>16</b>" in usual
    assert f"Error of what comes back <b>{100 * shown().error:.1f} %</b>" in usual
    assert "Bits per byte of the model <b>2.3750, 1.3750 more than float32</b>" in usual
    assert "now 2.3750 at 4.167 bits" in usual
    assert "No text was kept" in usual and "the harbours &lt;of> the Treasury" in coarse


@pytest.mark.parametrize(
    ("shared", "lying", "upright", "scales"),
    [("tensor", 0, 0, 1), ("channel", 15, 0, 16), (32, 15, 0, 16), (8, 15, 3, 64)],
)
def test_lines_lie_where_a_scale_ends(
    node: str, shared: str | int, lying: int, upright: int, scales: int
) -> None:
    (drawn,) = markup(node, ENTRY, shown(shared=shared).state())
    width, height = 32 + upright / 4, 16 + lying / 4
    assert drawn.count(f'viewBox="0 0 {width:g} {height:g}"') == 3
    assert f"Scales in the picture <b>{scales}</b>" in drawn


def test_each_number_has_its_shade(node: str) -> None:
    codes, restored = markup(
        node,
        ENTRY,
        shown(bits=2, shared="tensor", codes=True).state(),
        shown(bits=2, shared="tensor").state(),
    )
    part, again = WEIGHT[PART], shown(bits=2, shared="tensor").restored
    reach = part.abs().max()
    wanted = [part / reach, again / reach, (again - part) / reach * 4]
    for svg, shade in zip(restored.split("<svg")[1:4], wanted, strict=True):
        assert torch.allclose(shades(svg, 16, 32), shade.clamp(-1, 1), atol=0.5 / 24 + 0.01)
    of_codes = grouped(2, "tensor").codes.reshape(40, 96)[PART] / 2
    assert torch.allclose(shades(codes.split("<svg")[2], 16, 32), of_codes, atol=0.01)


def test_only_codes_are_blue_and_the_error_is_red(node: str) -> None:
    for drawn in markup(node, ENTRY, *(shown(codes=codes).state() for codes in (False, True))):
        inks = [set(re.findall('fill="([^"]+)"', svg)) for svg in drawn.split("<svg")[1:4]]
        numbers, codes, error = ({ink for ink in each if "qb-lost" not in ink} for each in inks)
        assert (numbers, codes, error) == ({"currentColor"}, {"var(--qb-code)"}, set())


@pytest.mark.parametrize(
    ("name", "value", "change"),
    [
        ("bits", 3, {"bits": 3}),
        ("bits", 5, {"bits": 6}),
        ("bits", 7, {"bits": 8}),
        ("sharing", 0, {"shared": "tensor"}),
        ("sharing", 4, {"shared": 8}),
        ("codes", True, {"codes": True}),
    ],
)
def test_what_an_input_changes(node: str, name: str, value: object, change: dict) -> None:
    state = {"bits": 4, "shared": "channel", "codes": False}
    assert call(node, ENTRY, [["changed", state, name, value]]) == [change]


def test_the_mark_of_the_bits_lies_where_they_are_drawn(node: str) -> None:
    (drawn,) = markup(node, ENTRY, shown(bits=6, shared=8).state())
    assert re.search(r'type="range"[^>]*name="bits" min="2" max="8"[^>]*value="6"', drawn)
    place = f"{100 * (6 + 16 / 8 - 1.7) / (10.3 - 1.7):.2f}"
    assert f'<circle cx="{place}%"' in drawn and f'<rect x="{place}%"' in drawn
    state = {"bits": 8, "shared": 8}
    down = call(node, ENTRY, [["changed", state, "bits", value] for value in (7, 5, 3, 2)])
    assert down == [{"bits": bits} for bits in (6, 4, 3, 2)]


def test_the_task_is_done_with_few_bits_and_little_loss(node: str) -> None:
    lost = {
        (4, 32): 0.0196,
        (4, 16): 0.0193,
        (4, 8): 0.017,
        (4, "channel"): 0.03,
        (4, "tensor"): 0.3,
    }
    grid = [(*each, 1 + lost.get(each, 0.5 if each[0] < 4 else 0.001)) for each in SETTINGS]
    widget = QuantizedMatrix(WEIGHT, grid, exact=1.0)
    states = [widget.state() | {"bits": bits, "shared": shared} for bits, shared in SETTINGS]
    done = ["✓ Done:" in text for text in markup(node, ENTRY, *states)]
    assert [each for each, is_done in zip(SETTINGS, done, strict=True) if is_done] == [*lost][:2]


def test_a_telephone_shows_what_is_moved_and_what_comes_of_it(
    browser: Browser, tmp_path: Path
) -> None:
    text = "The new harbor princes in the Treatien. But which I herdes are furnishing them. The "
    widget = shown(texts=[(4, "channel", text)])
    with opener(browser, height=664) as open_page:  # of 844, what a browser's bars leave
        page = open_page(write_page(tmp_path, widget), width=390, has_touch=True)
        sharing = page.get_by_role("slider", name="Scale of")
        sharing.evaluate("(slider) => slider.scrollIntoView()")
        expect(sharing).to_be_in_viewport(ratio=1)
        expect(page.get_by_role("slider", name="Bits")).to_be_in_viewport(ratio=1)
        expect(page.locator("output")).to_be_in_viewport(ratio=1)
        expect(page.locator(".qb-task")).to_be_in_viewport(ratio=1)


# ------------------------------------------------------------------ Python


def test_fewer_sharing_lose_less_and_the_line_says_so() -> None:
    errors = [shown(bits=3, shared=shared).error for shared in ("tensor", "channel", 32, 16, 8)]
    assert errors == sorted(errors, reverse=True) and errors[0] > 2 * errors[-1]
    widget = shown()
    widget.set_state({"bits": 2, "shared": 8})
    assert repr(widget).startswith("QuantizedMatrix(2 bits, scale of 8): error ")
    assert repr(widget).endswith(" %, 4.0000 bits per byte")


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"weight": WEIGHT.double()}, TypeError, "weight has dtype torch.float64"),
        ({"weight": WEIGHT[0]}, ValueError, r"weight has shape \(96,\)"),
        ({"weight": WEIGHT[:, :80]}, ValueError, "weight 40 × 80, but 16 × 32 .* a multiple of 32"),
        ({"first": (25, 0)}, ValueError, r"first is \(25, 0\) and weight 40 × 96"),
        ({"first": (0, 96)}, ValueError, r"first is \(0, 96\)"),
        ({"first": (0, 8)}, ValueError, r"first is \(0, 8\)"),
        ({"weight": WEIGHT / 0}, ValueError, "infinite, NaN"),
        ({"grid": GRID[1:]}, ValueError, "grid has 24 rows: pass one for each of"),
        ({"grid": [*GRID[1:], GRID[1]]}, ValueError, "grid has 25 rows: pass one for each of"),
        ({"bits": 5}, TraitError, "bits"),
        ({"shared": 64}, TraitError, "shared"),
        ({"texts": [(4, 64, "")]}, TraitError, "texts"),
        ({"exact": float("nan")}, TraitError, "not the float nan"),
    ],
    ids=lambda value: ", ".join(value) if isinstance(value, dict) else "",
)
def test_what_the_page_cannot_show_is_refused(
    given: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        QuantizedMatrix(**{"weight": WEIGHT, "grid": GRID, **given})
