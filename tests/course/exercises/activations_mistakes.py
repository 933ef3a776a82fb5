"""Typical mistakes in the code exercises of the chapter, and what each is told."""

from __future__ import annotations

LOUD = "(x.abs() >= threshold).any(dim=0)"
S = "of_x**alpha / of_weight ** (1 - alpha)"
WRONG = [
    ("set_apart", LOUD, "x.abs() >= threshold", "You set single numbers apart"),
    ("set_apart", LOUD, "(x.abs() >= threshold).any(dim=1, keepdim=True)", "whole tokens apart"),
    ("set_apart", LOUD, "(x >= threshold).any(dim=0)", "above 0 alone"),
    ("set_apart", ">=", ">", "A number as large as the threshold"),
    ("set_apart", "back + x.where(apart, 0)", "back", "You do not add what you set apart"),
    ("set_apart", "codes_and_step(quiet, 8, rows=True)",
     "codes_and_step(x, 8, rows=True)\n    codes = (quiet / step).round()",
     "they still choose the steps"),
    ("set_apart", "rows=True", "rows=False", "All tokens share a step"),
    ("set_apart", "codes * step", "codes", "your outputs should be"),
    ("smoothed_layer", "weight * s", "weight", "You leave the weights as they are"),
    ("smoothed_layer", "x / s, weight * s", "x * s, weight / s", "which makes a loud channel"),
    ("smoothed_layer", S, "of_x ** (1 - alpha) / of_weight**alpha", "Your alpha is turned around"),
    ("smoothed_layer", S, "(of_x / of_weight) ** alpha", "Both sizes have the power alpha"),
    ("smoothed_layer", "weight.abs().amax(dim=0)", "weight.abs().amax(dim=1)", "of each row"),
    ("smoothed_layer", "**alpha /", "**alpha *", "You multiply by the sizes of the weights"),
    ("smoothed_layer", S, "of_x**alpha", "You leave the sizes of the weights out"),
    ("smoothed_layer", "x.abs().amax(dim=0), weight.abs().amax(dim=0)",
     "x.amax(dim=0), weight.amax(dim=0)", "and not the largest size"),
    ("smoothed_layer", "return x / s, weight * s", "return x / s", "Return 2 results"),
]  # fmt: skip
