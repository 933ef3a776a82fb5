"""Typical mistakes in the code exercise of the page, and what each is told."""

from __future__ import annotations

WRONG = [
    ("directory", "[::-1]", "", "GGUF writes the last dimension first"),
    ("directory", 'take(f"{dimensions}Q")[::-1]', 'tuple(sorted(take(f"{dimensions}Q")))',
     "You sort the dimensions"),
    ("directory", 'take("IQ")', "pass", "error|holds a tensor"),
    ("directory", 'take("IQ")', 'take("IIQ")', "error|holds a tensor"),
    ("directory", "name.decode()", "name", "decode its bytes"),
    ("directory", "range(count)", "range(1)", "The file holds 2 tensors, and you return 1"),
    ("directory", "return found", "return list(found)", "return a dict"),
    ("directory", 'take(f"{dimensions}Q")[::-1]', "64", "'weight' should be a tuple, not an int"),
    ("directory", "[::-1]", "[::-1][:1]", "has 2 dimensions, and your shape has 1"),
    ("directory", 'take("4sIQQQ")', 'take("4sIIQQ")', "error|holds"),
    ("directory", "name.decode()", 'name.decode("latin-1").upper()', "you do not return it"),
]  # fmt: skip

RIGHT = [
    ("directory", "[::-1]", "[::-1] + ()"),
    ("directory", 'take(f"{dimensions}Q")[::-1]', 'list(reversed(take(f"{dimensions}Q")))'),
    ("directory", 'take(f"{dimensions}Q")[::-1]', 'torch.Size(take(f"{dimensions}Q")[::-1])'),
]
