"""learnable_fake_quantize by hand, and the quirks of torch's kernels that it keeps or mends.

That it equals them is proven in proofs/learnable_fake_quantize.py.
"""

import math

import pytest
import torch

from qlearn import QParams, fake_quantize, learnable_fake_quantize
from tests.bits import same_bits

INT4 = {"quant_min": -8, "quant_max": 7}


def gradients(x, scale, zero_point, **options):
    """Return the gradients of x, scale and zero point for an incoming gradient of 1."""
    leaves = [torch.tensor(given, requires_grad=True) for given in (x, scale, zero_point)]
    learnable_fake_quantize(*leaves, **(INT4 | options)).sum().backward()
    return [leaf.grad.tolist() for leaf in leaves]


def torchs_gradients(x, scale, zero_point):
    leaves = [torch.tensor(given, requires_grad=True) for given in (x, scale, zero_point)]
    torch._fake_quantize_learnable_per_tensor_affine(*leaves, -8, 7, 1.0).sum().backward()
    return [leaf.grad.tolist() for leaf in leaves]


@pytest.mark.parametrize(
    ("x", "expected"),
    [
        (0.875, (1.0, 0.25, 0.0)),  # 1.75 steps round to 2: x_fq is 1, off by a quarter of a step
        (0.5, (1.0, 0.0, 0.0)),
        (9.0, (0.0, 7.0 - 3.0, -0.5)),
        (-9.0, (0.0, -8.0 - 3.0, -0.5)),
        (math.inf, (0.0, 4.0, -0.5)),
        (math.nan, (0.0, -11.0, -0.5)),
    ],
    ids=["rounded", "exact", "above", "below", "infinite", "nan"],
)
def test_the_gradients_by_hand(x, expected):
    in_x, in_scale, in_zero_point = gradients([x], [0.5], [3.0])
    assert (in_x[0], in_scale[0], in_zero_point[0]) == expected


def test_the_factor_scales_what_is_learned_and_nothing_else():
    assert gradients([9.0, 0.875], [0.5], [3.0], grad_factor=0.25) == [
        [0.0, 1.0],
        [(4.0 + 0.25) / 4],
        [-0.125],
    ]


def test_forward_is_fake_quantize_at_the_nearest_zero_point_in_range():
    x = torch.linspace(-9, 9, 200)
    for learned, used in [(2.4, 2), (2.5, 2), (3.5, 4), (-0.5, 0), (99.0, 7), (-math.inf, -8)]:
        y = learnable_fake_quantize(x, torch.tensor(0.3), torch.tensor(learned), **INT4)
        assert same_bits(y, fake_quantize(x, QParams(0.3, used, -8, 7, torch.int8)))


def test_a_negative_zero_point_gets_its_neighbours_gradients_as_in_torch():
    """Forward −5 is used, backward −4: the kernel cuts off −4.5 where it means to round −5."""
    case = [9.0], [0.5], [-5.0]
    assert gradients(*case) == torchs_gradients(*case) == [[0.0], [7.0 + 4.0], [-0.5]]
    per_channel = gradients([[9.0]], [0.5], [-5.0], axis=0)
    assert per_channel == [[[0.0]], [7.0 + 5.0], [-0.5]]


def test_at_a_tie_the_backward_pass_can_see_another_code():
    """1.5 steps round to 2, plus 3 is 5. But 1.5 plus 3 is 4.5, and rounds to 4, a step lower."""
    x, scale, zero_point = [0.75], [0.5], [3.0]
    assert gradients(x, scale, zero_point)[1] == torchs_gradients(x, scale, zero_point)[1] == [-0.5]
    forward = fake_quantize(torch.tensor(x), QParams(0.5, 3, -8, 7, torch.int8))
    assert (forward.item() - 0.75) / 0.5 == 0.5


def test_at_a_tie_the_backward_pass_can_clip_what_the_forward_pass_does_not():
    """2.5 steps round to 2, plus 5 is 7, the largest code. But 7.5 rounds to 8."""
    x, scale, zero_point = [1.25], [0.5], [5.0]
    assert gradients(x, scale, zero_point) == torchs_gradients(x, scale, zero_point)
    forward = fake_quantize(torch.tensor(x), QParams(0.5, 5, -8, 7, torch.int8))
    assert forward.tolist() == [1.0]
    assert gradients(x, scale, zero_point)[0] == [0.0]


