"""The widget's Python side: what it stores, what it says, what it refuses."""

import math

import pytest
import torch

from qlearn import choose_qparams, clipped_share, split_mse
from qlearn.course.widgets import ClippingThreshold


@pytest.fixture
def tensors():
    generator = torch.Generator().manual_seed(0)
    return {
        "normal": torch.randn(300, generator=generator),
        "rows": 5 * torch.rand(20, 4, generator=generator).t(),
    }


def test_starts_at_the_largest_value(tensors):
    widget = ClippingThreshold(tensors)
    assert (widget.data, widget.bits) == ("normal", 4)
    x = tensors["normal"]
    largest = x.abs().max().item()
    assert widget.threshold == largest
    expected = choose_qparams(-largest, largest, symmetric=True, quant_min=-8, quant_max=7)
    assert widget.qparams == expected
    assert (widget.rounding_error, widget.clipping_error) == split_mse(x, expected)


def test_starts_where_it_is_told_to(tensors):
    widget = ClippingThreshold(tensors, data="rows", bits=8, threshold=2.0)
    assert (widget.data, widget.bits, widget.threshold) == ("rows", 8, 2.0)
    assert widget.qparams == choose_qparams(-2.0, 2.0, symmetric=True)
    x = tensors["rows"]
    assert widget.clipped_share == clipped_share(x, widget.qparams) > 0
    assert (widget.rounding_error, widget.clipping_error) == split_mse(x, widget.qparams)


def test_the_page_gets_the_values_as_little_endian_float32(tensors):
    widget = ClippingThreshold(tensors)
    stored = torch.frombuffer(bytearray(widget.values), dtype=torch.float32)
    parts = stored.split(widget.lengths)
    assert widget.names == ["normal", "rows"] and len(parts) == 2
    for part, x in zip(parts, tensors.values(), strict=True):
        assert torch.equal(part, x.flatten())


def test_a_move_is_measured_anew(tensors):
    widget = ClippingThreshold(tensors)
    widget.bits, widget.threshold = 2, 1.5
    fresh = ClippingThreshold(tensors, bits=2, threshold=1.5)
    assert repr(widget) == repr(fresh) and widget.clipping_error == fresh.clipping_error
    widget.data = "rows"
    assert repr(widget) == repr(ClippingThreshold(tensors, data="rows", bits=2))


def test_the_first_tensor_is_measured_where_its_largest_value_is_the_default(tensors):
    widget = ClippingThreshold({"one": torch.tensor([1.0, 0.25])}, bits=2)
    assert (widget.rounding_error, widget.clipping_error) == split_mse(
        torch.tensor([1.0, 0.25]), widget.qparams
    )


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("threshold", 0.0, "threshold is 0.0"),
        ("threshold", math.nan, "threshold is nan"),
        ("threshold", 1e37, "at most 1e\\+30"),
        ("data", "weights", "data is 'weights', but the tensors are 'normal', 'rows'"),
    ],
)
def test_a_bad_assignment_changes_nothing(tensors, name, value, message):
    widget = ClippingThreshold(tensors)
    before = repr(widget)
    with pytest.raises(ValueError, match=message):
        setattr(widget, name, value)
    assert repr(widget) == before
    with pytest.raises(ValueError, match=message):
        ClippingThreshold(tensors, **{name: value})


@pytest.mark.parametrize(
    ("tensors", "error", "message"),
    [
        ({}, ValueError, "tensors is empty"),
        ({"x": torch.zeros(3)}, ValueError, "'x' holds no number but zero"),
        ({"x": torch.zeros(0)}, ValueError, "'x' holds no number but zero"),
        ({"x": torch.ones(9_000), "y": torch.ones(1_001)}, ValueError, "10001 values"),
        ({"x": torch.tensor([1.0, math.inf])}, ValueError, "1 values that are infinite"),
        ({"x": torch.zeros(3, dtype=torch.float64)}, TypeError, "float64"),
    ],
    ids=["none", "zeros", "empty", "many", "infinite", "float64"],
)
def test_bad_tensors_are_named(tensors, error, message):
    with pytest.raises(error, match=message):
        ClippingThreshold(tensors)
