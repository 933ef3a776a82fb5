"""Typical mistakes in the code exercises of the chapter, and what each is told."""

from __future__ import annotations

PART = "parts = zero_points[:, None] * q.int().sum(dim=1)"
WRONG = [
    ("sums_by_rows", PART, "parts = 0", "Nothing is subtracted"),
    ("sums_by_rows", PART, "parts = zero_points[:, None]", "You subtract a zero point once"),
    ("sums_by_rows", PART, "parts = zero_points[:, None] * p.shape[1]", "once for each feature"),
    ("sums_by_rows", PART, "parts = -zero_points[:, None] * q.int().sum(dim=1)", "You add the"),
    ("sums_by_rows", PART, "parts = zero_points[0] * q.int().sum(dim=1)", "of row 0 for all"),
    ("sums_by_rows", PART, "parts = zero_points * q.int().sum(dim=1)", "go with the outputs"),
    ("sums_by_rows", "sum(dim=1)", "sum()", "all outputs' weights"),
    ("sums_by_rows", "p.int() @ q.int().T", "p.short() @ q.short().T", "has 16 bits"),
    ("sums_by_rows", "p.int() @ q.int().T", "p @ q.T", "it stops in line|should be"),
    ("bits_lost", "high.clamp(min=0) - low.clamp(max=0)", "high - low", "as it is. A ruler"),
    ("bits_lost", "low, high = batch.aminmax(dim=1)",
     "high = batch.abs().amax(dim=1)\n    low = 0 * high", "You compare the largest sizes"),
    ("bits_lost", "whole / widths", "widths / whole", "the other way round"),
    ("bits_lost", "(whole / widths).log2()", "whole / widths", "That is the factor"),
    ("bits_lost", "log2()", "log()", "natural logarithm"),
    ("bits_lost", "(whole / widths).log2()", "20 * (whole / widths).log10()", "in decibels"),
    ("bits_lost", "    low, high", "    batch.sub_(1)\n    low, high", "changes the tensor"),
    ("bits_lost", "aminmax(dim=1)", "aminmax(dim=0)", "should have the shape|your bits should be"),
]  # fmt: skip
