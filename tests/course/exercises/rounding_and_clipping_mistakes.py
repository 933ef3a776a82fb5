"""Typical mistakes in the code exercises of the chapter, and what each is told."""

from __future__ import annotations

WRONG = [
    ("two_errors", "mark.abs() <= last", "x.abs() <= last * step", "The ruler reaches half a step"),
    ("two_errors", "mark.abs() <= last", "mark <= last", "on the right alone"),
    ("two_errors", ".clamp(-last, last)", "", "You round without an end"),
    ("two_errors", "* step - x", "- x", "your rounding errors should be"),
    ("two_errors", "mark.clamp(-last, last) * step - x", "x - mark.clamp(-last, last) * step",
     "Your signs are turned around"),
    ("two_errors", "return error.where(rounded, 0.0), error.where(~rounded, 0.0)",
     "return error.where(rounded, 0.0)", "Return 2 results: the rounding"),
    ("two_errors", "torch.round(x / step)", "torch.trunc(x / step)", "You cut the fraction off"),
    ("two_errors", "return error.where(rounded, 0.0), error.where(~rounded, 0.0)",
     "return mark * step - x, (mark.clamp(-last, last) - mark) * step", "into two parts"),
    ("best_end_of", ".square()", ".abs()", "mean sizes of errors, where one of 3"),
    ("best_end_of", ".double().square().mean()", ".abs().max()", "You compare the largest error"),
    ("best_end_of", ".square()", "", "where one below 0 makes up for one above"),
    ("best_end_of", "x.abs().max()", "x.max()", "the one farthest from 0 may lie on the left"),
    ("best_end_of", ".clamp(-last, last)", "", "You round without an end"),
    ("best_end_of", ".clamp(-last, last)", ".clamp(-last - 1, last)", "one mark more on the left"),
    ("best_end_of", "return ends[torch.stack(errors).argmin()]",
     "return (torch.stack(errors).argmin() + 1) / 100", "You return the share"),
    ("best_end_of", "return ends[torch.stack(errors).argmin()]",
     "return torch.stack(errors).min().float()", "You return the error"),
]  # fmt: skip

RIGHT = [
    ("best_end_of", "return ends[torch.stack(errors).argmin()]",
     "return ends[torch.stack(errors).argmin()].item()"),
    ("best_end_of", "return ends[torch.stack(errors).argmin()]",
     "return min(zip(errors, ends, strict=True))[1]"),
    ("best_end_of", "return ends[torch.stack(errors).argmin()]",
     "return ends[torch.stack(errors).argmin()].numpy()"),
    ("best_end_of", "return ends[torch.stack(errors).argmin()]",
     "return ends.numpy()[torch.stack(errors).argmin()]"),
    ("best_end_of", ".double().square().mean()", ".pow(2).sum()"),
    ("two_errors", "torch.round(x / step)", "(x / step).round()"),
]  # fmt: skip
