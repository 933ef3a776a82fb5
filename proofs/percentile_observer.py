"""The observer without tails against torch's kernel for the k-th value, after every batch."""

from __future__ import annotations

from typing import Any

import torch

from proofs.draw import Draw
from proofs.inputs import growing, observing
from proofs.observers import OPTIONS, batches, both, twins
from proofs.proof import proof
from proofs.public import Large, public
from qlearn import PercentileObserver

PARTS = 64  # of which the share is so many: then half the share of n is an integer's quotient


@proof("PercentileObserver", "torch.ao.quantization.MinMaxObserver of what torch.kthvalue finds")
def after_every_batch(draw: Draw) -> tuple[Any, Any]:
    """Compare the qparams after each batch, with shares of 0/64 to 63/64."""
    parts, options = draw.integer(0, PARTS - 1), draw.choice(OPTIONS)
    ours, (_, theirs) = (
        PercentileObserver(share=parts / PARTS, **options),
        twins("MinMaxObserver", {}, options),
    )
    seen = []
    for batch in batches(draw):
        x = batch.transpose(0, 1)
        ours(x)
        if n := x.numel():
            dropped = n * parts // (2 * PARTS)
            ends = [x.flatten().kthvalue(k).values for k in (dropped + 1, n - dropped)]
            theirs(torch.stack(ends))
        seen.append(both(ours, theirs))
    return tuple(a for a, _ in seen), tuple(b for _, b in seen)


public(
    "PercentileObserver",
    "calibration/observers",
    {"share": 0.4, "dtype": torch.int8, "quant_min": -8, "quant_max": 7},
    Large("", growing, observing(PercentileObserver)),
)
