"""Typical mistakes in the code exercises of the chapter, and what each is told."""

from __future__ import annotations

ASKED = "    for key in (name, kind):\n        if key in rules:\n            return rules[key]\n"
PARENT = 'parent = name.rpartition(".")[0]'
TOGETHER = "together = torch.cat(outputs)"

NAMES_FIRST = """    module = name
    while module:
        if module in rules:
            return rules[module]
        module = module.rpartition(".")[0]
"""

WRONG = [
    ("bits_in_eager_mode", "(name, kind)", "(kind, name)", "You ask for the class first"),
    ("bits_in_eager_mode", ASKED, NAMES_FIRST + ASKED, "You let the name of a parent beat"),
    ("bits_in_eager_mode", "(name, kind)", '(name, kind, "")', "for the rule for all before them"),
    ("bits_in_eager_mode", PARENT, 'parent = ""', "You do not ask for the parents"),
    ("bits_in_eager_mode", "parent, None, rules", 'parent, "", rules', "nearest parent alone"),
    ("bits_in_eager_mode", PARENT, "parent = name[:-1]", "the name of a parent ends at a dot"),
    ("bits_in_eager_mode", PARENT, 'parent = name.split(".")[0] if "." in name else ""',
     "You begin with the outermost"),
    ("bits_in_eager_mode", "return 32", "return None", "returns nothing"),
    ("different_codes", TOGETHER, "together = outputs[-1]", "knows the last layer alone"),
    ("different_codes", TOGETHER, "together = outputs[0]", "knows the first layer alone"),
    ("different_codes", "quantize(x, ruler)", "x", "two of them may get the same code"),
    ("different_codes", "quantize(x, ruler).unique()", "x", "as often as it comes"),
    ("different_codes", "return torch.tensor(counts)", "return counts", "should be a tensor"),
    ("different_codes", "quantize(x, ruler)", "quantize(x, choose_qparams(*x.aminmax(), "
     "dtype=torch.uint8))", "an observer of its own"),
    ("different_codes", "quantize(x, ruler)", "torch.trunc(x / ruler.scale)", "You cut the"),
    ("different_codes", "quantize(x, ruler)",
     "torch.round(x / ((together.max() - together.min()) / 255))", "does not include 0"),
]  # fmt: skip

RIGHT = [
    ("bits_in_eager_mode", PARENT, 'parent = ".".join(name.split(".")[:-1])'),
    ("different_codes", "quantize(x, ruler).unique().numel()",
     "len(set(quantize(x, ruler).tolist()))"),
    ("different_codes", "together.min(), together.max()", "*together.aminmax()"),
]  # fmt: skip
