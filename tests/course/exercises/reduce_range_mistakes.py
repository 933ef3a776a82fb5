"""Typical mistakes in the code exercises of the chapter, and what each is told."""

from __future__ import annotations

CLAMPED = "pairs.clamp(-(2**15), 2**15 - 1)"
WRONG = [
    ("sum_of_pairs", CLAMPED, "pairs", "Nothing saturates"),
    ("sum_of_pairs", CLAMPED, "pairs.short()", "Your sixteen bits wrap around"),
    ("sum_of_pairs", CLAMPED + ".sum()", "pairs.sum().clamp(-(2**15), 2**15 - 1)",
     "You clamp the whole sum"),
    ("sum_of_pairs", "reshape(-1, 2).sum(dim=1)", "reshape(2, -1).sum(dim=0)",
     "You pair codes that are no neighbours"),
    ("sum_of_pairs", "-(2**15), ", "1 - 2**15, ", "Your sixteen bits end at -32767"),
    ("sum_of_pairs", "a.int() * w.int()", "(a.int() * w.int()).clamp(-(2**15), 2**15 - 1)\n"
     "    return products.sum()", "because a single product always fits"),
    ("last_safe_code", "min(255, by_low, by_high)", "min(255, by_high)",
     "You look at the largest weight"),
    ("last_safe_code", "min(255, by_low, by_high)", "min(255, by_low)",
     "You look at the smallest weight alone"),
    ("last_safe_code", "-(2**15) // (2 * low)", "(2**15 - 1) // (-2 * low)",
     "end at -32767: below 0"),
    ("last_safe_code", "min(255, by_low, by_high)", "min(by_low, by_high)", "no code above 255"),
    ("last_safe_code", "2 * ", "", "Two products are added up"),
]  # fmt: skip

RIGHT = [
    ("sum_of_pairs", "a.int() * w.int()", "a * w"),
    ("last_safe_code", "return min(255, by_low, by_high)",
     "safe = [a for a in range(256) if -(2**15) <= 2 * a * low and 2 * a * high < 2**15]\n"
     "    return safe[-1]"),
]  # fmt: skip
