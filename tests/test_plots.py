"""The figures draw what they are given, and refuse what they cannot show."""

import matplotlib.pyplot as plt
import pytest
import torch

from qlearn import QParams
from qlearn.plots import covered_range, error_bars, number_lines, staircase

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


def test_number_lines_has_a_line_for_each_choice_and_channel():
    x = torch.tensor([[0.0, 1.0], [2.0, 3.0]])
    rows = QParams([1.0, 2.0], [0, 0], -8, 7, torch.int8, axis=0)
    (ax,) = number_lines(x, {"all": COARSE, "row": rows}).axes
    assert [text.get_text().strip() for text in ax.texts] == ["row 1", "row 0", "all"]
    with pytest.raises(ValueError, match="along axis 1"):
        number_lines(x, {"column": QParams([1.0, 2.0], [0, 0], -8, 7, torch.int8, axis=1)})


def test_error_bars_draws_every_series_or_none():
    (ax,) = error_bars(["a", "b"], {"one": [1, 2], "two": [3, 4]}, ylabel="dB").axes
    assert sorted(bar.get_height() for bar in ax.patches) == [1, 2, 3, 4]
    with pytest.raises(ValueError, match="5 series"):
        error_bars(["a"], {str(i): [i] for i in range(5)}, ylabel="dB")
