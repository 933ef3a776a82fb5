"""Kernels of one weight each, which the first window of a convolution lays on the image."""

import pytest

from qlearn.machine.windows import Window, one_weight


@pytest.mark.parametrize(
    ("size", "kernel", "padding", "dilation", "place"),
    [(8, 3, 0, 1, 0), (8, 3, 1, 1, 1), (8, 4, 3, 2, 2), (8, 1, 0, 2, 0), (8, 2, 5, 1, 1)],
)
def test_the_one_weight_meets_the_image(
    size: int, kernel: int, padding: int, dilation: int, place: int
) -> None:
    where = {"padding": (padding,) * 2, "dilation": (dilation,) * 2}
    weight = one_weight(Window((1, 2, size, size), (3, 2, kernel, kernel), **where), code=-7)
    assert weight.nonzero().tolist() == [[n, 0, place, place] for n in range(3)]
    assert weight.unique().tolist() in ([-7], [-7, 0])
