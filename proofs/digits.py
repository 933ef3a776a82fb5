"""The digits that the package ships against scikit-learn's."""

from __future__ import annotations

from typing import Any

import torch

from proofs.draw import Draw
from proofs.proof import proof
from proofs.public import public
from qlearn import load_digits


@proof("load_digits", "sklearn.datasets.load_digits", cases=1, package="scikit-learn")
def every_pixel(draw: Draw) -> tuple[Any, Any]:
    """Compare all images and labels at once."""
    from sklearn import datasets

    theirs = datasets.load_digits()
    images = torch.from_numpy(theirs.images).to(torch.float32) / 16
    return load_digits(), (images, torch.from_numpy(theirs.target).to(torch.int64))


public("load_digits", "calibration/reduce_range_to_the_bit", {}, not_large="it takes no argument")
