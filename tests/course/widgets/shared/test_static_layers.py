"""Windows and pooling of images of any size, in JavaScript against torch's.

What is made of them is a layer's arithmetic, which test_digits_layers.py holds against qlearn's.
"""

from __future__ import annotations

from pathlib import Path

import torch
from torch.nn.functional import max_pool2d, unfold

from qlearn.course.widgets.shared.figure import SHARED
from tests.course.widgets.figures import call, with_other

MODULE = SHARED / "static_layers.js"
BOTH = """(numbers, side) => {
  const x = Float32Array.from(numbers);
  return [right.windows(x, side).map((window) => [...window]), [...right.maxPooled(x, side)]];
}"""


def images_that_differ(node: str, folder: Path, module: Path) -> int:
    """Return for how many images the module cuts out or pools other numbers than torch."""
    draw = torch.Generator().manual_seed(0)
    images = [torch.randn(c, s, s, generator=draw) for c in (1, 3) for s in (2, 4, 6, 10)]
    calls = [["both", image.flatten().tolist(), image.shape[1]] for image in images]
    found = call(node, with_other(folder, module, "both", BOTH), calls)
    wanted = [
        [unfold(x, 3, padding=1).T.tolist(), max_pool2d(x, 2).flatten().tolist()] for x in images
    ]
    return sum(each != right for each, right in zip(found, wanted, strict=True))


def test_windows_and_pooling_are_torchs(node: str, tmp_path: Path) -> None:
    assert images_that_differ(node, tmp_path, MODULE) == 0


def test_rows_taken_for_columns_are_seen(node: str, tmp_path: Path) -> None:
    turned = "(x, side) => right.windows(x, side).map((window) => window.toReversed())"
    broken = with_other(tmp_path, MODULE, "windows", turned)
    assert images_that_differ(node, tmp_path, broken) == 8
