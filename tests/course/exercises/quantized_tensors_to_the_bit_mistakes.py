"""Typical mistakes in the code exercise of the page, and what each is told."""

from __future__ import annotations

WRONG = [
    ("kept_rows", "q.qparams.scale[rows]", "q.qparams.scale", "ValueError"),
    ("kept_rows", "QTensor(q.values[rows], kept)", "QTensor(q.values[rows], q.qparams)",
     r"it stops in line \d+, `return QTensor.* ValueError"),
    ("kept_rows", "scale[rows]", "scale[:len(rows)]", "your numbers should be"),
    ("kept_rows", "zero_point[rows]", "zero_point[:len(rows)]", "those of the first rows"),
    ("kept_rows", "q.qparams.zero_point[rows]", "0 * q.qparams.zero_point[rows]",
     "You lose the zero points"),
    ("kept_rows", "    scale = ", "    rows = sorted(rows)\n    scale = ",
     "in the order of the weight"),
    ("kept_rows", "q.qparams.scale[rows]", "q.qparams.scale[sorted(rows)]",
     "and the scales are not"),
    ("kept_rows", "QTensor(q.values[rows], kept)", "q.values[rows]", "return a QTensor"),
]  # fmt: skip

RIGHT = [
    ("kept_rows", "q.values[rows]", "q.values[torch.tensor(rows)]"),
    ("kept_rows", "q.values[rows]", "torch.stack([q.values[row] for row in rows])"),
]
