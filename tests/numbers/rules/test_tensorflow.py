"""nudged_range and tensorflow_fake_quantize by hand, and against numbers from TensorFlow.

That they equal TensorFlow's kernels is proven in proofs/tensorflow_fake_quantize.py, which needs
TensorFlow; the table here does not.
"""

import math

import pytest
import torch

from qlearn import nudged_range, tensorflow_fake_quantize
from tests.bits import same_bits

# What tf.quantization.fake_quant_with_min_max_vars of TensorFlow 2.21.0 gave, on a CPU, for
X = torch.tensor([-9.0, -1.0, -0.3, 0.0, 0.25, 0.3, 0.5, 1.0, 9.0])
DY = torch.arange(1.0, 10.0)
# ... and a range, bits and narrow_range: the result, and the gradients of x, min and max. The
# kernel for channels gave the same.
TENSORFLOWS = [
    (
        (-1.0, 1.0, 8, False),
        [
            -0.9960785,
            -0.9960785,
            -0.29803923,
            0,
            0.2509804,
            0.29803923,
            0.5019608,
            *[1.0039216] * 2,
        ],
        ([0, 0, 3, 4, 5, 6, 7, 8, 0], 3, 9),
    ),
    (
        (-1.0, 1.0, 8, True),
        [-1.0, -1.0, -0.2992126, 0, 0.2519685, 0.2992126, 0.503937, 1.0, 1.0],
        ([0, 2, 3, 4, 5, 6, 7, 8, 0], 1, 9),
    ),
    (
        (-0.1, 1.5, 4, False),
        [*[-0.10666667] * 3, 0, 0.21333334, 0.32, 0.53333336, 0.96000004, 1.4933333],
        ([0, 0, 0, 4, 5, 6, 7, 8, 0], 6, 9),
    ),
    (
        (0.5, 2.0, 3, False),
        [0, 0, 0, 0, 0.21428572, 0.21428572, 0.42857143, 1.0714285, 1.5],
        ([0, 0, 0, 4, 5, 6, 7, 8, 0], 6, 9),
    ),
    (
        (-2.0, -0.5, 2, True),
        [-1.5, -0.75, 0, 0, 0, 0, 0, 0, 0],
        ([0, 2, 3, 4, 0, 0, 0, 0, 0], 1, 35),
    ),
    ((0.0, 0.0, 8, False), [0] * 9, ([1, 2, 3, 4, 5, 6, 7, 8, 9], 0, 0)),
    (
        (-10.0, 10.0, 16, True),
        [
            *[-8.999908, -1.0000916, -0.29999694],
            *[0, 0.2499466, 0.29999694, 0.4998932, 1.0000916, 8.999908],
        ],
        ([1, 2, 3, 4, 5, 6, 7, 8, 9], 0, 0),
    ),
]


def results(low, high, bits, narrow_range, channels=False):
    """Return the result and the three gradients, of one range or of the only channel."""
    ends = [[end] if channels else end for end in (low, high)]
    x, low, high = (torch.tensor(given, requires_grad=True) for given in (X.tolist(), *ends))
    options = {"bits": bits, "narrow_range": narrow_range}
    if channels:
        y = tensorflow_fake_quantize(x[:, None], low, high, **options, axis=-1)[:, 0]
    else:
        y = tensorflow_fake_quantize(x, low, high, **options)
    y.backward(DY)
    return y.detach(), x.grad, low.grad.reshape(()), high.grad.reshape(())


@pytest.mark.parametrize("channels", [False, True], ids=["one range", "a channel"])
@pytest.mark.parametrize(
    ("case", "y", "gradients"), TENSORFLOWS, ids=[str(case) for case, _, _ in TENSORFLOWS]
)
def test_equals_the_table(case, y, gradients, channels):
    ours = results(*case, channels)
    for mine, theirs in zip(ours, (y, *gradients), strict=True):
        assert same_bits(mine, torch.tensor(theirs, dtype=torch.float32))


