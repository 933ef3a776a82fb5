"""Tasks of widgets, each begun as a page of the book opens it, and done with the keyboard alone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.course.widgets.page import opener, write_entries

BOOK = Path(__file__).resolve().parents[3] / "book"
STATE = "application/vnd.jupyter.widget-state+json"
SHOWN = {
    "calibration/reduce_range": "Saturation",
    "models/qat": "StraightThrough",
    "models/qat_to_the_bit": "TrainingReplay",
    "integers/requantization": "Requantizer",
    "integers/requantization_to_the_bit": "Requantizer",
    "language/activations": "OutlierChannel",
    "language/weights": "QuantizedMatrix",
    "models/dynamic_quantization": "SwappedLayers",
    "today/qconfig": "QConfigRules",
    "numbers/rounding_to_the_bit": "Quantizer",
    "formats/four_bits_to_the_bit": "Quantizer",
    "calibration/observers_to_the_bit": "Quantizer",
    "numbers/scale_and_zero_point_to_the_bit": "Quantizer",
}
# For each page the controls in their order, by role and name, and what is typed into each.
SOLUTIONS: dict[str, list[tuple[Any, str, list[str]]]] = {
    "calibration/reduce_range": [
        ("slider", "Activation 1", ["PageDown"] * 5 + ["ArrowLeft"] * 2),
        ("slider", "Activation 2", ["PageDown"] * 5 + ["ArrowLeft"] * 2),
    ],
    "models/qat": [
        ("slider", "Target", ["ArrowUp"] * 10),
        ("button", "Twenty steps", ["Space", "Enter"]),
    ],
    "models/qat_to_the_bit": [("button", "Next record", ["Space"] * 7)],
    "integers/requantization": [
        ("checkbox", "Fused ReLU", ["Space"]),
        ("slider", "Zero point", ["Home"]),
    ],
    "integers/requantization_to_the_bit": [("spinbutton", "Sum", ["ControlOrMeta+a", *"103125"])],
    "language/activations": [
        ("combobox", "A scale for", ["ArrowUp"]),
        ("combobox", "Remedy", ["ArrowDown", "ArrowDown"]),
    ],
    "language/weights": [
        ("slider", "Bits", ["ArrowRight"]),
        ("slider", "Scale of", ["ArrowRight"]),
    ],
    "models/dynamic_quantization": [
        ("spinbutton", "Batch", ["ControlOrMeta+a", *"100"]),
        ("spinbutton", "Steps", ["ControlOrMeta+a", *"1"]),
    ],
    "today/qconfig": [
        ("textbox", "Rule C: for what", ["ControlOrMeta+a", *".*"]),
        ("combobox", "Rule D: what it gives", ["End"]),
    ],
    "numbers/rounding_to_the_bit": [
        ("combobox", "Rounding", ["ArrowUp"]),
        ("slider", "Right end of the ruler", ["ArrowLeft"]),
    ],
    "formats/four_bits_to_the_bit": [
        ("combobox", "Marks", ["End"]),
        ("slider", "Right end of the ruler", ["ArrowLeft"] * 19),
    ],
    "calibration/observers_to_the_bit": [("combobox", "Rulers", ["ArrowUp"])],
    "numbers/scale_and_zero_point_to_the_bit": [("combobox", "Scheme", ["ArrowDown"])],
}


def stored(page: str, name: str) -> dict[str, Any]:
    """Return what the notebook stores of its widget of this class."""
    notebook = json.loads((BOOK / f"{page}.ipynb").read_text(encoding="utf-8"))
    entries = notebook["metadata"]["widgets"][STATE]["state"].values()
    ends = f".{name}"
    (entry,) = [e for e in entries if e["state"].get("_anywidget_id", "").endswith(ends)]
    return entry


@pytest.fixture(scope="module")
def page(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """Return a page of all these widgets, on a telephone."""
    entries = {f"model{i}": stored(*each) for i, each in enumerate(SHOWN.items())}
    address = write_entries(tmp_path_factory.mktemp("tasks"), entries)
    with opener(browser) as open_page:
        yield open_page(address, width=390, has_touch=True)


def type_into(control: Locator, keys: list[str]) -> None:
    control.focus()
    for key in keys:
        control.page.keyboard.press(key)


@pytest.mark.parametrize("name", SHOWN)
def test_a_task_is_open_and_done_with_the_keyboard_alone(page: Page, name: str) -> None:
    widget = page.locator(".qb-widget").nth(list(SHOWN).index(name))
    task = widget.locator(".qb-task")
    for role, label, keys in SOLUTIONS[name]:
        expect(task).to_contain_text("Your task:")
        type_into(widget.get_by_role(role, name=label, exact=True), keys)
    expect(task).to_contain_text("✓ Done:")
