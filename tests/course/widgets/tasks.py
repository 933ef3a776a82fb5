"""How the task of each widget is done by hand, from where its page opens it."""

from __future__ import annotations

from typing import Any

Step = tuple[Any, str, list[str]]  # a control's role and name, and the keys pressed on it


def over(text: str) -> list[str]:
    """Return the keys that type a text over the one of a field."""
    return ["ControlOrMeta+a", *text]


def pressed(*names: str) -> list[Step]:
    """Return the steps that press these buttons."""
    return [("button", name, ["Space"]) for name in names]


# By page and class. Before each step the task is open, behind the last one it is done.
TASKS: dict[tuple[str, str], list[Step]] = {
    ("calibration/observers", "ObserverStream"): [
        ("combobox", "Observer", ["ArrowDown"]),
        ("slider", "Averaging constant", ["ArrowRight"] * 3),
        ("slider", "Batches seen", ["End"]),
    ],
    ("calibration/observers_to_the_bit", "Quantizer"): [("combobox", "Rulers", ["ArrowUp"])],
    ("calibration/reduce_range", "Saturation"): [
        ("slider", "Activation 1", ["PageDown"] * 5 + ["ArrowLeft"] * 2),
        ("slider", "Activation 2", ["PageDown"] * 5 + ["ArrowLeft"] * 2),
    ],
    ("formats/float8_and_microscaling", "FloatBits"): pressed(
        "Bit 5: 1", "Bit 3: 1", "Bit 1: 1", "Bit 0: 0"
    ),
    ("formats/four_bits", "GroupedRow"): [
        ("combobox", "Marks", ["ArrowDown"]),
        ("slider", "Group", ["ArrowLeft"]),
    ],
    ("formats/four_bits_to_the_bit", "Quantizer"): [
        ("combobox", "Marks", ["End"]),
        ("slider", "Right end of the ruler", ["ArrowLeft"] * 19),
    ],
    ("integers/dynamic_linear", "DynamicLinear"): [
        ("spinbutton", "x, row 2, number 2", over("1000")),
    ],
    ("integers/requantization", "Requantizer"): [
        ("checkbox", "Fused ReLU", ["Space"]),
        ("slider", "Zero point", ["Home"]),
    ],
    ("integers/requantization_to_the_bit", "Requantizer"): [("spinbutton", "Sum", over("103125"))],
    ("language/activations", "OutlierChannel"): [
        ("combobox", "A scale for", ["ArrowUp"]),
        ("combobox", "Remedy", ["ArrowDown", "ArrowDown"]),
    ],
    ("language/cache", "GrowingCache"): [("combobox", "Keys: a scale for", ["ArrowUp"])],
    ("language/weights", "GPTQSteps"): pressed("Back", "Back"),
    ("language/weights", "QuantizedMatrix"): [
        ("slider", "Bits", ["ArrowRight"]),
        ("slider", "Scale of", ["ArrowRight"]),
    ],
    ("models/dynamic_quantization", "SwappedLayers"): [
        ("spinbutton", "Batch", over("100")),
        ("spinbutton", "Steps", over("1")),
    ],
    ("models/qat", "StraightThrough"): [
        ("slider", "Target", ["ArrowUp"] * 10),
        ("button", "Twenty steps", ["Space", "Enter"]),
    ],
    ("models/qat_to_the_bit", "TrainingReplay"): [("button", "Next record", ["Space"] * 7)],
    ("models/static_quantization", "NetworkLayers"): [
        ("slider", "Layer to look at", ["ArrowRight"]),
        ("slider", "Codes of conv2", ["ArrowLeft"] * 4),
    ],
    ("numbers/rounding_to_the_bit", "Quantizer"): [
        ("combobox", "Rounding", ["ArrowUp"]),
        ("slider", "Right end of the ruler", ["ArrowLeft"]),
    ],
    ("numbers/scale_and_zero_point_to_the_bit", "Quantizer"): [
        ("combobox", "Scheme", ["ArrowDown"]),
    ],
    ("start/which_one", "DecisionGuide"): pressed(
        "dozens of rows or more", "far larger inputs, and typical ones to look at"
    ),
    ("today/qconfig", "QConfigRules"): [
        ("textbox", "Rule C: for what", over(".*")),
        ("combobox", "Rule D: what it gives", ["End"]),
    ],
    ("today/torchao_and_pt2e_to_the_bit", "OldAndNew"): [
        ("slider", "Size of the token", ["ArrowRight"]),
        ("combobox", "Old codes", ["ArrowDown"]),
    ],
}
