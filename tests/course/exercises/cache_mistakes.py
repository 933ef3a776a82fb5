"""Typical mistakes in the code exercises of the chapter, and what each is told."""

from __future__ import annotations

FULL = "full = len(keys) // size * size"
KEYS = "keys = channels * (groups * (size * bits + 16) + waiting * 16)"
VALUES = "values = tokens * (channels * bits + 16)"
WRONG = [
    ("held_keys", FULL, "full = len(keys)", "before it is full"),
    ("held_keys", FULL, FULL + "\n    size = max(full, 1)", "All full groups share"),
    ("held_keys", FULL, "full = size = len(keys)", "so a new token would change the old ones"),
    ("held_keys", FULL, "full = (len(keys) - 1) // size * size", "although it is full"),
    ("held_keys", '"channel"', '"token"', "Your scales belong to tokens"),
    ("held_keys", "held[start : start + size] = grouped.dequantize()", "grouped.dequantize()",
     "Your keys are all in float"),
    ("held_keys", "keys.clone()", "keys", "chang"),
    ("cache_bytes", KEYS, "keys = channels * (tokens * bits + groups * 16)",
     "You count the keys that wait as codes"),
    ("cache_bytes", KEYS, "keys = tokens * channels * (bits + 16 / size)", "a share of a scale"),
    ("cache_bytes", KEYS, "keys = channels * (tokens * bits + -(-tokens // size) * 16)",
     "You begin a scale"),
    ("cache_bytes", KEYS, "keys = groups * (size * channels * bits + 16)\n"
     "    keys += waiting * channels * 16", "one scale for a full group"),
    ("cache_bytes", VALUES, "values = tokens * channels * bits", "the scales of the values"),
    ("cache_bytes", "size * bits + 16", "size * bits", "the scales of the keys"),
    ("cache_bytes", " / 8", "", "You count bits"),
    ("cache_bytes", "(keys + values)", "keys", "You count the keys alone"),
    ("cache_bytes", VALUES, "values = (tokens - waiting) * (channels * bits + 16)\n"
     "    values += waiting * channels * 16", "The values wait with you"),
]  # fmt: skip