def test_the_two_backward_roundings_differ_near_a_tie():
    """−40.25 at scale 0.46 and zero point 96 is a hair above 8.5, which float32 makes of it."""
    case = [-40.25], [0.46], [96.0]
    wide = {"quant_min": 0, "quant_max": 127}
    once = gradients(*case, **wide, rounding="fma")
    twice = gradients(*case, **wide, rounding="add")
    assert once[1][0] == pytest.approx(0.5, rel=1e-5) and twice[1][0] == pytest.approx(
        -0.5, rel=1e-5
    )


def test_infinite_values_are_clipped_at_their_own_end():
    """Beyond 2^63 steps torch's kernel overflows, and takes +∞ for a value below the range."""
    assert gradients([math.inf], [0.5], [0.0])[1] == [7.0]
    assert gradients([-math.inf], [0.5], [0.0])[1] == [-8.0]


def test_an_empty_tensor_gives_no_gradient_where_torch_gives_the_parameters_back():
    assert gradients([], [0.5], [3.0]) == [[], [0.0], [0.0]]
    assert torchs_gradients([], [0.5], [3.0]) == [[], [0.5], [3.0]]


def test_shapes():
    assert gradients([0.75], 0.5, 0.0) == [[1.0], 0.5, 0.0]
    assert gradients([0.75, 9.0], [0.5, 0.25], [0.0, 0.0], axis=0)[1] == [0.5, 7.0]
    assert gradients([[0.75, 9.0]], [0.5, 0.25], [0.0, 0.0], axis=-1)[1] == [0.5, 7.0]
    x = torch.randn(4, 3, generator=torch.Generator().manual_seed(0))
    parameters = torch.tensor(0.3), torch.tensor(1.0)
    strided = learnable_fake_quantize(x.T, *parameters, **INT4)
    assert same_bits(strided, learnable_fake_quantize(x.T.contiguous(), *parameters, **INT4))


def test_it_has_no_second_derivative():
    x = torch.tensor([0.75], requires_grad=True)
    scale = torch.tensor(0.5, requires_grad=True)
    y = learnable_fake_quantize(x, scale, torch.tensor(0.0), **INT4)
    (first,) = torch.autograd.grad(y.square().sum(), scale, create_graph=True)
    with pytest.raises(RuntimeError, match="once_differentiable"):
        first.backward()


ONE, ZERO = torch.tensor([1.0]), torch.tensor([0.0])


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"x": [1.0]}, TypeError, "x is a list"),
        ({"scale": 1.0}, TypeError, "scale is a float"),
        ({"zero_point": torch.tensor([0])}, TypeError, "zero_point has dtype torch.int64"),
        ({"scale": -ONE}, ValueError, "scale is -1.0, but every scale must be finite"),
        ({"scale": torch.ones(2)}, ValueError, r"scale has shape \(2,\) and zero_point \(1,\)"),
        (
            {"scale": torch.ones(2), "zero_point": torch.zeros(2)},
            ValueError,
            r"scale has shape \(2,\) but axis is None",
        ),
        ({"axis": 0}, ValueError, "3 channels along axis 0"),
        ({"zero_point": ZERO / 0}, ValueError, "zero_point is NaN"),
        ({"quant_min": 1}, ValueError, "does not enclose 0"),
        ({"quant_min": 9}, ValueError, "quant_min 9 is not below"),
        ({"grad_factor": math.inf}, ValueError, "grad_factor is inf"),
        ({"grad_factor": True}, TypeError, "grad_factor must be an int or a float, not True"),
        ({"rounding": "nearest"}, ValueError, "rounding must be 'fma' or 'add', not 'nearest'"),
    ],
)
def test_bad_input_is_named(change, error, message):
    given = {"x": torch.zeros(3), "scale": ONE, "zero_point": ZERO, **INT4}
    with pytest.raises(error, match=message):
        learnable_fake_quantize(**(given | change))
