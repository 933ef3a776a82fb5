"""Typical mistakes in the code exercises of the chapter, and what each is told."""

from __future__ import annotations

PARTS = "sum(p.numel() for p in layer.parameters())"
ALL = "sum(p.numel() for p in model.parameters())"
DIVIDES = "layer.in_features % group == 0"
BEST = "max(decibels, key=decibels.get)"

WRONG = [
    ("share_reached", f" and {DIVIDES}", "", "inputs the groups do not divide"),
    ("share_reached", DIVIDES, "layer.out_features % group == 0", "not its outputs"),
    ("share_reached", DIVIDES, "layer.in_features >= group", "more than enough inputs"),
    ("share_reached", "model.modules()", "model.children()", "the outermost layers alone"),
    ("share_reached", "type(layer) is nn.Linear", "isinstance(layer, nn.Linear)", "by inheritance"),
    ("share_reached", PARTS, "layer.weight.numel()", "their biases only in the model"),
    ("share_reached", ALL, "sum(p.numel() for m in model.modules() if isinstance(m, nn.Linear)"
     " for p in m.parameters())", "by the linear layers alone"),
    ("share_reached", "return count", "return 100 * count", "the share in percent"),
    ("share_reached", "return count", "return 1 - count", "that stays in float"),
    ("share_reached", f"count / {ALL}", "count", "your share should be"),
    ("kept_in_float", "copy.deepcopy(quantized)", "copy.copy(quantized)",
     "the later it comes, the better.* your right answers of 120"),
    ("kept_in_float", "copy.deepcopy(quantized)", "quantized", "the later it comes, the better"),
    ("kept_in_float", "max(", "min(", "the layer that brings least"),
    ("kept_in_float", BEST,
     "max(decibels, key=lambda each: model.get_parameter(f'{each}.weight').numel())",
     "You take the largest layer"),
    ("kept_in_float", "sqnr(exact, trial(x))",
     "-sqnr(layer.weight, quantized.get_submodule(name).weight)", "How much of it arrives"),
    ("kept_in_float", f"return {BEST}", "return next(iter(decibels))", "always name the first"),
    ("kept_in_float", f"return {BEST}", "return decibels", "Return the name of a layer"),
    ("kept_in_float", f"return {BEST}", "return name + '.weight'", "Return the name of a layer"),
]  # fmt: skip

RIGHT = [
    ("share_reached", "type(layer) is nn.Linear", "layer.__class__ == nn.Linear"),
    ("share_reached", PARTS, "layer.weight.numel() + len(layer.bias)"),
    ("share_reached", DIVIDES, "not layer.in_features % group"),
    ("kept_in_float", "copy.deepcopy(quantized)",
     "copy.deepcopy(quantized).requires_grad_(False).eval()"),
    ("kept_in_float", f"return {BEST}", "return sorted(decibels, key=decibels.get)[-1]"),
]  # fmt: skip
