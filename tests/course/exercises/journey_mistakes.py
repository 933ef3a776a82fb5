"""Typical mistakes in the code exercises of the chapter, and what each is told."""

from __future__ import annotations

PADDED, NUMBERS = "pad(codes.int() - zero_point, (1, 1, 1, 1))", "codes.int() - zero_point"
WINDOW = "row : row + 3, column : column + 3"
STEPS = "(with_bias * (step / scale)).round()"
WRONG = [
    ("one_sum", NUMBERS, "codes.int()", "You multiply the codes as they are"),
    ("one_sum", PADDED, "pad(codes.int(), (1, 1, 1, 1)) - zero_point",
     "Your border has the code 0"),
    ("one_sum", PADDED, "pad(codes.int(), (1, 1, 1, 1), value=zero_point)",
     "still in all nine codes"),
    ("one_sum", "window * weights", "window * weights.flip(0, 1)", "You turn the weights around"),
    ("one_sum", WINDOW, "column : column + 3, row : row + 3", "the row for the column"),
    ("one_sum", NUMBERS, "(codes.int() - zero_point).to(torch.int8)", "have eight bits"),
    ("one_sum", NUMBERS, "codes - zero_point", "stay uint8"),
    ("one_sum", "(1, 1, 1, 1)", "(0, 2, 0, 2)", "begins at the place"),
    ("one_sum", f"{PADDED}\n", f"{NUMBERS}\n    row, column = row - 1, column - 1\n",
     "at an edge it reaches beyond the image"),
    ("next_codes", "sums + bias / step", "sums + bias", "whose bias is about 0"),
    ("next_codes", "sums + bias / step", "sums", "You leave out the bias"),
    ("next_codes", "sums + bias / step", "sums + bias * step", "How many steps fit into it"),
    ("next_codes", "sums + bias / step", "sums + bias / scale", "should be 160"),
    ("next_codes", STEPS, "(sums * (step / scale) + bias).round()", "as if it counted them"),
    ("next_codes", STEPS, "(sums * (step / scale)).round() + round(bias / scale)",
     "each by itself"),
    ("next_codes", "bias / step", "int(bias / step)", "You cut the fraction of the bias off"),
    ("next_codes", ".round()", "", "You cut the fraction off"),
    ("next_codes", ".clamp(0, 255)", ".long()", "You do not clip"),
    ("next_codes", ".to(torch.uint8)", "", "should be torch.uint8"),
]  # fmt: skip
RIGHT = [
    ("one_sum", PADDED, "pad(codes.int(), (1, 1, 1, 1), value=zero_point) - zero_point"),
    ("one_sum", "(window * weights).sum()", "(window * weights).sum().item()"),
    ("next_codes", STEPS, "((sums * step + bias) / scale).round()"),
]
