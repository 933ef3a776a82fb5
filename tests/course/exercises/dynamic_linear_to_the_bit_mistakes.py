"""Typical mistakes in the code exercise of the page to the bit, and what each is told."""

from __future__ import annotations

LAST, COLUMN = "x_codes @ w_codes.T - z_x * column - z_w * row", " - w_codes.shape[1] * z_w"
WRONG = [
    ("accumulators", LAST, "x_codes @ w_codes.T", "Nothing is subtracted"),
    ("accumulators", LAST, "x_codes @ w_codes.T - z_x * w_codes.sum(dim=1)", "of the weight"),
    ("accumulators", " - z_x * column", " + len(w_codes[0]) * z_x * z_w", "point of the input"),
    ("accumulators", "keepdim=True", "keepdim=False", "Keep them as a column"),
    ("accumulators", COLUMN, "", "The constant term is missing"),
    ("accumulators", COLUMN, " - z_w", "is there once"),
    ("accumulators", COLUMN, " + w_codes.shape[1] * z_w", "the wrong sign"),
    ("accumulators", "w_codes.shape[1] * z_w", "len(w_codes) * z_w", "your accumulators should"),
    ("accumulators", "w_codes.long()", "w_codes.float()", "convert both first"),
]  # fmt: skip
RIGHT = [
    ("accumulators", LAST, "(x_codes - z_x) @ (w_codes - z_w).T"),
    ("accumulators", LAST, "(x_codes - z_x).int() @ (w_codes - z_w).int().T"),
]
