"""The quantizer: what it draws and says against qlearn, its changes, its Python side."""

from __future__ import annotations

import math
import re
from functools import partial
from typing import Any

import pytest
import torch
from torch import Tensor
from traitlets import TraitError

from qlearn import choose_qparams, clipped_share, dequantize, max_error, mse, quantize, sqnr
from qlearn.course.widgets import Quantizer
from tests.course.widgets.figures import call, markup
from tests.course.widgets.refusal import assert_refused
from tests.course.widgets.stored import opening, task

ENTRY = Quantizer.entry()
RESULT = re.compile(r"<b>(.*?)</b>")


@pytest.fixture
def x() -> Tensor:
    return torch.randn(100, 3, generator=torch.Generator().manual_seed(0))


# ------------------------------------------------------------------ view and changes


def test_the_view_says_what_qlearn_measures(node: str, x: Tensor) -> None:
    widgets = [
        Quantizer(x, bits=bits, signed=signed, symmetric=symmetric, scale=scale)
        for bits in range(2, 9)
        for signed in (True, False)
        for symmetric in (True, False)
        for scale in (None, 0.01)
    ]
    shown = markup(node, ENTRY, *(widget.state() for widget in widgets))
    for widget, text in zip(widgets, shown, strict=True):
        codes, _, ratio, square, largest, share = RESULT.findall(text.split("qb-result")[1])
        q, errors = widget.qparams, widget.errors
        assert codes == f"{q.quant_min} … {q.quant_max}".replace("-", "−")
        assert ratio == f"{errors['sqnr']:.2f} dB".replace("-", "−")
        assert share == f"{100 * errors['clipped_share']:.2f} %"
        numbers = [float(text.replace("−", "-")) for text in (square, largest)]
        assert numbers == pytest.approx([errors["mse"], errors["max_error"]], rel=1e-2)


def test_the_simple_one_has_its_handles_and_no_other_controls(node: str, x: Tensor) -> None:
    (text,) = markup(node, ENTRY, Quantizer(x, bits=4, simple=True).state())
    assert "<select" not in text and 'type="number"' not in text
    assert re.findall(r'aria-label="(\w+) end of the ruler"', text) == ["Left", "Right"]
    assert re.findall(r"(Max error|Clipped|SQNR)", text.split("qb-result")[1]) == [
        "Max error",
        "Clipped",
    ]


def test_the_task_is_a_largest_error(node: str, x: Tensor) -> None:
    widget = Quantizer(x, bits=4, scale=0.1, simple=True, goal=0.3)
    open_, done = markup(node, ENTRY, widget.state(), widget.state() | {"scale": 0.45})
    words = "make the largest error smaller than 0.3."
    assert f"<b>Your task:</b> {words}" in open_ and f"<b>✓ Done:</b> {words}" in done
    assert 'class="qb-task"' not in markup(node, ENTRY, Quantizer(x).state())[0]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("", []),
        ("0.5 -1,2\n3e-2;−4.25", [0.5, -1, 2, 0.03, -4.25]),
        ("tensor([[ 0.5000, -1.], [2.,  3.]], device='cpu', dtype=torch.float64)", [0.5, -1, 2, 3]),
        ("array([1.5, 2. ], dtype=float32)", [1.5, 2]),
        ("[1.25, 7]\t", [1.25, 7]),
        ("0, 5; 1, 25", [0, 5, 1, 25]),
    ],
)
def test_own_numbers_are_taken_as_they_are_pasted(
    node: str, x: Tensor, text: str, numbers: list[float]
) -> None:
    state = Quantizer(x, scale=0.3).state() | {"typed": None}
    (change,) = call(node, ENTRY, [["changed", state, "typed", text]])
    own = [torch.tensor(number).item() for number in numbers]
    assert change == {"typed": text, "own": own, "scale": None, "zero_point": None}
    widget = Quantizer(x, own=own)
    (shown,) = markup(node, ENTRY, widget.state())
    assert torch.equal(widget.x, torch.tensor(own) if own else x.flatten())
    assert f"Max error <b>{widget.errors['max_error']:.4g}"[:18] in shown


