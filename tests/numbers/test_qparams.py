"""QParams: what it keeps, and what it refuses."""

import dataclasses
import math
import pickle

import numpy as np
import pytest
import torch

from qlearn import QParams, quantize
from qlearn.numbers.qparams import SMALLEST_SCALE

CHANNELS = QParams([0.1, 0.2], [1, 2], 0, 255, torch.uint8, axis=0)


def test_scale_becomes_float32_and_zero_point_int32():
    qparams = QParams(0.1, 10, -128, 127, torch.int8)
    assert qparams.scale.dtype == torch.float32 and qparams.scale.shape == ()
    assert qparams.zero_point.dtype == torch.int32 and qparams.zero_point.shape == ()
    assert qparams.scale.item() == np.float32(0.1)


@pytest.mark.parametrize(
    ("scale", "zero_point"),
    [
        ([0.1, 0.2], [1, 2]),
        (torch.tensor([0.1, 0.2], dtype=torch.float64), torch.tensor([1, 2], dtype=torch.uint8)),
        (np.array([0.1, 0.2]), np.array([1, 2])),
    ],
    ids=["lists", "float64-and-uint8", "numpy"],
)
def test_accepts_numbers_in_any_container(scale, zero_point):
    assert QParams(scale, zero_point, 0, 255, torch.uint8, axis=0) == CHANNELS


def test_is_frozen_and_keeps_its_own_copies():
    scale = torch.tensor([0.1, 0.2])
    qparams = QParams(scale, [1, 2], 0, 255, torch.uint8, axis=0)
    scale[0] = 99.0
    assert qparams == CHANNELS
    with pytest.raises(dataclasses.FrozenInstanceError):
        qparams.scale = scale


def test_equality_sees_every_attribute():
    base = {"scale": [0.1, 0.2], "zero_point": [1, 2], "quant_min": 0, "quant_max": 127}
    base |= {"dtype": torch.uint8, "axis": 0}
    changes = {"scale": [0.1, 0.3], "zero_point": [1, 3], "quant_min": 1, "quant_max": 126}
    changes |= {"dtype": torch.int8, "axis": 1}
    assert QParams(**base) == QParams(**base)
    for name, value in changes.items():
        assert QParams(**(base | {name: value})) != QParams(**base), name
    assert QParams(**base) != 3


@pytest.mark.parametrize("qparams", [CHANNELS, QParams(1 / 3, 10, -128, 127, torch.int8)])
def test_its_repr_is_the_call_that_makes_it(qparams):
    assert eval(repr(qparams), {"QParams": QParams, "torch": torch}) == qparams


def test_survives_pickling():
    assert pickle.loads(pickle.dumps(CHANNELS)) == CHANNELS


def test_the_smallest_scale_is_the_smallest_with_a_finite_reciprocal():
    smallest = torch.tensor(SMALLEST_SCALE, dtype=torch.float32)
    below = torch.nextafter(smallest, torch.tensor(0.0))
    assert torch.isfinite(1 / smallest) and torch.isinf(1 / below)
    QParams(smallest, 0, -128, 127, torch.int8)
    with pytest.raises(ValueError, match="at least"):
        QParams(below, 0, -128, 127, torch.int8)


def test_why_smaller_scales_are_refused():
    """torch accepts them, and then 0.0 no longer becomes the zero point."""
    codes = torch.quantize_per_tensor(torch.zeros(1), 1e-39, 3, torch.qint8).int_repr()
    assert codes.item() != 3  # 127 on x86-64, 0 on Linux ARM


@pytest.mark.parametrize("scale", [0.0, -0.1, math.nan, math.inf, -math.inf, 1e-50, 1e39, True])
def test_bad_scales(scale):
    with pytest.raises((ValueError, TypeError), match="scale"):
        QParams(scale, 0, -128, 127, torch.int8)


def test_one_bad_channel_is_named():
    with pytest.raises(ValueError, match=r"scale is -2\.0"):
        QParams([1.0, -2.0], [0, 0], -128, 127, torch.int8, axis=0)


@pytest.mark.parametrize("zero_point", [-129, 128, 2**40])
def test_zero_point_outside_its_range(zero_point):
    with pytest.raises(ValueError, match=f"zero_point {zero_point} lies outside -128..127"):
        QParams(0.1, zero_point, -128, 127, torch.int8)


def test_zero_point_outside_a_narrowed_range():
    with pytest.raises(ValueError, match=r"zero_point 128 lies outside 0\.\.127"):
        QParams(0.1, 128, 0, 127, torch.uint8)


@pytest.mark.parametrize("zero_point", [1.0, torch.tensor(21.0), True, "1", None])
def test_zero_point_must_be_an_integer(zero_point):
    with pytest.raises(TypeError, match="zero_point"):
        QParams(0.1, zero_point, -128, 127, torch.int8)


@pytest.mark.parametrize(
    ("scale", "zero_point", "axis", "message"),
    [
        ([0.1, 0.2], [1, 2], None, "axis is None"),
        ([0.1, 0.2], [1, 2, 3], 0, "come in pairs"),
        ([0.1, 0.2], 1, 0, "come in pairs"),
        (0.1, 1, 0, r"shape \(C,\)"),
        ([[0.1]], [[1]], 0, r"shape \(C,\)"),
        (torch.zeros(0), torch.zeros(0, dtype=torch.int32), 0, "at least 1"),
    ],
)
def test_shapes_and_axis_belong_together(scale, zero_point, axis, message):
    with pytest.raises(ValueError, match=message):
        QParams(scale, zero_point, 0, 255, torch.uint8, axis=axis)


@pytest.mark.parametrize("axis", [1.0, "0", True])
def test_axis_must_be_an_integer(axis):
    with pytest.raises(TypeError, match="axis"):
        QParams([0.1], [0], 0, 255, torch.uint8, axis=axis)


def test_a_scale_that_is_no_number():
    with pytest.raises(TypeError, match="scale is 'x'"):
        QParams("x", 0, 0, 255, torch.uint8)
    with pytest.raises(TypeError, match="complex64"):
        QParams(torch.tensor(1j), 0, 0, 255, torch.uint8)


@pytest.mark.parametrize("axis", [2, -3])
def test_an_axis_the_tensor_has_not(axis):
    with pytest.raises(ValueError, match=f"axis {axis} does not exist"):
        quantize(torch.zeros(2, 2), QParams([0.1, 0.2], [0, 0], 0, 255, torch.uint8, axis=axis))


def test_another_number_of_channels():
    with pytest.raises(ValueError, match=r"3 channels along axis 0 .* the qparams have 2"):
        quantize(torch.zeros(3, 2), CHANNELS)
