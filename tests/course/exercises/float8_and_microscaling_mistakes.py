"""Typical mistakes in the code exercises of the chapter, and what each is told."""

from __future__ import annotations

WRONG = [
    ("to_e4m3", ".clamp(min=-6)", "", "go on becoming finer"),
    ("to_e4m3", "min=-6", "min=-3", "Your marks end too early"),
    ("to_e4m3", ".clamp(-448, 448)", "", "Your numbers go on beyond 448"),
    ("to_e4m3", "(-448, 448)", "(-240, 240)", "Your numbers end at 240"),
    ("to_e4m3", "(-448, 448)", "(max=448)", "You clamp above alone"),
    ("to_e4m3", "(-448, 448)", "(-448, 448).where(x.abs() >= 2**-6, 0.0)", "become 0 below 2⁻⁶"),
    ("to_e4m3", "2.0 **", "2 **", "because their steps are 0"),
    ("to_e4m3", "exponent - 1).clamp(min=-6)", "exponent - 1).log().exp()", "should hold no NaN"),
    ("to_e4m3", "power - 3", "power - 2", "as in E5M2"),
    ("to_e4m3", "exponent - 1", "exponent", "the exponent of torch.frexp"),
    ("to_e4m3", "power - 3", "power - 4", "Your steps are half as wide"),
    ("to_e4m3", "torch.round", "torch.trunc", "You cut the fraction"),
    ("to_e4m3", "torch.round(x / step)", "torch.floor(x.abs() / step + 0.5) * x.sign()",
     "You round halves away from zero"),
    ("int8_by_rows", "x.abs().amax", "x.amax", "−30 counts as 30"),
    ("int8_by_rows", "x.square().mean(1).sqrt()", "x.std(1)", "takes the mean away first"),
    ("int8_by_rows", "x.square().mean(1).sqrt()", "x.abs().mean(1)", "the mean size"),
    ("int8_by_rows", "(1)", "(0)", "the numbers of a column together"),
    ("int8_by_rows", "20 *", "10 *", "That is for squares"),
    ("int8_by_rows", "127.5", "127", "You let the largest size lie at 127"),
    ("int8_by_rows", "20 * torch.log10(127.5 * 12**0.5 / crest)", "53 - 20 * torch.log10(crest)",
     "your decibels should be"),
    ("int8_by_rows", " * 12**0.5", "", "You leave out √12"),
    ("int8_by_rows", "crest, 20", "20", "Return 2 results"),
    ("read_fnuz", "e4m3fnuz).float()", "e4m3fn).float()", "twice as large as they were written"),
    ("read_fnuz", "e4m3fnuz).float()", "e4m3fn).float() / 2", "still NaN"),
    ("read_fnuz", "e4m3fnuz).float()", "e5m2).float()", "your weights should be"),
]  # fmt: skip

RIGHT = [
    ("to_e4m3", "torch.frexp(x).exponent - 1", "torch.floor(torch.log2(x.abs()))"),
    ("int8_by_rows", "20 * torch.log10(127.5 * 12**0.5 / crest)",
     "52.9 - 20 * torch.log10(crest)"),
    ("read_fnuz", "return written.view(torch.float8_e4m3fnuz).float()",
     "from qlearn import E4M3FNUZ\n    return decode_float(written, E4M3FNUZ)"),
]  # fmt: skip