def test_what_may_be_pasted_python_takes_up_to_the_same_number(node: str, x: Tensor) -> None:
    state = Quantizer(x).state() | {"typed": None}
    (change,) = call(node, ENTRY, [["changed", state, "typed", "1e30 −1e30"]])
    assert Quantizer(x, own=change["own"]).own == torch.tensor([1e30, -1e30]).tolist()
    (more,) = call(node, ENTRY, [["changed", state, "typed", "1.0000001e30"]])
    assert more == {"typed": "1.0000001e30"}  # in float32 the next number, or near it


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("0.5, half", "“half” is no number: write decimals with a point"),
        ("1, inf", "“inf” is no number"),
        ("nan", "“nan” is no number"),
        ("0,5; 1,25", "“0,5” is no number: write decimals with a point"),
        ("1,5;-2,5\n3", "“1,5” is no number: write decimals with a point"),
        ("1e31", "“1e31” is no number up to 1e30 in size: leave it out."),
        ("0 " * 10_001, "10001 are too many: paste 10000"),
    ],
    ids=lambda text: text[:12],
)
def test_what_is_no_list_of_numbers_gets_a_sentence(
    node: str, x: Tensor, text: str, sentence: str
) -> None:
    state = Quantizer(x).state() | {"typed": None}
    assert call(node, ENTRY, [["changed", state, "typed", text]]) == [{"typed": text}]
    (shown,) = markup(node, ENTRY, state | {"typed": text})
    assert sentence in shown and 'aria-invalid="true"' in shown


def test_an_end_at_zero_cannot_be_dragged(node: str, x: Tensor) -> None:
    both, one, all_three = markup(
        node,
        ENTRY,
        Quantizer(x).state(),
        Quantizer(x.abs(), symmetric=False).state(),
        Quantizer(x, symmetric=False).state(),
    )
    handles = [
        re.findall(r'aria-label="(\w+) (?:end )?of the ruler"', each)
        for each in (both, one, all_three)
    ]
    assert handles == [["Left", "Right"], ["Right", "Middle"], ["Left", "Right", "Middle"]]


def test_a_part_brings_its_control_its_result_and_its_task(node: str, x: Tensor) -> None:
    plain, rounding, format_, channel = markup(
        node,
        ENTRY,
        Quantizer(x, simple=True, goal=0.1).state(),
        Quantizer(x, simple=True, goal=0.1, parts=["rounding"], rounding="down").state(),
        Quantizer(x, bits=4, simple=True, goal=30, parts=["format"], format="NF4").state(),
        Quantizer(x.T, simple=True, goal=30, parts=["channel"], channel=2).state(),
    )
    assert "<select" not in plain
    assert 'value="down" selected' in rounding and "bring the mean error beyond ±0.1" in rounding
    assert re.findall(r'<option value="(\w+)"', format_) == ["integer", "E2M1FN", "NF4"]
    assert "bring the SQNR above 30 dB" in format_
    assert re.findall(r'name="(\w+)"', channel)[:2] == ["channel", "per_channel"]
    assert "bring every channel above 30 dB." in channel and "Worst channel <b>" in channel


def test_the_mean_error_follows_the_rounding(node: str) -> None:
    halves = torch.arange(1, 33) / 2
    widgets = [
        Quantizer(
            halves, bits=5, signed=False, scale=1.0, rounding=each, parts=["rounding"], goal=0.1
        )
        for each in ("nearest", "away", "down")
    ]
    shown = markup(node, ENTRY, *(widget.state() for widget in widgets))
    assert [widget.errors["mean_error"] for widget in widgets] == [0.0, 0.25, -0.25]
    means = [re.search(r"Mean error <b>(.*?)</b>", text)[1] for text in shown]
    assert means == ["0", "0.25", "−0.25"]
    assert all(text.count('r="3"') == len(halves) for text in shown)


def test_the_task_of_rounding_is_a_ruler_that_has_no_ties(node: str) -> None:
    """Where all numbers are a hair from being ties, half to even moves them all the same way."""
    page = ("numbers/rounding_to_the_bit", "Quantizer")
    even = {"rounding": "nearest"}
    moves: list[dict[str, Any]] = [{}, even, {"scale": 1.006}, even | {"scale": 1.006}]
    moves += [even | {"scale": 0.994}, {"rounding": "away", "scale": 0.994}]
    moves += [even | {"scale": 0.9}, even | {"zero_point": 2}, even | {"scale": 0.6}]
    drawn = markup(node, ENTRY, *(opening(*page, **move) for move in moves))
    assert [task(each)[0] for each in drawn] == [False] * 3 + [True] * 2 + [False] * 4


