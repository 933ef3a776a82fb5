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
    ("moved_by_companions", ".abs()", "", "You keep the sign"),
    ("moved_by_companions", "amax(dim=1)", "mean(dim=1)", "You take the mean"),
    ("moved_by_companions", "torch.cat([layer(row[None]) for row in batch])",
     "layer(batch.flip(0)).flip(0)", "same companions again"),
    ("moved_by_companions", "torch.cat([layer(row[None]) for row in batch])",
     "torch.cat([layer(batch)[i : i + 1] for i in range(len(batch))])", "same companions again"),
    ("moved_by_companions", "amax(dim=1)", "amax()", "should have the shape"),
    ("moved_by_companions", "amax(dim=1)", "sum(dim=1)", "You add up the distances"),
]  # fmt: skip
