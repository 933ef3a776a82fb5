"""The digits that the package ships, against what their publisher says of them."""

import hashlib
from pathlib import Path

import numpy as np
import torch

import qlearn
from qlearn import load_digits

# "No of examples in testing set", by class, from the data set's own description at UCI
EXAMPLES = [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]


def test_the_digits_are_those_that_uci_describes():
    images, labels = load_digits()
    assert (images.shape, images.dtype) == ((1797, 8, 8), torch.float32)
    assert labels.bincount().tolist() == EXAMPLES
    counts = images * 16  # inked points of 4 × 4, so whole numbers from 0 to 16
    assert torch.equal(counts, counts.round())
    assert (counts.min().item(), counts.max().item()) == (0, 16)


def test_who_writes_into_them_changes_nobody_elses():
    for place, tensor in enumerate(load_digits()):
        before = tensor.clone()
        tensor.zero_()
        assert torch.equal(load_digits()[place], before)


def test_a_zero_looks_like_a_zero():
    images, labels = load_digits()
    middle = images[labels == 0][:, 3:5, 3:5].mean()
    left = images[labels == 0][:, 3:5, 2].mean()
    assert middle < 0.1 < 0.6 < left  # ink around a hole


def test_the_bytes_are_scikit_learns():
    # Of scikit-learn 1.9.1's load_digits(): images and target as uint8, one after the other
    with np.load(
        Path(qlearn.__file__).parent / "course" / "digits" / "data" / "digits.npz"
    ) as stored:
        found = stored["images"].tobytes() + stored["labels"].tobytes()
    expected = "87ff0c9e40dc7e2c0e34e7257799c2e3f3aec1a016363bb11cad869ec428a826"
    assert hashlib.sha256(found).hexdigest() == expected
