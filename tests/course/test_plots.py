"""The figures draw what they are given, and refuse what they cannot show."""

import matplotlib.pyplot as plt
import pytest
import torch

from qlearn import QParams
from qlearn.course.plots import (
    covered_range,
    curves,
    error_bars,
    error_histograms,
    staircase,
)

COARSE = QParams(1.0, 2, -8, 7, torch.int8)


@pytest.fixture(autouse=True)
def close_figures():
    plt.switch_backend("agg")
    yield
    plt.close("all")


def test_covered_range_is_what_the_first_and_last_code_mean():
    assert covered_range(COARSE) == (-10.0, 5.0)


def test_the_staircase_shows_the_restored_values():
    (ax,) = staircase(COARSE, low=-14, high=9).axes
    drawn = {line.get_label(): line for line in ax.lines}["what comes back"]
    assert sorted(set(drawn.get_ydata().tolist())) == [float(v) for v in range(-10, 6)]


def test_error_bars_draws_every_series_or_none():
    (ax,) = error_bars(["a", "b"], {"one": [1, 2], "two": [3, 4]}, ylabel="dB").axes
    assert sorted(bar.get_height() for bar in ax.patches) == [1, 2, 3, 4]
    with pytest.raises(ValueError, match="5 series"):
        error_bars(["a"], {str(i): [i] for i in range(5)}, ylabel="dB")


def test_error_histograms_are_densities_over_one_step():
    even = torch.linspace(-0.499, 0.499, 1000)
    figure = error_histograms({"even": even, "at the ends": even.sign() * 0.49})
    heights = [[bar.get_height() for bar in ax.patches] for ax in figure.axes]
    assert heights[0] == pytest.approx([1.0] * 50, abs=0.1)
    assert heights[1] == pytest.approx([25.0] + [0.0] * 48 + [25.0])
    assert [ax.get_title(loc="left") for ax in figure.axes] == ["even", "at the ends"]


def test_curves_draw_lines_and_points_in_the_same_colour():
    lines = {"a": [(0.0, 1.0), (1.0, 2.0)], "b": [(0.0, 3.0), (1.0, 4.0)]}
    figure = curves(lines, points={"b": [(0.5, 3.5)]}, xlabel="x", ylabel="y", logarithmic=True)
    (ax,) = figure.axes
    first, second, dots = ax.lines
    assert first.get_ydata().tolist() == [1.0, 2.0] and dots.get_xdata().tolist() == [0.5]
    assert dots.get_color() == second.get_color() != first.get_color()
    assert ax.get_yscale() == "log"


def test_curves_refuse_what_cannot_be_told_apart():
    line = [(0.0, 1.0), (1.0, 2.0)]
    with pytest.raises(ValueError, match="5 lines"):
        curves({str(i): line for i in range(5)}, xlabel="x", ylabel="y")
    with pytest.raises(ValueError, match=r"given for \['c'\]"):
        curves({"a": line}, points={"c": line}, xlabel="x", ylabel="y")
