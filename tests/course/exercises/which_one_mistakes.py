"""Typical mistakes in the code exercises of the chapter, and what each is told."""

from __future__ import annotations

COUNT = "inputs[0].numel() // layer.in_features"
GAIN = "max(4 / reads, products) / max(1 / reads, products)"

WRONG = [
    ("most_rows", COUNT, "len(inputs[0])",
     "the guide gives it int8 weights, and it becomes no faster.*should be 17, not 1"),
    ("most_rows", COUNT, "inputs[0][0].numel() // layer.in_features", "of a batch are counted"),
    ("most_rows", COUNT, "inputs[0].shape[-2]", "of a whole batch are counted"),
    ("most_rows", COUNT, "inputs[0].numel()", "You count numbers"),
    ("most_rows", COUNT, "inputs[0].shape[-1]", "your rows should be 3, not"),
    ("most_rows", COUNT, "x.numel() // layer.in_features", "What does each of its layers get"),
    ("most_rows", "layer.in_features", "layer.out_features", "the number of its outputs"),
    ("most_rows", COUNT, "output.numel() // layer.in_features", "the number of its inputs"),
    ("most_rows", COUNT, "inputs.numel() // layer.in_features", "Python says"),
    ("most_rows", "max(rows)", "min(rows)", "Other layers get more"),
    ("most_rows", "max(rows)", "rows[-1]", "Other layers get more"),
    ("most_rows", "max(rows)", "sum(rows)", "take the most"),
    ("most_rows", "max(rows)", "len(rows)", "You count the layers"),
    ("most_rows", "max(rows)", "rows", "rows should be a number, not a list"),
    ("gain_of_weights", GAIN, "(4 / reads + products) / (1 / reads + products)", "You add"),
    ("gain_of_weights", GAIN, "min(4 / reads, products) / min(1 / reads, products)",
     "The slower one is the time"),
    ("gain_of_weights", GAIN, "max(1 / reads, products) / max(4 / reads, products)",
     "The other way round"),
    ("gain_of_weights", "    return ", "    gain = ", "returns nothing: is its `return` missing"),
    ("gain_of_weights", f"return {GAIN}", "gain = 4 / reads", "returns nothing: is its `return`"),
    ("gain_of_weights", GAIN, "(4.0, 1.0)", "Your gain should be a number, not a tuple"),
    ("gain_of_weights", GAIN, "torch.tensor([9.0])", "your gain should be 4, not 9"),
    ("gain_of_weights", GAIN, "4", "is still 4 here"),
    ("gain_of_weights", GAIN, "max(4 / reads, products) / max(1 / reads, products / 4)",
     "is still 4 here"),
    ("gain_of_weights", "rows / multiplies", "1 / multiplies", "for any number of rows"),
    ("gain_of_weights", "rows / multiplies", "multiplies / rows", "your gain should be 4, not 1"),
    ("gain_of_weights", GAIN, "max(32 / reads, products) / max(8 / reads, products)",
     "You count bits"),
    ("gain_of_weights", GAIN, "max(4 * rows / reads, products) / max(rows / reads, products)",
     "for any number of rows"),
    ("gain_of_weights", GAIN, "max(4 / reads, products) - max(1 / reads, products)",
     "your gain should be 4, not 1.5e-10"),
    ("gain_of_weights", GAIN, "max(1, 4 / reads / products)", "your gain should be 4, not 7.2"),
    ("gain_of_weights", GAIN, "max(4 / reads, 4 * products) / max(1 / reads, products)",
     "as float32 before and after"),
]  # fmt: skip

RIGHT = [
    ("most_rows", COUNT, "inputs[0].shape[:-1].numel()"),
    ("most_rows", COUNT, "len(inputs[0].reshape(-1, layer.in_features))"),
    ("gain_of_weights", GAIN, "max(4, products * reads) / max(1, products * reads)"),
]  # fmt: skip
