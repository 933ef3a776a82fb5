"""Typical mistakes in the code exercises of the chapter, and what each is told."""

from __future__ import annotations

SHIFT, PADDED = "(sums.long() * n + half) >> k", "pad(q.values, (width,) * 4, value=zero)"
CODES = "(steps + zero_point).clamp(0, 255)"
WRONG = [
    ("codes_by_shift", " + half", "", "A shift rounds down"),
    ("codes_by_shift", SHIFT, "torch.div(sums.long() * n + half, 1 << k, rounding_mode='trunc')",
     "You cut the fraction off"),
    ("codes_by_shift", "n + half) >> k", "n + half + zero_point) >> k\n    zero_point = 0",
     "before the shift"),
    ("codes_by_shift", CODES, "steps.clamp(0, 255)", "You leave out the zero point"),
    ("codes_by_shift", CODES, "(steps.clamp(0, 255) + zero_point)", "lose all numbers below 0"),
    ("codes_by_shift", CODES, "(steps + zero_point)", "You do not clip"),
    ("codes_by_shift", "sums.long()", "sums", "Your products have 32 bits"),
    ("codes_by_shift", SHIFT, "(sums.double() * n / 2**k).round()", "Use integers alone"),
    ("codes_by_shift", ".to(torch.uint8)", "", "should be torch.uint8"),
    ("in_a_border", "value=zero", "value=0", "the code 0, which means another"),
    ("in_a_border", "value=zero", "value=128", "only if the zero point is 128"),
    ("in_a_border", "value=zero", "value=1", "Which code means the number 0"),
    ("in_a_border", PADDED, "pad(q.values.float(), (width,) * 4, mode='replicate').byte()",
     "with pixels of the edge"),
    ("in_a_border", "(width,) * 4", "(0, width, 0, width)", "should have the shape"),
    ("in_a_border", "QTensor(values, q.qparams)", "values", "return a QTensor"),
    ("in_a_border", "QTensor(values, q.qparams)",
     "QTensor(values, QParams(q.qparams.scale, 0, 0, 255, torch.uint8))", "You change the ruler"),
]  # fmt: skip