def test_two_bits_by_hand():
    """−1.1 … 1.9 in steps of 1: the code of 0 is 1.1, nudged to 1, so the range is −1 … 2."""
    low, high, scale = nudged_range(-1.1, 1.9, bits=2)
    assert (low.item(), high.item(), scale.item()) == (-1.0, 2.0, 1.0)
    x = torch.tensor([-3.0, -0.5, 0.49, 0.5, 1.5, 3.0], requires_grad=True)
    y = tensorflow_fake_quantize(x, -1.1, 1.9, bits=2)
    y.sum().backward()
    assert y.tolist() == [-1.0, 0.0, 0.0, 1.0, 2.0, 2.0]  # a tie goes up
    assert x.grad.tolist() == [0.0, 1.0, 1.0, 1.0, 1.0, 0.0]


def test_zero_is_exact_and_the_width_stays():
    low = -torch.rand(100, generator=torch.Generator().manual_seed(0))
    start, stop, scale = nudged_range(low, low + 1)
    assert torch.equal(torch.round(start / scale) * scale, start)
    assert torch.allclose(stop - start, torch.ones(100))
    assert ((start - low).abs() <= 0.501 * scale).all()
    assert not tensorflow_fake_quantize(torch.zeros(5, 100), low, low + 1, axis=1).any()


def test_a_one_sided_range_is_shifted_to_zero():
    assert [end.item() for end in nudged_range(2.0, 3.0)[:2]] == [0.0, 1.0]
    assert [end.item() for end in nudged_range(-3.0, -2.0)[:2]] == [-1.0, 0.0]


def test_nan_stays_and_infinities_saturate():
    x = torch.tensor([math.nan, math.inf, -math.inf])
    y = tensorflow_fake_quantize(x, -1.0, 1.0, narrow_range=True)
    assert y[0].isnan() and y[1:].tolist() == [1.0, -1.0]


def test_channels_of_any_axis():
    x = torch.randn(4, 3, generator=torch.Generator().manual_seed(0))
    low, high = torch.tensor([-1.0, -0.5, 0.0]), torch.tensor([1.0, 0.5, 0.0])
    last = tensorflow_fake_quantize(x, low, high, axis=1)
    assert same_bits(last, tensorflow_fake_quantize(x.T, low, high, axis=0).T)
    assert not last[:, 2].any()  # the range 0 … 0


def test_shape_0d_and_empty():
    assert tensorflow_fake_quantize(torch.tensor(0.5), -1.0, 1.0, narrow_range=True).shape == ()
    assert tensorflow_fake_quantize(torch.zeros(0, 2), -1.0, 1.0).shape == (0, 2)


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        ((1.0, 1.0), {}, ValueError, "min_val is below max_val"),
        ((1.0, -1.0), {}, ValueError, "min_val is 1.0 and max_val -1.0"),
        ((-1.0, math.inf), {}, ValueError, "their distance are finite in float32"),
        ((-3e38, 3e38), {}, ValueError, "scale all values down"),
        ((math.nan, 1.0), {}, ValueError, "their distance are finite in float32"),
        ((0.0, 1e-40), {}, ValueError, "widen the range"),
        ((torch.zeros(2), 1.0), {}, ValueError, r"min_val has shape \(2,\) and max_val \(\)"),
        (("a", 1.0), {}, TypeError, "min_val is 'a'"),
        ((-1.0, 1.0), {"bits": 1}, ValueError, "bits must be an integer from 2 to 16, not 1"),
        ((-1.0, 1.0), {"bits": 17}, ValueError, "from 2 to 16, not 17"),
        ((-1.0, 1.0), {"bits": 8.0}, TypeError, "bits must be .*, not 8.0"),
        ((-1.0, 1.0), {"narrow_range": 1}, TypeError, "narrow_range must be True or False, not 1"),
    ],
)
def test_bad_ranges_are_named(arguments, options, error, message):
    with pytest.raises(error, match=message):
        nudged_range(*arguments, **options)


def test_bad_tensors_and_axes_are_named():
    one = torch.tensor([1.0])
    with pytest.raises(TypeError, match="x has dtype torch.float64"):
        tensorflow_fake_quantize(one.double(), -1.0, 1.0)
    with pytest.raises(ValueError, match="but axis is None"):
        tensorflow_fake_quantize(one, -one, one)
    with pytest.raises(ValueError, match=r"3 channels along axis 0.*min_val has shape \(1,\)"):
        tensorflow_fake_quantize(torch.zeros(3), -one, one, axis=0)
    with pytest.raises(ValueError, match="axis 1 does not exist"):
        tensorflow_fake_quantize(one, -one, one, axis=1)
