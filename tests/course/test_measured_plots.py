from __future__ import annotations

import matplotlib.pyplot as plt
import pytest

from qlearn.course.measured_plots import speed_dots, two_limits
from tests.course.test_measured import ROWS, column


def test_each_method_has_a_line_and_each_way_its_mark() -> None:
    figure = speed_dots(column(*ROWS), "mlp", 1)
    (ax,) = figure.axes
    assert [label.get_text() for label in ax.get_yticklabels()] == ["int8", "float32"]
    drawn = {line.get_label(): list(line.get_xdata()) for line in ax.lines}
    assert drawn["eager"] == [1.0, 0.25]
    assert drawn["frozen"] == [4.0]
    assert figure.get_supxlabel() == str(column())
    plt.close(figure)


def test_the_limits_show_the_prediction_and_what_was_measured() -> None:
    figure = two_limits(column(*ROWS), lambda rows, dtype: rows + (dtype == "float32"))
    (ax,) = figure.axes
    float32, int8, measured = ax.lines
    assert float32.get_ydata()[0] == 2 and int8.get_ydata()[0] == 1
    assert list(measured.get_ydata()) == [3.0]
    assert figure.get_supxlabel() == str(column())
    plt.close(figure)


def test_a_network_that_was_not_measured_is_refused() -> None:
    with pytest.raises(ValueError, match="not in the record"):
        speed_dots(column(*ROWS), "cnn", 8)
