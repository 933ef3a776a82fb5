"""Typical mistakes in the code exercises of the chapter, and what each is told."""

from __future__ import annotations

BOTH = 'type(module) is nn.Linear and name != "fc"'

WRONG = [
    ("bytes_after", "5 * outputs - 3", "- 3", "what an output stores beside its codes"),
    ("bytes_after", "5 * outputs", "4 * outputs", "but no zero point"),
    ("bytes_after", "5 * outputs", "5", "each output has its own"),
    ("bytes_after", "5 * outputs", "outputs", "your bytes should be 730, not 690"),
    ("bytes_after", "model.modules()", "model.children()", "may lie deeper"),
    ("bytes_after", "sum(4 * p.numel() for p in model.parameters())",
     "sum(4 * p.numel() for m in model.modules() for p in m.parameters())",
     "more than once"),
    ("bytes_after", "5 * outputs - 3", "9 * outputs - 3", "your bytes should be 730, not 770"),
    ("bytes_after", "- 3 * inputs", "- 4 * inputs", "your bytes should be 730, not 90"),
    ("bytes_after", "sum(4 * p.numel() for p in model.parameters())", "0",
     "your bytes should be 730, not -1870"),
    ("bytes_after", "return total", "return total / 1000", "should be 730, not 0.73"),
    ("not_last", BOTH, 'name in ("lstm.weight_ih_l0", "lstm.weight_hh_l0")',
     "chooses no layer.*should be 29288, not 88168"),
    ("not_last", ' and name != "fc"', "", "the last layer, too"),
    ("not_last", "!=", "==", "the last layer alone"),
    ("not_last", "type(module) is nn.Linear and ", "", "the whole model.*no weight of its own"),
    ("not_last", BOTH, 'hasattr(module, "weight") and name != "fc"', "`conv`, a Conv1d.*fails"),
    ("not_last", BOTH, 'name.startswith("lstm")', "`lstm`, a LinearLSTM, and `quantize_` stops"),
    ("not_last", 'name != "fc"', '"inputs" in name', "the layers of the input alone"),
    ("not_last", 'name != "fc"', 'name[-2:] == ".0"', "knows two names"),
]  # fmt: skip

RIGHT = [
    ("bytes_after", "5 * outputs - 3 * inputs * outputs", "5 * outputs - 3 * layer.weight.numel()"),
    ("not_last", 'return type(module) is nn.Linear and name != "fc"',
     'if type(module) is nn.Linear and name != "fc":\n        return True'),
    ("not_last", ' and name != "fc"', ' and not name.endswith("fc")'),
]  # fmt: skip
