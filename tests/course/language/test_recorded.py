"""Recorded figures: read, found again, and refused where they differ."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

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


def shape(found: Any) -> Any:
    """Return the names and lengths of a record, without its figures."""
    if isinstance(found, dict):
        return {name: shape(each) for name, each in found.items()}
    return [shape(each) for each in found] if isinstance(found, list) else type(found)


def numbers(found: Any) -> Iterator[float]:
    """Yield all figures of a record, in its order."""
    if isinstance(found, float):
        yield found
    elif isinstance(found, dict | list):
        for each in found.values() if isinstance(found, dict) else found:
            yield from numbers(each)


@pytest.mark.parametrize("name", ["weights", "activations"])
def test_the_short_text_has_the_figures_of_the_long_one(name: str) -> None:
    found = recorded(name)
    short = found.pop("short")
    found.pop("texts", None)
    assert shape(short) == shape(found)
    assert short["float"] != found["float"]
    # It is a quarter of the long text, so what is computed of it on the pages speaks for the rest.
    apart = [abs(a / b - 1) for a, b in zip(numbers(short), numbers(found), strict=True) if b]
    assert max(apart) < 0.05


def test_the_short_cache_has_one_figure_for_three() -> None:
    found = recorded("cache")
    for kind in ("groups", "affine", "before rotary"):
        assert {*found["short"][kind]} == {*found[kind]}
    assert [len(each) for each in (found["float"], found["short"]["float"])] == [3, 1]


def test_what_was_not_measured_is_said() -> None:
    with pytest.raises(LookupError, match=r"nothing.json: run python -m data_makers"):
        recorded("nothing")


def test_a_figure_is_found_again_or_refused() -> None:
    confirm(1.2004, 1.2, within=5e-4)
    for found in (1.2006, float("nan")):
        with pytest.raises(ValueError, match="recorded is 1.2, more than 0.0005 apart"):
            confirm(found, 1.2, within=5e-4)
