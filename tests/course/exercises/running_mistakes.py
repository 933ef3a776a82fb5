"""Typical mistakes in the code exercises of the chapter, and what each is told."""

from __future__ import annotations

BEFORE, AFTER = "max(4 / read, rows / floats)", "max(bits / 8 / read, rows / products)"
PAIR, BOTH = "node.all_input_nodes[:2]", 'all(n.name.startswith("dequantize") for n in pair)'

WRONG = [
    ("times_as_fast", f"{BEFORE}\n    after = {AFTER}",
     "4 / read + rows / floats\n    after = bits / 8 / read + rows / products", "You add reading"),
    ("times_as_fast", "max", "min", "You take the shorter one"),
    ("times_as_fast", "bits / 8", "bits", "as if they were bytes"),
    ("times_as_fast", "4 / read", "32 / read", "32 bits, and four bytes"),
    ("times_as_fast", f"{BEFORE}\n    after = {AFTER}",
     "max(32 / read, rows / floats)\n    after = max(bits / read, rows / products)",
     "bits on both sides"),
    ("times_as_fast", "before / after", "after / before", "Turned round"),
    ("times_as_fast", "before / after", "32 / bits", "the bytes alone"),
    ("times_as_fast", "before / after", "products / floats", "arithmetic alone"),
    ("times_as_fast", "rows / ", "1 / ", "as often as you multiply it"),
    ("times_as_fast", "rows / floats", "rows / products", "The float layer makes `floats`"),
    ("times_as_fast", "rows / products", "rows / floats", "The quantized layer makes `products`"),
    ("times_as_fast", "4 / read", "2 / read", "your speed should be 4, not 2"),
    ("integer_layers", BOTH, "True", "You count all layers"),
    ("integer_layers", BOTH, BOTH.replace("all(", "any("), "One side in codes is not enough"),
    ("integer_layers", PAIR, "node.all_input_nodes[:1]", "at the input alone"),
    ("integer_layers", PAIR, "node.all_input_nodes[1:2]", "at the weight alone"),
    ("integer_layers", PAIR, "node.all_input_nodes", "The bias is the third input"),
    ("integer_layers", '("linear", "conv2d")', '"dequantize"', "your count should be"),
    ("integer_layers", '("linear", "conv2d")', '"linear"', "You leave out convolutions"),
    ("integer_layers", '("linear", "conv2d")', '"conv2d"', "You leave out linear layers"),
    ("integer_layers", 'layer and node.op == "call_function"', "layer", "A parameter can"),
    ("integer_layers", "return count", "return [count]", "count should be a number, not a list"),
]  # fmt: skip

RIGHT = [
    ("times_as_fast", "4 / read", "32 / 8 / read"),
    ("times_as_fast", f"{BEFORE}\n    after = {AFTER}",
     "max(4 * floats, rows * read) / floats\n"
     "    after = max(bits * products, 8 * rows * read) / 8 / products"),
    ("integer_layers", 'startswith(("linear", "conv2d"))', 'split("_")[0] in ("linear", "conv2d")'),
    ("integer_layers", 'n.name.startswith("dequantize")', '"dequantize" in str(n.target)'),
]  # fmt: skip
