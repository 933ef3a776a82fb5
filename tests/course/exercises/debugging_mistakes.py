"""Typical mistakes in the code exercises of the chapter, and what each is told."""

from __future__ import annotations

BOTH = "return sqnr(layer(seen), out), sqnr(layer(x), out)"

WRONG = [
    ("own_and_leaving", BOTH, "return sqnr(out, layer(seen)), sqnr(out, layer(x))",
     "the float output comes first"),
    ("own_and_leaving", "layer(seen), out", "layer(x), out", "holds what came in as well"),
    ("own_and_leaving", "out = quantized(seen)", "seen = x; out = quantized(seen)",
     "the exact input. In the network it gets `seen`"),
    ("own_and_leaving", "out = quantized(seen)", "out = quantized(x)", "your own error should be"),
    ("own_and_leaving", BOTH, "return sqnr(layer(x), out), sqnr(layer(seen), out)",
     "The other way round"),
    ("own_and_leaving", "layer(x), out", "layer(x), quantized(x)", "and not of `x`"),
    ("own_and_leaving", "layer(x), out", "layer(x), layer(seen)", "how far the inputs differ"),
    ("own_and_leaving", "layer(x), out", "x, seen", "how far the inputs differ"),
    ("own_and_leaving", "layer(x), out", "quantized(x), out", "how far the inputs differ"),
    ("own_and_leaving", BOTH, "return (sqnr(layer(x), layer(seen)),) * 2", "into the float layer"),
    ("own_and_leaving", BOTH, "return sqnr(layer(seen), out)", "Return 2 results"),
    ("equalized_pair", "second.movedim(1, 0)", "second",
     "one ruler for each weight still does not fit.* should be 335, not 202"),
    ("equalized_pair", "bias * factors", "bias", "The bias of a channel belongs to it"),
    ("equalized_pair", "(behind / before).sqrt()", "behind / before", "take the root"),
    ("equalized_pair", "(behind / before).sqrt()", "torch.ones_like(before)", "are all 1"),
    ("equalized_pair", "behind / before", "before / behind", "go the wrong way"),
    ("equalized_pair", "second / row", "second", "has to be divided behind it"),
    ("equalized_pair", "second / row", "second * row", "in float32 should be 348"),
    ("equalized_pair", "first * column", "(first * column).flatten(1)", "should keep its shape"),
]  # fmt: skip

RIGHT = [
    ("own_and_leaving", BOTH, "return [sqnr(each, out) for each in (layer(seen), layer(x))]"),
    ("own_and_leaving", BOTH, "return torch.tensor([sqnr(layer(seen), out), sqnr(layer(x), out)])"),
    ("equalized_pair", "second.movedim(1, 0).abs().flatten(1).amax(1)",
     "second.abs().amax((0, 2, 3))"),
    ("equalized_pair", "(behind / before).sqrt()", "(before * behind).sqrt() / before"),
]  # fmt: skip