def test_a_format_is_measured_as_in_python(node: str, x: Tensor) -> None:
    widgets = [
        Quantizer(x, bits=bits, format=name, parts=["format"], scale=scale)
        for name, bits in {"E4M3FN": 8, "E5M2": 8, "E2M1FN": 4, "NF4": 4}.items()
        for scale in (None, 0.1)
    ]
    shown = markup(node, ENTRY, *(widget.state() for widget in widgets))
    for widget, text in zip(widgets, shown, strict=True):
        codes, _, ratio, _, _, share = RESULT.findall(text.split("qb-result")[1])
        numbers = {"E4M3FN": 253, "E5M2": 247, "E2M1FN": 15, "NF4": 16}[widget.format]
        assert codes == f"{numbers} numbers"
        assert ratio == f"{widget.errors['sqnr']:.2f} dB"
        assert share == f"{100 * widget.errors['clipped_share']:.2f} %"
        label = f"over {numbers} marks; below it the error of each x, of the values at most "
        assert f"{label}{widget.errors['max_error']:.4g}"[:-1] in text
        assert "Scheme" not in text and "Zero point" not in text and "Middle of" not in text


def test_the_worst_channel_is_named_and_helped_by_a_ruler_of_its_own(node: str, x: Tensor) -> None:
    rows = x.T * torch.tensor([[1.0], [8.0], [0.1]])
    state = Quantizer(rows, bits=6, parts=["channel"], goal=25, simple=True).state()
    one, each = markup(node, ENTRY, state, state | {"per_channel": True})
    ratios = [
        Quantizer(rows, bits=6, parts=["channel"], channel=i, per_channel=own).errors["sqnr"]
        for own in (False, True)
        for i in range(3)
    ]
    assert f"Worst channel <b>2, {ratios[2]:.2f} dB</b>" in one.replace("−", "-")
    assert f"{min(ratios[3:]):.2f} dB</b>" in each and min(ratios[3:]) > 25
    assert "Your task:" in one and "✓ Done:" in each


ANEW = {"scale": None, "zero_point": None}


@pytest.mark.parametrize(
    ("name", "value", "change"),
    [
        ("rounding", "down", {"rounding": "down"}),
        ("format", "NF4", {"format": "NF4", **ANEW}),
        ("bits", 8, {"bits": 8, "format": "integer", **ANEW}),
        ("per_channel", True, {"per_channel": True, **ANEW}),
        ("channel", 2, {"channel": 2}),
        ("quantMax", 3.0, {"scale": 0.5}),
    ],
    ids=str,
)
def test_what_an_input_of_a_part_changes(
    node: str, x: Tensor, name: str, value: object, change: dict
) -> None:
    state = Quantizer(x.T, bits=4, format="E2M1FN", parts=["channel", "format"]).state()
    (found,) = call(node, ENTRY, [["changed", state, name, value]])
    assert found == pytest.approx(change)


def test_another_channel_with_its_own_ruler_is_fitted_anew(node: str, x: Tensor) -> None:
    state = Quantizer(x.T, parts=["channel"], per_channel=True, scale=0.5).state()
    (found,) = call(node, ENTRY, [["changed", state, "channel", 1]])
    assert found == {"channel": 1, **ANEW}


@pytest.mark.parametrize(
    ("name", "value", "change"),
    [
        ("bits", 3, {"bits": 3, **ANEW}),
        ("signed", False, {"signed": False, **ANEW}),
        ("symmetric", True, {"symmetric": True, **ANEW}),
        ("fit", "", ANEW),
        ("zero_point", -7, {"zero_point": -7}),
        ("scale", 0.25, {"scale": 0.25}),
        ("quantMax", 35.1, {"scale": 0.3}),
        ("quantMin", -13.8, {"scale": 0.1}),
        ("quantMax", -3.0, {"scale": 32 / 255 / 5}),
        ("scale", 1e9, {"scale": 10.0}),
    ],
    ids=str,
)
def test_what_an_input_changes(node: str, name: str, value: object, change: dict) -> None:
    values = torch.tensor([-12.0, 20.0])
    state = Quantizer(values, symmetric=False, scale=0.2, zero_point=10).state()
    (found,) = call(node, ENTRY, [["changed", state, name, value]])
    assert found == pytest.approx(change)


