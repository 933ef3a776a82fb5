"""Typical mistakes in the code exercises of the chapter, and what each is told."""

from __future__ import annotations

WRONG = [
    ("moving_average",
     "low, high = batches[0].min(), batches[0].max()\n    for batch in batches[1:]",
     "low = high = 0.0\n    for batch in batches", "You begin at 0"),
    ("moving_average", "+ c *", "+ (1 - c) *", "You keep the share c of the old end"),
    ("moving_average", "    return low", "    low = min(b.min() for b in batches)\n"
     "    high = max(b.max() for b in batches)\n    return low", "That is MinMax"),
    ("moving_average", "(batch.max() - high)", "(batch.max() - high).clamp(min=0)",
     "Your ends move outwards alone|your upper end should be"),
    ("moving_average", "c * (batch.min() - low)", "c * batch.min()", "your lower end should be"),
    ("moving_average", "return low, high", "return high", "Return 2 results: the lower end and"),
    ("percentile_ends", "x.quantile(share / 2)", "x.quantile(torch.tensor([share / 2]))",
     r"Your lower end should have the shape \(\), not \(1,\)"),
    ("percentile_ends", "share / 2", "share", "You clip the whole share on each side"),
    ("percentile_ends", "x.quantile(share / 2), x.quantile(1 - share / 2)",
     "x.min(), x.quantile(1 - share)", "You clip on the right alone"),
    ("percentile_ends", "x.quantile(share / 2), x.quantile(1 - share / 2)",
     "-x.abs().quantile(1 - share), x.abs().quantile(1 - share)", "at the same distance from 0"),
    ("percentile_ends", "x.quantile(share / 2), x.quantile(1 - share / 2)",
     "x.min() + share / 2 * (x.max() - x.min()), x.max() - share / 2 * (x.max() - x.min())",
     "a share of the range off"),
    ("percentile_ends", "x.quantile(share / 2), x.quantile(1 - share / 2)",
     "x.sort().values[[int(len(x) * share / 2), -1 - int(len(x) * share / 2)]]",
     "You return two of the numbers"),
]  # fmt: skip

RIGHT = [
    ("moving_average", "low + c * (batch.min() - low)", "(1 - c) * low + c * batch.min()"),
    ("percentile_ends", "return x.quantile(share / 2), x.quantile(1 - share / 2)",
     "return tuple(torch.quantile(x, torch.tensor([share / 2, 1 - share / 2])))"),
    ("percentile_ends", "return x.quantile(share / 2), x.quantile(1 - share / 2)",
     "return x.double().quantile(torch.tensor([share / 2, 1 - share / 2]).double()).numpy()"),
]  # fmt: skip
