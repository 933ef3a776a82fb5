"""Recorded figures: read, found again, and refused where they differ."""

from __future__ import annotations

import pytest

from qlearn.course.language.recorded import confirm, recorded


def test_the_grid_of_weights_has_each_setting_once() -> None:
    found = recorded("weights")
    settings = [(bits, shared) for bits, shared, _ in found["grid"]]
    assert len(settings) == len(set(settings)) == 25
    assert [(bits, shared) for bits, shared, _ in found["texts"]] == settings
    assert min(figure for _, _, figure in found["grid"]) >= found["float"] - 1e-3


def test_three_calibration_texts_for_each_method_with_inputs() -> None:
    found = recorded("weights")
    for kinds in (*found["methods"].values(), found["outliers"]["4"]):
        for kind in kinds.values():
            assert [len(kind[method]) for method in ("AWQ", "GPTQ")] == [3, 3]


def test_what_was_not_measured_is_said() -> None:
    with pytest.raises(LookupError, match=r"nothing.json: run python -m data_makers"):
        recorded("nothing")


def test_a_figure_is_found_again_or_refused() -> None:
    assert confirm(1.2004, 1.2, within=5e-4) == 1.2
    for found in (1.2006, float("nan")):
        with pytest.raises(ValueError, match="recorded is 1.2, more than 0.0005 apart"):
            confirm(found, 1.2, within=5e-4)
