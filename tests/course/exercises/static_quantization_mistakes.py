"""Typical mistakes in the code exercises of the chapter, and what each is told."""

from __future__ import annotations

NEW = "low.minimum(x.min()), high.maximum(x.max())"

WRONG = [
    ("fold", ".sqrt()", "", "the deviation is its root"),
    ("fold", "variance + eps", "variance", "You left eps out"),
    ("fold", "(variance + eps).sqrt()", "(variance.sqrt() + eps)", "under the root"),
    ("fold", "(bias - mean) * factor", "bias * factor - mean", "You subtract the mean as it is"),
    ("fold", "bias - mean", "-mean", "left out the convolution's own bias"),
    ("fold", "(bias - mean) * factor", "bias - mean * factor", "but it passes the batch norm"),
    ("fold", "beta + (bias - mean) * factor", "bias * factor", "the mean and beta are missing"),
    ("fold", "beta + (bias - mean) * factor", "bias", "the mean and beta are missing"),
    ("fold", "bias - mean", "bias", "the mean is missing"),
    ("fold", "beta + (bias", "(bias", "beta is missing"),
    ("fold", "bias - mean", "bias + mean", "a batch norm subtracts it"),
    ("fold", "[:, None, None, None]", "[None, :, None, None]", "the factors belong to the outputs"),
    ("fold", "[:, None, None, None]", "", "With two channels, it stops in line 3"),
    ("fold", "new_weight, beta", "beta", "Return 2 results"),
    ("input_ends", "ends.get(name, x.aminmax())", "x.aminmax()",
     "reads 76 of 360 digits.*by night.*the upper end"),
    ("input_ends", NEW, "low, high", "stay those of the first batch"),
    ("input_ends", "low.minimum(x.min())", "x.min()", "lower ends are right for the last batch"),
    ("input_ends", NEW, "low.maximum(x.min()), high.minimum(x.max())", "becomes narrower"),
    ("input_ends", NEW, "(low + x.min()) / 2, (high + x.max()) / 2", "the mean of the batches"),
    ("input_ends", "            x = layer(x)\n", "", "your ends of `conv2`|it stops"),
    ("input_ends", "return ends", "return list(ends.values())", "Return a dict"),
    ("input_ends", "ends[name] = low, high", "ends[name] = high", "are a pair"),
]  # fmt: skip

RIGHT = [
    ("input_ends", "return ends", "return dict(reversed(ends.items()))"),
    ("fold", "weight * factor[:, None, None, None]",
     'torch.einsum("oihw,o->oihw", weight, factor)'),
    ("fold", "factor[:, None, None, None]", "factor.reshape(-1, 1, 1, 1)"),
]  # fmt: skip
