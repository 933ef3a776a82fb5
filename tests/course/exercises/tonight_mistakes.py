"""Typical mistakes in the code exercises of the chapter, and what each is told."""

from __future__ import annotations

RULE = "groups.abs().amax(dim=2, keepdim=True) / 7.5"
CODES = "codes.reshape(weight.shape).to(torch.int8)"

WRONG = [
    ("four_bit_codes", "/ 7.5", "/ 127.5", "how many steps are there from −8 to 7"),
    ("four_bit_codes", "/ 7.5", "/ 7", "half of them is more than 7"),
    ("four_bit_codes", "/ 7.5", "/ 8", "half of them is less than 8"),
    ("four_bit_codes", "/ 7.5", "/ 15", "on both sides of 0"),
    ("four_bit_codes", "groups.abs()", "groups", "take the sizes first"),
    ("four_bit_codes", RULE, "weight.abs().amax() / 7.5 * torch.ones_like(groups[..., :1])",
     "Each has its own largest weight|your scales should be"),
    ("four_bit_codes", RULE, "groups.abs().amax((1, 2), True) / 7.5", r"shape \(1, 2\)"),
    ("four_bit_codes", RULE, "groups.abs().amax((1, 2), True).expand(-1, groups.shape[1], 1) / 7.5",
     "Each has its own largest weight"),
    ("four_bit_codes", "return scales[..., 0]", "return 1 / scales[..., 0]", "turned the scale"),
    ("four_bit_codes", "return scales[..., 0]", "return scales", r"shape \(1, 2\)"),
    ("four_bit_codes", ".round()", "", "cut off"),
    ("four_bit_codes", ".round()", ".floor()", "rounded down"),
    ("four_bit_codes", RULE, "(groups.amax(2, True) - groups.amin(2, True)) / 15",
     "the largest size alone"),
    ("four_bit_codes", ".clamp(-8, 7)", "", "are 8, beyond the last mark"),
    ("four_bit_codes", ".clamp(-8, 7)", ".clamp(-7, 7)", "There is a code −8"),
    ("four_bit_codes", "groups * (1 / scales)", "groups / scales", "multiplies by 1 / scale"),
    ("four_bit_codes", "dim=2", "dim=1", "shape|Python says"),
    ("four_bit_codes", ".to(torch.int8)", "", "should be torch.int8"),
    ("four_bit_codes", f"scales[..., 0], {CODES}", f"{CODES}, scales[..., 0]", "Your scales"),
    ("four_bit_codes", f"scales[..., 0], {CODES}", CODES, "Return 2 results|Your scales"),
    ("unpacked", "[pairs << 4 >> 4, pairs >> 4]", "[pairs >> 4, pairs << 4 >> 4]",
     "first code into the lower"),
    ("unpacked", "torch.stack([pairs << 4 >> 4, pairs >> 4], dim=2)",
     "torch.cat([pairs << 4 >> 4, pairs >> 4], dim=1)", "are neighbours"),
    ("unpacked", "torch.stack([pairs << 4 >> 4, pairs >> 4], dim=2)",
     "torch.stack([pairs << 4 >> 4, pairs >> 4], dim=1)", "are neighbours"),
    ("unpacked", "pairs << 4 >> 4", "pairs & 15", "lower halves have lost their sign"),
    ("unpacked", ", pairs >> 4", ", pairs >> 4 & 15", "upper halves have lost their sign"),
    ("unpacked", "pairs << 4 >> 4, pairs >> 4", "pairs & 15, pairs >> 4 & 15", "All your codes"),
    ("unpacked", "pairs << 4 >> 4", "pairs << 4", "shift them back"),
    ("unpacked", "pairs << 4 >> 4", "pairs", "above them"),
    ("unpacked", ".flatten(1)", "", "shape"),
]  # fmt: skip

RIGHT = [
    ("four_bit_codes", RULE, "torch.maximum(groups.amax(2, True), -groups.amin(2, True)) / 7.5"),
    ("four_bit_codes", "groups * (1 / scales)", "groups * scales.reciprocal()"),
    ("unpacked", "pairs << 4 >> 4", "((pairs & 15) ^ 8) - 8"),
    ("unpacked", "halves.flatten(1)", "halves.reshape(len(pairs), -1)"),
]  # fmt: skip