# ------------------------------------------------------------------ Python


@pytest.mark.parametrize("signed", [True, False])
@pytest.mark.parametrize("symmetric", [True, False])
def test_starts_from_what_torchs_observer_chooses(x: Tensor, signed: bool, symmetric: bool) -> None:
    widget = Quantizer(x, signed=signed, symmetric=symmetric)
    dtype = torch.int8 if signed else torch.uint8
    assert widget.qparams == choose_qparams(x.min(), x.max(), dtype=dtype, symmetric=symmetric)


def test_measures_what_is_moved(x: Tensor) -> None:
    widget = Quantizer(x, symmetric=False, scale=0.01, zero_point=10)
    for bits in (8, 5):
        widget.bits = bits
        q = widget.qparams
        assert (q.scale.item(), int(q.zero_point)) == (pytest.approx(0.01), 10)
        restored = dequantize(quantize(x, q), q)
        expected = {"mse": mse(x, restored), "max_error": max_error(x, restored)}
        expected |= {"sqnr": sqnr(x, restored), "clipped_share": clipped_share(x, q)}
        expected["mean_error"] = (restored.double() - x.double()).mean().item()
        assert widget.errors == pytest.approx(expected, rel=1e-12) and expected["clipped_share"] > 0


def test_without_an_error_there_is_no_ratio(node: str) -> None:
    widget = Quantizer(torch.zeros(3))
    assert repr(widget).endswith("no error")
    assert "SQNR <b>no error</b>" in markup(node, ENTRY, widget.state())[0]


def test_a_move_from_the_browser_arrives_whole(x: Tensor) -> None:
    widget = Quantizer(x, symmetric=False, scale=0.5, zero_point=100)
    widget.set_state({"bits": 4, "scale": None, "zero_point": None})
    assert repr(widget) == repr(Quantizer(x, symmetric=False, bits=4))


@pytest.mark.parametrize(
    ("name", "value", "error", "message"),
    [
        ("scale", -1.0, ValueError, "scale is -1"),
        ("scale", math.nan, ValueError, "scale is nan"),
        ("zero_point", 1000, ValueError, "zero_point 1000 lies outside"),
        ("symmetric", True, ValueError, "zero_point is 50.*set symmetric=False"),
        ("bits", 4, ValueError, "zero_point 50 lies outside"),
        ("bits", 9, TraitError, "not be greater than 8"),
        ("rounding", "up", TraitError, "rounding"),
        ("format", "E4M3", TraitError, "format"),
        ("format", "NF4", ValueError, "NF4 has 4 bits, but bits is 8"),
        ("channel", 1, TraitError, "channel is 1, but there are 0 … 0"),
        ("parts", ["scale"], TraitError, "parts"),
    ],
)
def test_what_makes_no_qparams_changes_nothing(
    x: Tensor, name: str, value: Any, error: type[Exception], message: str
) -> None:
    make = partial(Quantizer, x, symmetric=False, zero_point=50)
    assert_refused(make, name, value, message, error)


@pytest.mark.parametrize(
    ("bad", "error", "message"),
    [
        (torch.zeros(0), ValueError, "0 values"),
        (torch.tensor([-3e38, math.nan, 1.0]), ValueError, "2 values that are infinite"),
        (torch.zeros(3, dtype=torch.float64), TypeError, "float64"),
    ],
)
def test_bad_values_are_named(bad: Tensor, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Quantizer(bad)


def test_channels_are_the_rows_of_a_matrix(x: Tensor) -> None:
    with pytest.raises(ValueError, match="each row is a channel: pass a matrix"):
        Quantizer(x.flatten(), parts=["channel"])
    widget = Quantizer(x.T, parts=["channel"], channel=2)
    assert torch.equal(widget.x, x[:, 2])
    assert widget.qparams == Quantizer(x).qparams
    widget.per_channel = True
    assert widget.qparams == Quantizer(x[:, 2]).qparams
    with pytest.raises(TraitError, match="channel is 3, but there are 0 … 2"):
        widget.channel = 3
