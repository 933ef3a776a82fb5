"""Typical mistakes in the code exercises of the page to the bit, and what each is told."""

from __future__ import annotations

SIZE, SIGNED = "(high.abs() + (2**rest >> 1)) >> rest", "size * high.sign()"
START, CODES = "torch.round(bias / step).long()", "codes.clamp(least, 255)"
PRODUCT = "fixed_point_product(column, *fixed_point_multiplier(m))"
WRONG = [
    ("gemmlowp", "    rest = k - 31", "    return (sums.long() * n + (1 << k - 1)) >> k",
     "You round once"),
    ("gemmlowp", SIZE, "high.abs() >> rest", "cut the fraction of the rest"),
    ("gemmlowp", "size = " + SIZE, "return high >> rest", "Add half of the rest"),
    ("gemmlowp", "size = " + SIZE, "return (high + (2**rest >> 1)) >> rest", "takes ties up"),
    ("gemmlowp", "size = " + SIZE, "return torch.round(high / 2**rest).long()", "even neighbour"),
    ("gemmlowp", " + 2**30", "", "The first part rounds down"),
    ("gemmlowp", "(sums.long() * n + 2**30) >> 31",
     "torch.round(sums.double() * n / 2**31).long()", "A tie of the first rounding"),
    ("gemmlowp", "sums.long()", "sums", "Your products have 32 bits"),
    ("gemmlowp", SIGNED, "size", "your steps should be -"),
    ("gemmlowp", "(2**rest >> 1)", "2 ** (rest - 1)", "should be .*float|stops|dtype"),
    ("in_integers", START, "torch.round(bias).long()", "in its own unit"),
    ("in_integers", START, "torch.zeros_like(bias).long()", "leave out the bias"),
    ("in_integers", START, "(bias / step).long()", "cut the fraction of the bias"),
    ("in_integers", "start = start - x.qparams.zero_point * flat.sum(dim=1)", "pass",
     "leave out the zero point of the input"),
    ("in_integers", "start = start - x", "start = start + x", "It is subtracted"),
    ("in_integers", PRODUCT, "column.long() * fixed_point_multiplier(m)[0] >> "
     "fixed_point_multiplier(m)[1]", "A shift rounds down"),
    ("in_integers", PRODUCT, "torch.round(column.float() * m).long()", "You multiply by a float"),
    ("in_integers", "weight.values.flatten(1).long()", "weight.values.long()", "stops"),
    ("in_integers", " + output.zero_point", "", "zero point of the output"),
    ("in_integers", CODES, "codes.clamp(0, 255)", "the ReLU is missing"),
    ("in_integers", CODES, "codes.clamp(least, 127)", "Your last code is 127"),
    ("in_integers", ".to(torch.uint8)", "", "should be torch.uint8"),
]  # fmt: skip
RIGHT = [
    ("gemmlowp", "2**rest >> 1", "1 << rest >> 1"),
    ("in_integers", START, "(bias / step).round().to(torch.int64)"),
]
