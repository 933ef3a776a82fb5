"""Typical mistakes in the code exercises of the chapter, and what each is told."""

from __future__ import annotations

WRONG = [
    ("read_q4_0", "torch.cat([low, high])", "torch.stack([low, high], 1).flatten()",
     "two halves of a byte to neighbours"),
    ("read_q4_0", "[low, high]", "[high, low]", "The lower halves come first"),
    ("read_q4_0", ".float() - 8", ".float()", "The code 8 means 0"),
    ("read_q4_0", ".float() - 8", " - 8", "uint8 has no number below 0"),
    ("read_q4_0", "block[:2]", "block[:2].flip(0)", "the lower byte comes first"),
    ("read_q4_0", "codes = torch.cat([low, high]).float() - 8",
     "codes = torch.cat([low, high]).float()\n    codes = codes.where(codes < 8, codes - 16)",
     "numbers with a sign"),
    ("five_in_a_byte", "codes.view(-1, 5) + 1", "codes.view(-1, 5)", "add 1 to each"),
    ("five_in_a_byte", "[1, 3, 9, 27, 81]", "[81, 27, 9, 3, 1]", "You turn the order around"),
    ("five_in_a_byte", "[1, 3, 9, 27, 81]", "[1, 4, 16, 64, 256]", "are no byte"),
    ("five_in_a_byte", "codes.view(-1, 5)", "codes.view(5, -1).T", "not lie side by side"),
    ("five_in_a_byte", ".to(torch.uint8)", "", "should be torch.uint8"),
]  # fmt: skip

RIGHT = [
    ("read_q4_0", "block[2:] & 15, block[2:] >> 4", "block[2:] % 16, block[2:] // 16"),
    ("five_in_a_byte", "((codes.view(-1, 5) + 1) * powers).sum(1)",
     "((codes.long().view(-1, 5) + 1) @ powers)"),
]  # fmt: skip
